// Asks one step of a conversation in the way that fits it, and judges what is answered.
import {toText} from '../output/view.ts'
import type {Wizard} from './wizard.ts'
import {askDocument, isValidDocument} from '../../customers/wizard/ask-document.ts'
import {getValue, withValue} from './body-paths.ts'
import {type Choice, askLine, askSelect, askYesNo} from './prompts.ts'
import {type Answers, type Fork, type Question, type Step, isFork} from './steps.ts'

const skipWords = 'Enter alone skips it'
const keepWords = 'Enter alone keeps the one that was given'

const isAtOrBeneath = (path: string, question: string) =>
  path === question || path.startsWith(`${question}[`) || path.startsWith(`${question}.`)

// What is wrong with this answer, in the words that a file with it would get.
function findProblem(
  question: Question,
  value: unknown,
  {body}: Answers,
  {validate: problems}: Wizard,
): string | undefined {
  const found = problems(withValue(body, question.path, value)).find(({path}) => isAtOrBeneath(path, question.path))
  return found ? `It ${found.message}` : question.check?.(value)
}

const otherChoice = Symbol('another value')
const skipChoice = Symbol('skipped')

async function askChoice(question: Question, answers: Answers, wizard: Wizard): Promise<unknown> {
  const {label, choices = [], allowsOther: isOpen, isRequired, path} = question
  const current = getValue(answers.body, path) ?? question.suggestion
  const offered = typeof current === 'string' ? current : undefined
  const all: Array<Choice<unknown>> = [
    // First, so that pressing Enter alone chooses nothing that nobody meant.
    ...(isRequired ? [] : [{name: '(skip)', value: skipChoice}]),
    ...choices,
    ...(isOpen ? [{name: 'another, to be typed', value: otherChoice}] : []),
  ]
  const isListed = choices.some(({value}) => value === offered)
  const chosen = await askSelect(label, all, isListed ? offered : offered && isOpen ? otherChoice : undefined)
  if (chosen === skipChoice) return undefined
  return chosen === otherChoice ? askText(question, answers, wizard) : chosen
}

async function askText(question: Question, answers: Answers, wizard: Wizard): Promise<unknown> {
  const {label, hint, isRequired, isHidden, path, parse: read = String, explain} = question
  const current = getValue(answers.body, path)
  // What is not shown cannot be offered; it stays unless something else is typed.
  const isKept = isHidden === true && current !== undefined
  const ofNothing = isKept ? keepWords : isRequired ? undefined : skipWords
  const text = await askLine({
    message: `${label}:`,
    hint: [hint, ofNothing].filter(Boolean).join('. '),
    initial: isHidden ? undefined : toText(current ?? question.suggestion),
    hidden: isHidden,
    check: (typed) => {
      if (typed === '') return isRequired && !isKept ? 'It is needed' : undefined
      return findProblem(question, read(typed), answers, wizard)
    },
    format: (typed) => toText(typed ? read(typed) : typed),
    explain: explain && ((typed) => explain(read(typed), answers.body)),
  })
  if (text === '') return isKept ? current : undefined
  return read(text)
}

function askQuestion(question: Question, answers: Answers, wizard: Wizard): Promise<unknown> {
  const {kind, label, path, ask} = question
  if (ask) return ask(getValue(answers.body, path), answers.body)
  if (kind === 'yes-no') return askYesNo(label, getValue(answers.body, path) === true)
  if (kind === 'one-of') return askChoice(question, answers, wizard)
  if (kind === 'document') return askDocument(question, getValue(answers.body, path))
  return askText(question, answers, wizard)
}

const askFork = ({label, fork, suggestion: offered, isPresent: isSaid}: Fork, {forks}: Answers) =>
  askYesNo(label, forks[fork] ?? (isSaid === true || offered === true))

// What was answered: the value that stands in the body, or a yes or no.
export const askStep = (step: Step, answers: Answers, wizard: Wizard): Promise<unknown> =>
  isFork(step) ? askFork(step, answers) : askQuestion(step, answers, wizard)

// Whether a step has an answer, and a right one.
export async function isAnswered(step: Step, answers: Answers, wizard: Wizard): Promise<boolean> {
  if (isFork(step)) return answers.forks[step.fork] !== undefined || step.isPresent === true
  const value = getValue(answers.body, step.path)
  if (value === undefined || findProblem(step, value, answers, wizard) !== undefined) return false
  return step.kind === 'document' ? isValidDocument(value) : true
}
