// Asks the questions of a form in order, records each answer and removes what it makes obsolete, and goes back or stops on request.
import {isDeepStrictEqual} from 'node:util'
import {interrupted} from '../../errors.ts'
import {type Body, getValue, isAtOrBelow, withValue, withoutValue} from '../../values/body-paths.ts'
import {toText} from '../output/view.ts'
import {GoBack, askLine, askMultiSelect, askSelect, askYesNo, isInterruption, requiredMessage} from '../prompts/ask.ts'
import type {Choice} from './choices.ts'
import {printHeading, printText} from './print.ts'
import {AskAgain, type Form, type Question, completeBody, isUnsent} from './question.ts'

const skipHint = 'Press Enter to skip'
// Shown in place of an answer.
const skippedText = '(skipped)'
export const keepHint = 'Press Enter to keep the current value'
const keepOrSkipHint = 'Press Enter to keep it, or Backspace until it is gone to skip the question'

// What Enter does with an optional question, on a line that may be filled in.
export const describeEnter = (initial: string | undefined) => (initial ? keepOrSkipHint : skipHint)

// A value that is out of range or not allowed is refused in the words of the question.
const wordedKinds: ReadonlySet<string> = new Set(['range', 'value', 'type'])

// The first problem with an answer, or the first warning about it, in the same words as for a file.
function findProblem(question: Question, value: unknown, body: Body, form: Form, isWarning = false) {
  const problems = form.validate(completeBody(withValue(body, question.path, value), form))
  const problem = problems.find(
    ({path, isWarning: isMild = false}) => isMild === isWarning && isAtOrBelow(path, question.path),
  )
  if (problem) return `${wordedKinds.has(problem.kind ?? '') ? question.label : 'It'} ${problem.message}`
  return isWarning ? question.warn?.(value) : question.check?.(value)
}

const otherChoice = Symbol('other')
const skipChoice = Symbol('skip')
const otherChoices = ({allowsOther}: Question) =>
  allowsOther ? [{name: 'other (type it)', value: otherChoice as unknown, isForOthers: true}] : []

async function askChoice(question: Question, body: Body, form: Form): Promise<unknown> {
  const {label, choices = [], allowsOther, isRequired, hasNoDefault, path} = question
  const current = getValue(body, path) ?? question.suggestion
  const offered: Array<Choice<unknown>> = [
    // The first choice, so that pressing Enter does not select a value by accident.
    ...(isRequired ? [] : [{name: '(skip)', short: skippedText, value: skipChoice}]),
    ...choices,
    ...otherChoices(question),
  ]
  const isListed = choices.some(({value}) => value === current)
  const isOther = typeof current === 'string' && current !== '' && allowsOther
  const initial = isListed ? current : isOther ? otherChoice : undefined
  const chosen = await askSelect(label, offered, initial, {hasNoDefault: isRequired && hasNoDefault})
  if (chosen === skipChoice) return undefined
  if (chosen !== otherChoice) {
    const warning = findProblem(question, chosen, body, form, true)
    if (warning !== undefined) printText(`  ${warning}. Shift-Tab goes back.`)
    return chosen
  }
  // A choice that was not wanted is not filled in for a text.
  return askText(question, body, form, isListed ? '' : toText(current))
}

export const parseList = (text: string) =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

async function askSeveral(question: Question, body: Body): Promise<unknown> {
  const {label, choices = [], isRequired, path} = question
  const current = getValue(body, path) ?? question.suggestion
  const given: readonly unknown[] = Array.isArray(current) ? current : []
  const others = given.filter((value) => choices.every((choice) => choice.value !== value))
  const preselected = others.length > 0 ? [...given, otherChoice] : given
  const chosen = await askMultiSelect<unknown>(label, [...choices, ...otherChoices(question)], preselected, {
    allowsNone: !isRequired,
  })
  const hint = 'separated by commas'
  const typed = chosen.includes(otherChoice)
    ? parseList(await askLine({message: `${label}:`, hint, initial: others.join(', ')}))
    : []
  return [...chosen.filter((value) => value !== otherChoice), ...typed]
}

async function askText(question: Question, body: Body, form: Form, filledIn?: string): Promise<unknown> {
  const {label, hint, isRequired, isHidden, path, parse = String, explainText, format} = question
  const current = getValue(body, path)
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
      return explainText?.(label, typed) ?? findProblem(question, parse(typed), body, form)
    },
    warn: (typed) => (typed === '' ? undefined : findProblem(question, parse(typed), body, form, true)),
    format: (typed) => (typed === '' ? skippedText : (format?.(typed) ?? toText(parse(typed)))),
  })
  if (text === '') return canKeep ? current : undefined
  return parse(text)
}

