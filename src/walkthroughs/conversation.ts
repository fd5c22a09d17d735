// A conversation: asks step by step, goes back when it is told to, and leaves every answer in the body.
import type {Problem} from '../contract/problems.ts'
import {interrupted} from '../errors.ts'
import {textOf} from '../terminal/view.ts'
import {askDocument} from './document-question.ts'
import type {Drafts} from './drafts.ts'
import {valueAt, withValue, withoutValue} from './places.ts'
import {type Choice, type Turn, Turned, askLine, askOneOf, askYesNo} from './prompts.ts'
import {type Answers, type Fork, type Question, type Step, isFork} from './questions.ts'

export interface Conversation {
  // What to ask, given what is known so far: an answer may bring further questions or take some away.
  steps: (answers: Answers) => Step[]
  // Everything that is wrong with a body; a question asks it about its own path.
  problems: (body: Answers['body']) => readonly Problem[]
  drafts: Drafts
}

const skipWords = 'Enter alone skips it'

// What is wrong with this answer, in the words that a file with it would get.
function problemOf(question: Question, value: unknown, {body}: Answers, {problems}: Conversation): string | undefined {
  const found = problems(withValue(body, question.path, value)).find(({path}) => path === question.path)
  return found ? `It ${found.message}` : question.check?.(value)
}

function textCheck(question: Question, answers: Answers, conversation: Conversation) {
  return (text: string) => {
    if (text === '') return question.isRequired ? 'It is needed' : undefined
    return problemOf(question, question.read ? question.read(text) : text, answers, conversation)
  }
}

const anotherValue = Symbol('another value')
const skipped = Symbol('skipped')

async function askChoice(question: Question, answers: Answers, conversation: Conversation): Promise<unknown> {
  const {label, choices = [], isOpen, isRequired, path} = question
  const present = valueAt(answers.body, path) ?? question.offered
  const offered = typeof present === 'string' ? present : undefined
  const all: Array<Choice<unknown>> = [
    ...choices,
    ...(isOpen ? [{name: 'another, to be typed', value: anotherValue}] : []),
    ...(isRequired ? [] : [{name: '(skip)', value: skipped}]),
  ]
  const isListed = choices.some(({value}) => value === offered)
  const chosen = await askOneOf(label, all, isListed ? offered : offered && isOpen ? anotherValue : undefined)
  if (chosen === skipped) return undefined
  return chosen === anotherValue ? askText(question, answers, conversation) : chosen
}

async function askText(question: Question, answers: Answers, conversation: Conversation): Promise<unknown> {
  const {label, hint, isRequired, isHidden, path, read} = question
  const present = valueAt(answers.body, path) ?? question.offered
  const text = await askLine({
    message: `${label}:`,
    hint: [hint, isRequired ? undefined : skipWords].filter(Boolean).join('. '),
    offered: isHidden ? undefined : textOf(present),
    hidden: isHidden,
    check: textCheck(question, answers, conversation),
    taken: (typed) => textOf(read && typed ? read(typed) : typed),
  })
  if (text === '') return undefined
  return read ? read(text) : text
}

function asked(question: Question, answers: Answers, conversation: Conversation): Promise<unknown> {
  const {kind, label, path} = question
  if (kind === 'yes-no') return askYesNo(label, valueAt(answers.body, path) === true)
  if (kind === 'one-of') return askChoice(question, answers, conversation)
  if (kind === 'document') return askDocument(question, valueAt(answers.body, path))
  return askText(question, answers, conversation)
}

const forked = async ({label, fork, offered}: Fork, {forks}: Answers) =>
  askYesNo(label, forks[fork] ?? offered ?? false)

// Asks one step and returns the answers with it.
export async function answered(step: Step, answers: Answers, conversation: Conversation): Promise<Answers> {
  if (isFork(step)) return {...answers, forks: {...answers.forks, [step.fork]: await forked(step, answers)}}
  const value = await asked(step, answers, conversation)
  const body = value === undefined ? withoutValue(answers.body, step.path) : withValue(answers.body, step.path, value)
  return {...answers, body}
}

export const isAnswered = (step: Step, {body, forks}: Answers) =>
  isFork(step) ? forks[step.fork] !== undefined : valueAt(body, step.path) !== undefined

// Goes through all steps from the first that has no answer yet. Whoever leaves gets nothing sent.
export async function converse(start: Answers, conversation: Conversation): Promise<Answers> {
  let answers = start
  const firstOpen = conversation.steps(answers).findIndex((step) => !isAnswered(step, answers))
  let at = firstOpen === -1 ? Number.POSITIVE_INFINITY : firstOpen
  for (;;) {
    const steps = conversation.steps(answers)
    const step = steps[at]
    if (!step) return answers
    try {
      answers = await answered(step, answers, conversation)
      at++
    } catch (error) {
      const turn = await turnedAway(error, answers, conversation)
      if (turn === 'back') at = Math.max(0, at - 1)
    }
  }
}

// What a person did instead of answering. Ctrl-C is the shell's word for leaving.
function turnIn(error: unknown): Turn {
  if (error instanceof Turned) return error.turn
  if (error instanceof Error && error.name === 'ExitPromptError') return 'abandon'
  throw error
}

// Asks what belongs to no body, such as which customer it is about: there is nothing to go back to and nothing to save.
export async function askOutside<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (turnIn(error) === 'abandon') throw interrupted()
    }
  }
}

// What to do when a person turned away from a question: the conversation goes on, or it ends without anything sent.
export async function turnedAway(error: unknown, {body}: Answers, {drafts}: Conversation): Promise<'back' | 'stay'> {
  const turn = turnIn(error)
  if (turn === 'back') return 'back'
  if (turn === 'save') {
    await drafts.save(body)
    return 'stay'
  }
  await drafts.leave(body)
  throw interrupted()
}
