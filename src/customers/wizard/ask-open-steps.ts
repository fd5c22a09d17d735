// Asks the steps of a wizard that flags, files and a draft leave open.
import {rejectProblems} from '../../cli/body/reject-problems.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {getValue} from '../../cli/wizard/body-paths.ts'
import type {DraftPosition} from '../../cli/wizard/draft-store.ts'
import {findStepsBefore} from '../../cli/wizard/find-steps-before.ts'
import {findAnsweredSteps, runWizard} from '../../cli/wizard/run-wizard.ts'
import {type Answers, type Step, getStepKey, isFork, isQuestion} from '../../cli/wizard/steps.ts'
import type {ReviewedWizard} from '../../cli/wizard/wizard.ts'

// Rejects problems that no question can fix, such as a field that the contract does not have.
function rejectUnfixable(answers: Answers, {steps, validate, mask}: ReviewedWizard): void {
  const keys = steps(answers).map(getStepKey)
  const isFixable = (path: string) => keys.some((key) => path === key || path.startsWith(`${key}[`))
  const unfixable = validate(answers.body).filter(({path, isWarning}) => !isWarning && !isFixable(path))
  rejectProblems(unfixable, mask?.(answers.body) ?? {})
}

const isOptional = (step: Step) => (isQuestion(step) ? !step.isRequired : !isFork(step) || !step.isAlwaysAsked)

// Optional steps before the last answer of a draft were skipped on purpose.
function findSkippedSteps(draft: Body, {steps}: ReviewedWizard): string[] {
  const all = steps({body: draft, forks: {}})
  const last = all.findLastIndex((step) => isQuestion(step) && getValue(draft, step.path) !== undefined)
  return all.filter((step, index) => index < last && isOptional(step)).map(getStepKey)
}

interface Continued {
  // The answers of a draft in a file.
  draft?: Body | undefined
  // A draft that was kept, with the question that was left; undefined is the review.
  kept?: {at: DraftPosition | undefined} | undefined
}

export async function askOpenSteps(
  start: Answers,
  wizard: ReviewedWizard,
  {draft, kept}: Continued = {},
): Promise<Answers> {
  rejectUnfixable(start, wizard)
  if (kept) return runWizard(start, wizard, await findStepsBefore(start, kept.at, wizard))
  const skipped = await findAnsweredSteps(start, wizard)
  for (const key of draft ? findSkippedSteps(draft, wizard) : []) skipped.add(key)
  return runWizard(start, wizard, skipped)
}