function askQuestion(question: Question, body: Body, form: Form): Promise<unknown> {
  const {kind, label, path, ask, suggestion} = question
  const current = getValue(body, path)
  if (ask) return ask(current, body, question)
  if (kind === 'yes-no') return askYesNo(label, (current ?? suggestion) === true)
  if (kind === 'several') return askSeveral(question, body)
  return kind === 'one-of' ? askChoice(question, body, form) : askText(question, body, form)
}

// Removes the values of questions that are no longer asked. The last comes first, so that list indexes stay valid.
function removeOrphans(before: Body, after: Body, {questions}: Form): Body {
  const remaining = new Set(questions(after).map(({path}) => path))
  const orphans = questions(before).filter(({path}) => !remaining.has(path))
  return orphans.toReversed().reduce((body, {path}) => withoutValue(body, path), after)
}

const isEmpty = (value: unknown, {path}: Question) =>
  value === undefined || (Array.isArray(value) && value.length === 0 && !isUnsent(path))

async function recordAnswer(question: Question, value: unknown, before: Body, form: Form): Promise<Body> {
  const {path, clears = [], afterAnswer} = question
  const stored = isEmpty(value, question) ? withoutValue(before, path) : withValue(before, path, value)
  const isUnchanged = isDeepStrictEqual(getValue(before, path), value)
  const body = isUnchanged ? stored : clears.reduce(withoutValue, stored)
  if (!afterAnswer) return removeOrphans(before, body, form)
  // What follows from an answer may be a value that is not asked for. An answer that is not sent decides only what is asked.
  if (!isUnsent(path)) return afterAnswer(removeOrphans(before, body, form), before)
  return removeOrphans(before, await afterAnswer(body, before), form)
}

async function isAnswered(question: Question, body: Body, form: Form): Promise<boolean> {
  const value = getValue(body, question.path)
  if (isUnsent(question.path)) return value !== undefined || (await question.isAnswered?.(body)) === true
  if (value === undefined || findProblem(question, value, body, form) !== undefined) return false
  return (await question.isAnswered?.(body)) !== false
}

// The paths of the questions that flags, a file or a draft have answered with a valid value.
export async function findAnswered(body: Body, form: Form): Promise<Set<string>> {
  const questions = form.questions(body)
  const areAnswered = await Promise.all(questions.map((question) => isAnswered(question, body, form)))
  return new Set(questions.filter((_, index) => areAnswered[index]).map(({path}) => path))
}

// Says where a wizard continues whose question was left instead of answered: at the previous question or at the same one. Ctrl-C ends
// it.
export function handleLeaving(error: unknown, form: Pick<Form, 'draft'>): 'back' | 'stay' {
  if (error instanceof GoBack) return 'back'
  if (isInterruption(error)) return leaveForm(form)
  if (!(error instanceof AskAgain)) throw error
  printText(error.message)
  return 'stay'
}

// Ends the wizard. The answers stay where they are kept.
export function leaveForm({draft}: Pick<Form, 'draft'>): never {
  const hint = draft?.describe()
  if (hint !== undefined) printText(hint)
  throw interrupted()
}

// Asks all questions but those that were dealt with: by default, those with a valid answer. What an answer adds or removes is asked,
// too. Where `canReturn` is set, going back from the first question ends it.
export async function askForm(
  start: Body,
  form: Form,
  done?: ReadonlySet<string>,
  {canReturn = false} = {},
): Promise<Body> {
  let body = start
  const passed = new Set(done ?? (await findAnswered(start, form)))
  const history: string[] = []
  let heading: string | undefined
  let wanted: string | undefined
  for (;;) {
    const questions = form.questions(body).filter(({isSettled}) => !isSettled)
    const question = questions.find(({path}) => path === wanted) ?? questions.find(({path}) => !passed.has(path))
    if (!question) return body
    wanted = question.path
    form.draft?.save(body, passed)
    if (question.heading !== undefined && question.heading !== heading) await printHeading(question.heading)
    heading = question.heading
    try {
      const before = body
      body = await recordAnswer(question, await askQuestion(question, before, form), before, form)
      for (const path of passed) {
        if (getValue(before, path) !== undefined && getValue(body, path) === undefined) passed.delete(path)
      }
      // An answer may be one to another question, such as what is to arrive in place of what is sent.
      const known = new Set(form.questions(before).map(({path}) => path))
      const moved = form.questions(body).filter(({path}) => !known.has(path) && getValue(body, path) !== undefined)
      for (const {path} of [question, ...moved]) {
        passed.add(path)
        history.push(path)
      }
      wanted = undefined
    } catch (error) {
      if (handleLeaving(error, form) === 'stay') continue
      const last = history.findLast((path) => questions.some((each) => each.path === path))
      const previous = questions.find(({path}) => path === last)
      if (!previous && canReturn) return body
      if (!previous) continue
      history.splice(history.lastIndexOf(previous.path))
      passed.delete(previous.path)
      wanted = previous.path
      // The line of the earlier answer stays on the screen.
      printText(`  “${previous.label}” is taken back and asked again.`)
    }
  }
}
