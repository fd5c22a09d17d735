// Asks one step of a conversation in the way that fits it, and judges what is answered.
import {toText} from '../output/view.ts'
import type {Conversation} from './wizard.ts'
import {askDocument, isSoundDocument} from '../../customers/wizard/document-question.ts'
import {valueAt, withValue} from './paths.ts'
import {type Choice, askLine, askOneOf, askYesNo} from './prompts.ts'
import {type Answers, type Fork, type Question, type Step, isFork} from './questions.ts'

const skipWords = 'Enter alone skips it'
const keepWords = 'Enter alone keeps the one that was given'

const isAtOrBeneath = (path: string, question: string) =>
  path === question || path.startsWith(`${question}[`) || path.startsWith(`${question}.`)

// What is wrong with this answer, in the words that a file with it would get.
function problemOf(question: Question, value: unknown, {body}: Answers, {problems}: Conversation): string | undefined {
  const found = problems(withValue(body, question.path, value)).find(({path}) => isAtOrBeneath(path, question.path))
  return found ? `It ${found.message}` : question.check?.(value)
}

const anotherValue = Symbol('another value')
const skipped = Symbol('skipped')

async function askChoice(question: Question, answers: Answers, conversation: Conversation): Promise<unknown> {
  const {label, choices = [], isOpen, isRequired, path} = question
  const present = valueAt(answers.body, path) ?? question.offered
  const offered = typeof present === 'string' ? present : undefined
  const all: Array<Choice<unknown>> = [
    // First, so that pressing Enter alone chooses nothing that nobody meant.
    ...(isRequired ? [] : [{name: '(skip)', value: skipped}]),
    ...choices,
    ...(isOpen ? [{name: 'another, to be typed', value: anotherValue}] : []),
  ]
  const isListed = choices.some(({value}) => value === offered)
  const chosen = await askOneOf(label, all, isListed ? offered : offered && isOpen ? anotherValue : undefined)
  if (chosen === skipped) return undefined
  return chosen === anotherValue ? askText(question, answers, conversation) : chosen
}

async function askText(question: Question, answers: Answers, conversation: Conversation): Promise<unknown> {
  const {label, hint, isRequired, isHidden, path, read = String, explain} = question
  const given = valueAt(answers.body, path)
  // What is not shown cannot be offered; it stays unless something else is typed.
  const isKept = isHidden === true && given !== undefined
  const ofNothing = isKept ? keepWords : isRequired ? undefined : skipWords
  const text = await askLine({
    message: `${label}:`,
    hint: [hint, ofNothing].filter(Boolean).join('. '),
    offered: isHidden ? undefined : toText(given ?? question.offered),
    hidden: isHidden,
    check: (typed) => {
      if (typed === '') return isRequired && !isKept ? 'It is needed' : undefined
      return problemOf(question, read(typed), answers, conversation)
    },
    taken: (typed) => toText(typed ? read(typed) : typed),
    explain: explain && ((typed) => explain(read(typed), answers.body)),
  })
  if (text === '') return isKept ? given : undefined
  return read(text)
}

function askQuestion(question: Question, answers: Answers, conversation: Conversation): Promise<unknown> {
  const {kind, label, path, ask} = question
  if (ask) return ask(valueAt(answers.body, path), answers.body)
  if (kind === 'yes-no') return askYesNo(label, valueAt(answers.body, path) === true)
  if (kind === 'one-of') return askChoice(question, answers, conversation)
  if (kind === 'document') return askDocument(question, valueAt(answers.body, path))
  return askText(question, answers, conversation)
}

const askFork = ({label, fork, offered, isSaid}: Fork, {forks}: Answers) =>
  askYesNo(label, forks[fork] ?? (isSaid === true || offered === true))

// What was answered: the value that stands in the body, or a yes or no.
export const askStep = (step: Step, answers: Answers, conversation: Conversation): Promise<unknown> =>
  isFork(step) ? askFork(step, answers) : askQuestion(step, answers, conversation)

// Whether a step has an answer, and a right one.
export async function isSettled(step: Step, answers: Answers, conversation: Conversation): Promise<boolean> {
  if (isFork(step)) return answers.forks[step.fork] !== undefined || step.isSaid === true
  const value = valueAt(answers.body, step.path)
  if (value === undefined || problemOf(step, value, answers, conversation) !== undefined) return false
  return step.kind === 'document' ? isSoundDocument(value) : true
}
