// Asks one step with the prompt for its kind, and checks the answer.
import {toText} from '../output/view.ts'
import {getValue, withValue} from '../../values/body-paths.ts'
import type {Choice} from './choices.ts'
import {printText} from './print.ts'
import {askLine, askMultiSelect, askSelect, askYesNo, requiredMessage} from '../prompts/ask.ts'
import {
  type Answers,
  type Checklist,
  type ChecklistItem,
  type Copy,
  type Count,
  type Fork,
  type Question,
  type Step,
  getStepKey,
  isChecklist,
  isCount,
  isFork,
  isQuestion,
} from './steps.ts'
import type {Wizard} from './wizard.ts'

const skipHint = 'Press Enter to skip'
// Shown in place of an answer.
const skippedText = '(skipped)'
export const keepHint = 'Press Enter to keep the current value'
const keepOrSkipHint = 'Press Enter to keep it, or Backspace until it is gone to skip the question'

// What Enter does with an optional question, on a line that may be filled in.
export const describeEnter = (initial: string | undefined) => (initial ? keepOrSkipHint : skipHint)

const isAtOrBelow = (path: string, ancestor: string) =>
  path === ancestor || path.startsWith(`${ancestor}[`) || path.startsWith(`${ancestor}.`)

function findFirst(question: Question, value: unknown, {body}: Answers, {validate}: Wizard, wantsWarning: boolean) {
  const problems = validate(withValue(body, question.path, value))
  const problem = problems.find(
    ({path, isWarning = false}) => isWarning === wantsWarning && isAtOrBelow(path, question.path),
  )
  return problem && `${wordedKinds.has(problem.kind ?? '') ? question.label : 'It'} ${problem.message}`
}

// A value that is out of range or not allowed is refused in the words of the question.
const wordedKinds: ReadonlySet<string> = new Set(['range', 'value', 'type'])

// Returns the problem with an answer, in the same words as for a file.
const findProblem = (question: Question, value: unknown, answers: Answers, wizard: Wizard): string | undefined =>
  findFirst(question, value, answers, wizard, false) ?? question.check?.(value)

// Returns what svc would warn about, which the person may give all the same.
const findWarning = (question: Question, value: unknown, answers: Answers, wizard: Wizard): string | undefined =>
  findFirst(question, value, answers, wizard, true) ?? question.warn?.(value)

const otherChoice = Symbol('other')
const skipChoice = Symbol('skip')

async function askChoice(question: Question, answers: Answers, wizard: Wizard): Promise<unknown> {
  const {label, choices = [], allowsOther, isRequired, hasNoDefault, path} = question
  const current = getValue(answers.body, path) ?? question.suggestion
  const choicesWithExtras: Array<Choice<unknown>> = [
    // The first choice, so that pressing Enter does not select a value by accident.
    ...(isRequired ? [] : [{name: '(skip)', short: skippedText, value: skipChoice}]),
    ...choices,
    ...(allowsOther ? [{name: 'other (type it)', value: otherChoice}] : []),
  ]
  const isListed = choices.some(({value}) => value === current)
  const isOther = typeof current === 'string' && current !== '' && allowsOther
  const initial = isListed ? current : isOther ? otherChoice : undefined
  const chosen = await askSelect(label, choicesWithExtras, initial, {hasNoDefault: isRequired && hasNoDefault})
  if (chosen === skipChoice) return undefined
  if (chosen !== otherChoice) {
    const warning = findWarning(question, chosen, answers, wizard)
    if (warning !== undefined) printText(`  ${warning}. Shift-Tab goes back.`)
    return chosen
  }
  // A choice that was not wanted is not filled in for a text.
  return askText(question, answers, wizard, isListed ? '' : toText(current))
}

