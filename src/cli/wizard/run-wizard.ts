// Runs a wizard: asks its steps in order, goes back on request, and collects the answers.
import {interrupted} from '../../errors.ts'
import {askStep, isAnswered} from './ask-step.ts'
import {handleNavigation} from './handle-navigation.ts'
import {readNavigation} from './navigation.ts'
import {printHeading} from './print.ts'
import {getFullLabel} from './render-answers.ts'
import {recordAnswer, recordForkAnswer} from './record-answer.ts'
import {type Answers, type Step, getStepKey, isFork} from './steps.ts'
import type {Wizard} from './wizard.ts'

// Asks one step and returns the answers with it.
export async function answerStep(step: Step, answers: Answers, wizard: Wizard): Promise<Answers> {
  const value = await askStep(step, answers, wizard)
  return isFork(step)
    ? recordForkAnswer(step, value === true, answers, wizard)
    : recordAnswer(step, value, answers, wizard)
}

// Returns the keys of the steps that flags, a file or a draft have answered with a valid value.
export async function findAnsweredSteps(answers: Answers, wizard: Wizard): Promise<Set<string>> {
  const steps = wizard.steps(answers)
  const areAnswered = await Promise.all(steps.map((step) => isAnswered(step, answers, wizard)))
  return new Set(steps.filter((_, index) => areAnswered[index]).map(getStepKey))
}

// Asks all steps except the skipped ones, which by default are those with a valid answer. Going back also reaches these.
// Throws an `interrupted` error if the user quits.
export async function runWizard(start: Answers, wizard: Wizard, skip?: ReadonlySet<string>): Promise<Answers> {
  let answers = start
  const skipped = new Set(skip ?? (await findAnsweredSteps(start, wizard)))
  let heading: string | undefined
  for (let index = 0; ;) {
    const steps = wizard.steps(answers)
    const step = steps[index]
    if (!step) return answers
    if (skipped.has(getStepKey(step))) {
      index++
      continue
    }
    wizard.keeper?.keep(answers, {key: getStepKey(step), label: getFullLabel(step)})
    if (step.heading !== undefined && step.heading !== heading) await printHeading(step.heading)
    heading = step.heading
    try {
      answers = await answerStep(step, answers, wizard)
      // After the removal of a list item the next one has the same path, so the same step is asked again.
      const isAskedAgain = isFork(step) && answers.forks[step.fork] === undefined
      if (!isAskedAgain) index++
    } catch (error) {
      const direction = await handleNavigation(error, answers, wizard)
      if (direction === 'back') index = Math.max(0, index - 1)
      const next = steps[index]
      if (next) skipped.delete(getStepKey(next))
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
