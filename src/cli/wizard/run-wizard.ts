// Runs a wizard: asks its steps in order, goes back on request, and collects the answers.
import {interrupted} from '../../errors.ts'
import {askStep, isAnswered} from './ask-step.ts'
import {getValue} from './body-paths.ts'
import {handleNavigation} from './handle-navigation.ts'
import {readNavigation} from './navigation.ts'
import {printHeading, printText} from './print.ts'
import {getFullLabel} from './render-answers.ts'
import {recordAnswer, recordChecklist, recordCopy, recordCount, recordForkAnswer} from './record-answer.ts'
import {type Answers, type Question, type Step, getStepKey, isChecklist, isCount, isFork, isQuestion} from './steps.ts'
import type {Wizard} from './wizard.ts'

// Asks one step and returns the answers with it.
export async function answerStep(step: Step, answers: Answers, wizard: Wizard): Promise<Answers> {
  return recordStep(step, await askStep(step, answers, wizard), answers, wizard)
}

function recordStep(step: Step, value: unknown, answers: Answers, wizard: Wizard): Answers | Promise<Answers> {
  if (isQuestion(step)) return recordAnswer(step, value, answers, wizard)
  if (isFork(step)) return recordForkAnswer(step, value === true, answers, wizard)
  if (isChecklist(step)) return recordChecklist(step, value as unknown[], answers, wizard)
  if (isCount(step)) return recordCount(step, Number(value), answers, wizard)
  return recordCopy(step, value as string | undefined, answers)
}

// A suggestion that is almost certain is taken, and shown like an answer.
async function assumeAnswer(question: Question, answers: Answers, wizard: Wizard): Promise<Answers> {
  const {label, suggestion, choices = []} = question
  const name = choices.find(({value}) => value === suggestion)?.name ?? suggestion
  printText(`  ${label} ${name} (assumed; Shift-Tab changes it)`)
  return recordAnswer(question, suggestion, answers, wizard)
}

const isAssumable = (step: Step, {body}: Answers): step is Question =>
  isQuestion(step) &&
  step.isAssumed === true &&
  step.suggestion !== undefined &&
  getValue(body, step.path) === undefined

// The question that was asked before the one at the index.
function findPrevious(steps: readonly Step[], index: number): number {
  const previous = steps.findLastIndex(({isSettled}, at) => at < index && !isSettled)
  return Math.max(0, previous)
}

// Returns the index of the next step. An answer may also add questions before its own, such as the middle name: these are
// next, and what was asked between them is skipped.
function continueAfter(index: number, before: readonly Step[], after: readonly Step[], skipped: Set<string>): number {
  const keys = after.map(getStepKey)
  const keysBefore = new Set(before.map(getStepKey))
  const current = keys.indexOf(getStepKey(before[index] as Step))
  if (current === -1) return index + 1
  const earlier = keys.slice(0, current + 1)
  const added = earlier.findIndex((key) => !keysBefore.has(key))
  if (added === -1) return current + 1
  for (const key of earlier) if (keysBefore.has(key)) skipped.add(key)
  return added
}

// Returns the keys of the steps that flags, a file or a draft have answered with a valid value.
export async function findAnsweredSteps(answers: Answers, wizard: Wizard): Promise<Set<string>> {
  const steps = wizard.steps(answers)
  const areAnswered = await Promise.all(steps.map((step) => isAnswered(step, answers, wizard)))
  return new Set(steps.filter((_, index) => areAnswered[index]).map(getStepKey))
}

// A short wizard needs no progress. Later answers may add questions or remove some, so the number is not exact.
function describeProgress(steps: readonly Step[], index: number): string | undefined {
  const countAsked = (list: readonly Step[]) => list.filter(({isSettled}) => !isSettled).length
  const total = countAsked(steps)
  return total < progressMin ? undefined : `question ${countAsked(steps.slice(0, index)) + 1} of about ${total}`
}

const progressMin = 8

// Asks all steps except the skipped ones, which by default are those with a valid answer. Going back also reaches these.
// Throws an `interrupted` error if the user quits.
export async function runWizard(start: Answers, wizard: Wizard, skip?: ReadonlySet<string>): Promise<Answers> {
  let answers = start
  const skipped = new Set(skip ?? (await findAnsweredSteps(start, wizard)))
  const revisited = new Set<string>()
  let heading: string | undefined
  for (let index = 0; ;) {
    const steps = wizard.steps(answers)
    const step = steps[index]
    if (!step) return answers
    const key = getStepKey(step)
    if (skipped.has(key) || (step.isSettled && !revisited.has(key))) {
      index++
      continue
    }
    wizard.keeper?.keep(answers, {key, label: getFullLabel(step)})
    if (step.heading !== undefined && step.heading !== heading) {
      await printHeading(step.heading, describeProgress(steps, index))
    }
    heading = step.heading
    if (isAssumable(step, answers) && !revisited.has(key)) {
      answers = await assumeAnswer(step, answers, wizard)
      index++
      continue
    }
    try {
      answers = await answerStep(step, answers, wizard)
      // After the removal of a list item the next one has the same path, so the same step is asked again.
      const isAskedAgain = isFork(step) && answers.forks[step.fork] === undefined
      if (!isAskedAgain) index = continueAfter(index, steps, wizard.steps(answers), skipped)
    } catch (error) {
      const direction = await handleNavigation(error, answers, wizard)
      if (direction === 'back') index = findPrevious(steps, index)
      const next = steps[index]
      if (!next) continue
      // The line of the earlier answer stays on the screen.
      if (next !== step) printText(`  “${next.label}” is taken back and asked again.`)
      skipped.delete(getStepKey(next))
      revisited.add(getStepKey(next))
    }
  }
}

// Repeats a prompt that belongs to the wizard but to no step, until it is answered.
export async function askUntilAnswered<T>(prompt: () => Promise<T>, answers: Answers, wizard: Wizard): Promise<T> {
  for (;;) {
    try {
      return await prompt()
    } catch (error) {
      await handleNavigation(error, answers, wizard)
    }
  }
}

// Repeats a prompt outside of any wizard, such as the choice of a customer: there is nothing to go back to or to save.
export async function askStandalone<T>(prompt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await prompt()
    } catch (error) {
      if (readNavigation(error) === 'quit') throw interrupted()
    }
  }
}
