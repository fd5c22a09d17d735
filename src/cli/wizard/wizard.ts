// A conversation: asks step by step, goes back when it is told to, and leaves every answer in the body.
import {isDeepStrictEqual} from 'node:util'
import type {Problem} from '../../contract/problems.ts'
import {interrupted} from '../../errors.ts'
import {askStep, isSettled} from './asking.ts'
import type {Drafts} from './drafts.ts'
import {valueAt, withValue, withoutValue} from './paths.ts'
import {type Turn, Turned} from './prompts.ts'
import {type Answers, AskAgain, type Fork, type Question, type Step, isFork, keyOf} from './questions.ts'
import {say, sayHeading} from './print.ts'

export interface Conversation {
  // What to ask, given what is known so far: an answer may bring further questions or take some away.
  steps: (answers: Answers) => Step[]
  // Everything that is wrong with a body; a question asks it about its own path.
  problems: (body: Answers['body']) => readonly Problem[]
  drafts: Drafts
}

// What was asked about before and is not any more is taken out, the last first: in a list, the next would move up.
function withoutOrphans(before: Answers, after: Answers, {steps}: Conversation): Answers {
  const kept = new Set(steps(after).map(keyOf))
  const gone = steps(before)
    .map(keyOf)
    .filter((key) => !kept.has(key))
  return {...after, body: gone.toReversed().reduce(withoutValue, after.body)}
}

const listPlace = /^(.*)\[(\d+)\]$/

// The forks before a place of a list; those at it and behind it spoke of what has moved since.
function forksBefore(forks: Answers['forks'], list: string, place: number): Answers['forks'] {
  const isBefore = (fork: string) => {
    if (!fork.startsWith(`${list}[`)) return true
    return Number.parseInt(fork.slice(list.length + 1), 10) < place
  }
  return Object.fromEntries(Object.entries(forks).filter(([fork]) => isBefore(fork)))
}

// A no takes out what was there. In a list the next one moves up, and whether to keep it is the next question.
function declined({fork}: Fork, answers: Answers, conversation: Conversation): Answers {
  const body = withoutValue(answers.body, fork)
  const [, list, place] = listPlace.exec(fork) ?? []
  if (list !== undefined && valueAt(body, fork) !== undefined) {
    return {body, forks: forksBefore(answers.forks, list, Number(place))}
  }
  return withoutOrphans(answers, {body, forks: {...answers.forks, [fork]: false}}, conversation)
}

async function settledWith(
  question: Question,
  value: unknown,
  answers: Answers,
  conversation: Conversation,
): Promise<Answers> {
  const {path, forgets = []} = question
  const placed = value === undefined ? withoutValue(answers.body, path) : withValue(answers.body, path, value)
  const isSame = isDeepStrictEqual(valueAt(answers.body, path), value)
  const body = isSame ? placed : forgets.reduce(withoutValue, placed)
  const settled = withoutOrphans(answers, {...answers, body}, conversation)
  return question.follow ? {...settled, body: await question.follow(settled.body, answers.body)} : settled
}

// Asks one step and returns the answers with it.
export async function answered(step: Step, answers: Answers, conversation: Conversation): Promise<Answers> {
  const value = await askStep(step, answers, conversation)
  if (!isFork(step)) return settledWith(step, value, answers, conversation)
  if (value === false) return declined(step, answers, conversation)
  return {...answers, forks: {...answers.forks, [step.fork]: true}}
}

// The steps that need no asking: what flags, a file or a draft say already, and say rightly.
export async function settledSteps(answers: Answers, conversation: Conversation): Promise<Set<string>> {
  const steps = conversation.steps(answers)
  const settled = await Promise.all(steps.map((step) => isSettled(step, answers, conversation)))
  return new Set(steps.filter((_, index) => settled[index]).map(keyOf))
}

// Goes through all steps but those that are passed over; going back reaches them as well. Whoever leaves gets nothing sent.
export async function converse(
  start: Answers,
  conversation: Conversation,
  passed?: ReadonlySet<string>,
): Promise<Answers> {
  let answers = start
  const over = new Set(passed ?? (await settledSteps(start, conversation)))
  let heading: string | undefined
  for (let at = 0; ;) {
    const steps = conversation.steps(answers)
    const step = steps[at]
    if (!step) return answers
    if (over.has(keyOf(step))) {
      at++
      continue
    }
    if (step.within !== undefined && step.within !== heading) await sayHeading(step.within)
    heading = step.within
    try {
      answers = await answered(step, answers, conversation)
      // What moved up in a list stands at the same step, and is asked about there.
      const hasMovedUp = isFork(step) && answers.forks[step.fork] === undefined
      if (!hasMovedUp) at++
    } catch (error) {
      const turn = await turnedAway(error, answers, conversation)
      if (turn === 'back') at = Math.max(0, at - 1)
      const before = steps[at]
      if (before) over.delete(keyOf(before))
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
  if (error instanceof AskAgain) {
    say(error.message)
    return 'stay'
  }
  const turn = turnIn(error)
  if (turn === 'back') return 'back'
  if (turn === 'save') {
    await saved(body, drafts)
    return 'stay'
  }
  await drafts.leave(body)
  throw interrupted()
}

// Whoever turns away from the question where to save goes on without saving.
async function saved(body: Answers['body'], drafts: Drafts): Promise<void> {
  try {
    await drafts.save(body)
  } catch (error) {
    turnIn(error)
  }
}

// Asks something beside the steps until there is an answer: there is nothing before it to go back to.
export async function insist<T>(ask: () => Promise<T>, answers: Answers, conversation: Conversation): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      await turnedAway(error, answers, conversation)
    }
  }
}
