// A conversation: asks step by step, goes back when it is told to, and leaves every answer in the body.
import {isDeepStrictEqual} from 'node:util'
import type {Problem} from '../../contract/problems.ts'
import {interrupted} from '../../errors.ts'
import {askStep, isAnswered} from './ask-step.ts'
import type {Drafts} from './drafts.ts'
import {getValue, withValue, withoutValue} from './body-paths.ts'
import {type Navigation, NavigationRequest} from './prompts.ts'
import {type Answers, AskAgain, type Fork, type Question, type Step, isFork, getStepKey} from './steps.ts'
import {printText, printHeading} from './print.ts'

export interface Wizard {
  // What to ask, given what is known so far: an answer may bring further questions or take some away.
  steps: (answers: Answers) => Step[]
  // Everything that is wrong with a body; a question asks it about its own path.
  validate: (body: Answers['body']) => readonly Problem[]
  drafts: Drafts
}

// What was asked about before and is not any more is taken out, the last first: in a list, the next would move up.
function removeOrphans(before: Answers, after: Answers, {steps}: Wizard): Answers {
  const kept = new Set(steps(after).map(getStepKey))
  const gone = steps(before)
    .map(getStepKey)
    .filter((key) => !kept.has(key))
  return {...after, body: gone.toReversed().reduce(withoutValue, after.body)}
}

const listPlace = /^(.*)\[(\d+)\]$/

// The forks before a place of a list; those at it and behind it spoke of what has moved since.
function keepForksBefore(forks: Answers['forks'], list: string, place: number): Answers['forks'] {
  const isBefore = (fork: string) => {
    if (!fork.startsWith(`${list}[`)) return true
    return Number.parseInt(fork.slice(list.length + 1), 10) < place
  }
  return Object.fromEntries(Object.entries(forks).filter(([fork]) => isBefore(fork)))
}

// A no takes out what was there. In a list the next one moves up, and whether to keep it is the next question.
function recordNo({fork}: Fork, answers: Answers, wizard: Wizard): Answers {
  const body = withoutValue(answers.body, fork)
  const [, list, place] = listPlace.exec(fork) ?? []
  if (list !== undefined && getValue(body, fork) !== undefined) {
    return {body, forks: keepForksBefore(answers.forks, list, Number(place))}
  }
  return removeOrphans(answers, {body, forks: {...answers.forks, [fork]: false}}, wizard)
}

async function recordAnswer(question: Question, value: unknown, answers: Answers, wizard: Wizard): Promise<Answers> {
  const {path, clears: forgets = []} = question
  const placed = value === undefined ? withoutValue(answers.body, path) : withValue(answers.body, path, value)
  const isSame = isDeepStrictEqual(getValue(answers.body, path), value)
  const body = isSame ? placed : forgets.reduce(withoutValue, placed)
  const settled = removeOrphans(answers, {...answers, body}, wizard)
  return question.afterAnswer ? {...settled, body: await question.afterAnswer(settled.body, answers.body)} : settled
}

// Asks one step and returns the answers with it.
export async function answerStep(step: Step, answers: Answers, wizard: Wizard): Promise<Answers> {
  const value = await askStep(step, answers, wizard)
  if (!isFork(step)) return recordAnswer(step, value, answers, wizard)
  if (value === false) return recordNo(step, answers, wizard)
  return {...answers, forks: {...answers.forks, [step.fork]: true}}
}

// The steps that need no asking: what flags, a file or a draft say already, and say rightly.
export async function findAnsweredSteps(answers: Answers, wizard: Wizard): Promise<Set<string>> {
  const steps = wizard.steps(answers)
  const settled = await Promise.all(steps.map((step) => isAnswered(step, answers, wizard)))
  return new Set(steps.filter((_, index) => settled[index]).map(getStepKey))
}

// Goes through all steps but those that are passed over; going back reaches them as well. Whoever leaves gets nothing sent.
export async function runWizard(start: Answers, wizard: Wizard, passed?: ReadonlySet<string>): Promise<Answers> {
  let answers = start
  const over = new Set(passed ?? (await findAnsweredSteps(start, wizard)))
  let heading: string | undefined
  for (let at = 0; ;) {
    const steps = wizard.steps(answers)
    const step = steps[at]
    if (!step) return answers
    if (over.has(getStepKey(step))) {
      at++
      continue
    }
    if (step.heading !== undefined && step.heading !== heading) await printHeading(step.heading)
    heading = step.heading
    try {
      answers = await answerStep(step, answers, wizard)
      // What moved up in a list stands at the same step, and is asked about there.
      const hasMovedUp = isFork(step) && answers.forks[step.fork] === undefined
      if (!hasMovedUp) at++
    } catch (error) {
      const navigation = await handleNavigation(error, answers, wizard)
      if (navigation === 'back') at = Math.max(0, at - 1)
      const before = steps[at]
      if (before) over.delete(getStepKey(before))
    }
  }
}

// What a person did instead of answering. Ctrl-C is the shell's word for leaving.
function readNavigation(error: unknown): Navigation {
  if (error instanceof NavigationRequest) return error.navigation
  if (error instanceof Error && error.name === 'ExitPromptError') return 'abandon'
  throw error
}

// Asks what belongs to no body, such as which customer it is about: there is nothing to go back to and nothing to save.
export async function askStandalone<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (readNavigation(error) === 'abandon') throw interrupted()
    }
  }
}

// What to do when a person turned away from a question: the conversation goes on, or it ends without anything sent.
export async function handleNavigation(error: unknown, {body}: Answers, {drafts}: Wizard): Promise<'back' | 'stay'> {
  if (error instanceof AskAgain) {
    printText(error.message)
    return 'stay'
  }
  const navigation = readNavigation(error)
  if (navigation === 'back') return 'back'
  if (navigation === 'save') {
    await saveDraft(body, drafts)
    return 'stay'
  }
  await drafts.saveOnExit(body)
  throw interrupted()
}

// Whoever turns away from the question where to save goes on without saving.
async function saveDraft(body: Answers['body'], drafts: Drafts): Promise<void> {
  try {
    await drafts.save(body)
  } catch (error) {
    readNavigation(error)
  }
}

// Asks something beside the steps until there is an answer: there is nothing before it to go back to.
export async function askUntilAnswered<T>(ask: () => Promise<T>, answers: Answers, wizard: Wizard): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      await handleNavigation(error, answers, wizard)
    }
  }
}
