// Moves between the steps of a form: saves what was entered, checks a step before the next one, and chooses what to show.
import type {Problem} from '../../contract/problems.ts'
import type {RequestContext} from '../service/request-context.ts'
import {storeDraft} from './drafts.ts'
import {findFormProblems, findMissingFields, sortByFormOrder} from './form-problems.ts'
import {dropBlankItems, readPostedValues} from './form-submission.ts'
import {addFirstItems, type FormValues} from './form-values.ts'
import type {OpenedForm} from './hosted-form.ts'
import type {PostedForm} from './posted-form.ts'
import {findStep, formatStepView, listSteps, parseStepView, showStepsWith, type Step, type StepView} from './steps.ts'

// `values` are without blank items. A form that is not in steps is checked as a request is: nothing is required.
export function findAllProblems(
  context: RequestContext,
  form: OpenedForm,
  values: FormValues,
  posted: Pick<PostedForm, 'step' | 'unknown'>,
): Problem[] {
  const steps = listSteps(form.nodes)
  const isComplete = posted.step === '' || posted.step === 'all' || steps.length === 0
  const withFirstItems = addFirstItems(values, form.nodes)
  const missing = isComplete ? [] : findMissingFields(form.nodes, withFirstItems)
  const problems = [...missing, ...findFormProblems(context, form, values, posted.unknown)]
  return sortByFormOrder(problems, form.nodes, withFirstItems)
}

export interface Move {
  // The step to show next.
  target: string
  isSaved: boolean
  // Why the next step cannot be shown yet.
  problems: readonly Problem[]
}

// Saves what was posted. The next step needs the current one to be right; going back does not.
export function saveAndMove(context: RequestContext, formToken: string, form: OpenedForm, posted: PostedForm): Move {
  const {name, path} = posted.action
  const values = readPostedValues(context, formToken, form, posted, true)
  const steps = listSteps(form.nodes)
  const view = parseStepView(posted.step, steps)
  const isInStep = ({path: field}: Problem) => view?.is === 'step' && findStep(steps, field) === view.index
  const problems =
    name === 'next' ? findAllProblems(context, form, dropBlankItems(values, form), posted).filter(isInStep) : []
  const isStaying = name === 'save' || problems.length > 0
  const target = isStaying ? (view ? formatStepView(view) : 'all') : path
  storeDraft(context, formToken, form, values, target)
  return {target, isSaved: name === 'save', problems}
}

const firstStep: StepView = {is: 'step', index: 0}

export interface ViewChoice {
  steps: readonly Step[]
  // What the address of the page asks for.
  requested: string | null
  // The step of a saved form.
  saved: string | undefined
  // The fields that verification asks to correct.
  corrections: readonly (string | undefined)[]
}

// What to show of a form that is opened: what was asked for, where the user stopped, what is to be corrected, or the
// beginning.
export function chooseView({steps, requested, saved, corrections}: ViewChoice): StepView {
  const wanted = parseStepView(requested ?? saved ?? '', steps)
  if (wanted) return wanted
  return corrections.length > 0 ? showStepsWith(steps, corrections) : firstStep
}
