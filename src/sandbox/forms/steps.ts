// Divides a form into steps, moves between them, and finds everything that is wrong at once. The steps that a page does not show
// travel along as hidden inputs, so that every page posts the whole form.
import type {Problem} from '../../contract/problems.ts'
import {getSampleUri} from '../../values/documents.ts'
import {validateBody} from '../../values/validate-body.ts'
import type {RequestContext} from '../service/request-context.ts'
import {type Field, type Node, createFinder, isApplicable} from '../../forms/fields.ts'
import {
  dropBlankItems,
  readDraftVersion,
  readEarlierValues,
  readPostedValues,
  storeDraft,
  toBody,
} from './form-submission.ts'
import {type FormValues, addFirstItems, getTextBeside, isBlank, listItems, toFieldPath} from './form-values.ts'
import type {OpenedForm} from './hosted-form.ts'
import type {PostedForm} from './posted-form.ts'

export interface Step {
  title: string
  node: Node
  has: (path: string) => boolean
}

// One step at a time, some of them to correct at once, or all of them. Steps are counted from 0.
export type StepView = {is: 'step'; index: number} | {is: 'fix'; indexes: readonly number[]} | {is: 'all'}

// A form with fewer parts fits on one page.
const stepsMin = 3

export function listSteps(nodes: readonly Node[]): Step[] {
  if (nodes.length < stepsMin) return []
  return nodes.map((node) => {
    const find = createFinder([node])
    return {title: node.is === 'field' ? node.label : node.title, node, has: (path) => find(path) !== undefined}
  })
}

// The step that has a field, or an item of a list.
export const findStep = (steps: readonly Step[], path: string): number =>
  steps.findIndex(({has}) => has(path) || has(path.replace(/\[\d+\]$/, '')))

const fixPrefix = 'fix:'

export function formatStepView(view: StepView): string {
  if (view.is === 'all') return 'all'
  return view.is === 'step' ? String(view.index + 1) : fixPrefix + view.indexes.map((index) => index + 1).join(',')
}

function parseNumbers(text: string, count: number): number[] {
  const numbers = text.split(',').map((each) => (/^\d{1,3}$/.test(each) ? Number(each) - 1 : -1))
  return [...new Set(numbers.filter((index) => index >= 0 && index < count))]
}

// Returns undefined for a text that names no step of the form.
export function parseStepView(text: string, steps: readonly Step[]): StepView | undefined {
  if (steps.length === 0 || text === 'all') return {is: 'all'}
  const isFix = text.startsWith(fixPrefix)
  const indexes = parseNumbers(isFix ? text.slice(fixPrefix.length) : text, steps.length)
  const [index] = indexes
  if (index === undefined) return undefined
  return isFix ? {is: 'fix', indexes} : {is: 'step', index}
}

export function isShown(view: StepView, index: number): boolean {
  if (view.is === 'all') return true
  return view.is === 'step' ? view.index === index : view.indexes.includes(index)
}

// The steps that have something at one of these paths; all of them if one of the paths is in none.
export function showStepsWith(steps: readonly Step[], paths: readonly (string | undefined)[]): StepView {
  const found = paths.map((path) => (path === undefined ? -1 : findStep(steps, path)))
  const indexes = [...new Set(found)].toSorted((a, b) => a - b)
  return steps.length === 0 || indexes.length === 0 || indexes.includes(-1) ? {is: 'all'} : {is: 'fix', indexes}
}

// Whether a field or an upload belongs to a step that the page does not show.
export const isHiddenName = (name: string, steps: readonly Step[], view: StepView): boolean => {
  const index = findStep(steps, toFieldPath(name))
  return index !== -1 && !isShown(view, index)
}

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

// A step is complete if something is entered in it, nothing of it is missing or wrong, and what verification asked to correct was
// changed. An optional one may stay blank.
export type StepState = 'complete' | 'optional' | 'open'

// Files were examined when they came, and take long to examine again. A sample stands for each that was sound.
const replaceSoundFiles = ({texts, files}: FormValues): FormValues => ({
  texts,
  files: new Map(
    [...files].map(([path, file]) => [path, file.problem === undefined ? {...file, toDataUri: getSampleUri} : file]),
  ),
})

