// The steps of a kept draft that are not asked again.
import type {DraftPosition} from './draft-store.ts'
import {findAnsweredSteps} from './run-wizard.ts'
import {type Answers, getStepKey, isQuestion} from './steps.ts'
import type {Wizard} from './wizard.ts'

// What was skipped before the question that was left is not asked again; that question is.
export async function findStepsBefore(start: Answers, at: DraftPosition | undefined, wizard: Wizard) {
  const answered = await findAnsweredSteps(start, wizard)
  const steps = wizard.steps(start)
  const left = at ? steps.findIndex((step) => getStepKey(step) === at.key) : steps.length
  for (const step of steps.slice(0, Math.max(0, left))) {
    if (!isQuestion(step) || !step.isRequired) answered.add(getStepKey(step))
  }
  if (at) answered.delete(at.key)
  return answered
}