async function askText(question: Question, answers: Answers, wizard: Wizard, filledIn?: string): Promise<unknown> {
  const {label, hint, isRequired, isHidden, path, parse = String, explainText, format} = question
  const current = getValue(answers.body, path)
  // A hidden value is not filled in; an empty answer keeps it.
  const canKeep = isHidden === true && current !== undefined
  const initial = isHidden ? undefined : (filledIn ?? toText(current ?? question.suggestion))
  const emptyHint = canKeep ? keepHint : isRequired ? undefined : describeEnter(initial)
  const text = await askLine({
    message: `${label}:`,
    hint: [hint, emptyHint].filter(Boolean).join('. '),
    initial,
    isHidden,
    check: (typed) => {
      if (typed === '') return isRequired && !canKeep ? requiredMessage : undefined
      return explainText?.(label, typed) ?? findProblem(question, parse(typed), answers, wizard)
    },
    warn: (typed) => (typed === '' ? undefined : findWarning(question, parse(typed), answers, wizard)),
    format: (typed) => {
      if (typed === '') return skippedText
      return format?.(typed) ?? toText(parse(typed))
    },
  })
  if (text === '') return canKeep ? current : undefined
  return parse(text)
}

function askQuestion(question: Question, answers: Answers, wizard: Wizard): Promise<unknown> {
  const {kind, label, path, ask} = question
  const current = getValue(answers.body, path)
  if (ask) return ask(current, answers.body, question)
  if (kind === 'yes-no') return askYesNo(label, current === true)
  return kind === 'one-of' ? askChoice(question, answers, wizard) : askText(question, answers, wizard)
}

const askFork = ({label, fork, suggestion, isPresent}: Fork, {forks}: Answers) =>
  askYesNo(label, forks[fork] ?? (isPresent === true || suggestion === true))

const isSelected = ({fact, fork = '', isNegated = false, isPresent}: ChecklistItem, {body, forks}: Answers) =>
  fact === undefined ? (forks[fork] ?? (isNegated || isPresent)) === !isNegated : getValue(body, fact) === true

const askChecklist = ({label, items}: Checklist, answers: Answers) =>
  askMultiSelect(
    label,
    items.map(({name}) => ({name, value: name})),
    items.filter((item) => isSelected(item, answers)).map(({name}) => name),
    {allowsNone: true},
  )

const countMax = 20

async function askCount({label, present}: Count): Promise<number> {
  const text = await askLine({
    message: label,
    hint:
      present === 0 ? `a number from 0 to ${countMax}` : `a number from 0 to ${countMax}. Press Enter for ${present}`,
    check: (typed) => {
      if (typed === '') return present === 0 ? requiredMessage : undefined
      return /^\d+$/.test(typed) && Number(typed) <= countMax ? undefined : `Write a number from 0 to ${countMax}`
    },
  })
  return text === '' ? present : Number(text)
}

const askCopy = ({label, otherLabel, sources, suggestion}: Copy) =>
  askSelect<string | undefined>(
    label,
    [{name: otherLabel, value: undefined}, ...sources.map(({name, path}) => ({name, value: path}))],
    suggestion,
  )

// Returns the value for the body, yes or no for a fork, the selected items, a number, or the path to copy from.
export function askStep(step: Step, answers: Answers, wizard: Wizard): Promise<unknown> {
  if (isQuestion(step)) return askQuestion(step, answers, wizard)
  if (isFork(step)) return askFork(step, answers)
  if (isChecklist(step)) return askChecklist(step, answers)
  return isCount(step) ? askCount(step) : askCopy(step)
}

// A file or an earlier draft answers a checklist with all its facts, and a copy with the value itself.
function hasFacts(step: Checklist | Copy, {body}: Answers): boolean {
  if (!isChecklist(step)) return getValue(body, step.copy) !== undefined
  const facts = step.items.flatMap(({fact}) => fact ?? [])
  return facts.length > 0 && facts.every((fact) => getValue(body, fact) !== undefined)
}

// Whether a step has a valid answer already.
export async function isAnswered(step: Step, answers: Answers, wizard: Wizard): Promise<boolean> {
  if (isFork(step)) return answers.forks[step.fork] !== undefined || step.isPresent === true
  if (isCount(step)) return getValue(answers.body, step.count) !== undefined || `${step.count}[0]` in answers.forks
  if (!isQuestion(step)) return answers.forks[getStepKey(step)] !== undefined || hasFacts(step, answers)
  const value = getValue(answers.body, step.path)
  if (value === undefined || findProblem(step, value, answers, wizard) !== undefined) return false
  return step.isUsable ? step.isUsable(value) : true
}