export function assessSteps(
  context: RequestContext,
  form: OpenedForm,
  entered: FormValues,
  corrections: Iterable<string>,
): StepState[] {
  const steps = listSteps(form.nodes)
  if (steps.length === 0) return []
  const values = dropBlankItems(entered, form)
  const missing = findMissingFields(form.nodes, addFirstItems(values, form.nodes))
  const problems = [...missing, ...findFormProblems(context, form, replaceSoundFiles(values), new Map())]
  const earlier = readEarlierValues(form)
  const unchanged = [...corrections].filter((path) => describeValue(entered, path) === describeValue(earlier, path))
  const open = new Set([...problems.map(({path}) => path), ...unchanged].map((path) => findStep(steps, path)))
  return steps.map(({node}, index) => (open.has(index) ? 'open' : isBlank(values, [node]) ? 'optional' : 'complete'))
}

const describeValue = ({texts, files}: FormValues, path: string) =>
  JSON.stringify([texts.get(path) ?? [], files.get(path)?.reference])

interface Move {
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

// Stores what a page saves in the background, unless the user has gone on since: it is older then than what is stored, although it
// came later. Says whether it was stored.
export function saveInBackground(
  context: RequestContext,
  formToken: string,
  form: OpenedForm,
  posted: PostedForm,
): boolean {
  if (posted.version !== readDraftVersion(context, formToken, form)) return false
  const view = parseStepView(posted.step, listSteps(form.nodes))
  const values = readPostedValues(context, formToken, form, posted, true)
  storeDraft(context, formToken, form, values, view ? formatStepView(view) : 'all', true)
  return true
}

const firstStep: StepView = {is: 'step', index: 0}

interface ViewChoice {
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

// A field that does not apply, such as one of another kind of document, is not shown.
const isShownField = (field: Field, values: FormValues) => isApplicable(field, getTextBeside(values, field))

const isMissing = (field: Field, values: FormValues) =>
  field.isRequired &&
  isShownField(field, values) &&
  !values.files.has(field.path) &&
  (values.texts.get(field.path) ?? []).every((text) => text.trim() === '')

// Required fields without a value. A blank item of a list is left out when the form is sent, unless it is the only one.
function findMissingFields(nodes: readonly Node[], values: FormValues): Problem[] {
  return nodes.flatMap((node): Problem[] => {
    if (node.is === 'section') return findMissingFields(node.nodes, values)
    if (node.is === 'field') {
      return isMissing(node, values) ? [{path: node.path, kind: 'missing', message: 'is required'}] : []
    }
    const [first = `${node.path}[0]`, ...others] = listItems(values, node.path)
    return [first, ...others]
      .map(node.createNodes)
      .flatMap((inner) => (others.length > 0 && isBlank(values, inner) ? [] : findMissingFields(inner, values)))
  })
}

// What the contract and the service's own checks find.
function findFormProblems(
  context: RequestContext,
  opened: OpenedForm,
  values: FormValues,
  unknown: ReadonlyMap<string, string>,
): Problem[] {
  const body = toBody(values, opened, unknown)
  const {problems, validPart} = validateBody(opened.schema, body)
  return [...problems, ...(opened.check?.(context, validPart) ?? [])]
}

// The paths of all fields, lists and items, in the order in which the form shows them.
function listPaths(nodes: readonly Node[], values: FormValues): string[] {
  return nodes.flatMap((node): string[] => {
    if (node.is === 'section') return listPaths(node.nodes, values)
    if (node.is === 'field') return [node.path]
    return [
      node.path,
      ...listItems(values, node.path).flatMap((item) => [item, ...listPaths(node.createNodes(item), values)]),
    ]
  })
}

// The first problem of each field, in the order of the form.
function sortByFormOrder(problems: readonly Problem[], nodes: readonly Node[], values: FormValues): Problem[] {
  const positions = new Map(listPaths(nodes, values).map((path, index) => [path, index]))
  const getPosition = ({path}: Problem) => positions.get(path) ?? positions.size
  const firstByPath = new Map(problems.toReversed().map((problem) => [problem.path, problem]))
  return problems
    .filter((problem) => firstByPath.get(problem.path) === problem)
    .toSorted((a, b) => getPosition(a) - getPosition(b))
}
