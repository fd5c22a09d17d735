// Divides a form into steps, and says which of them a page shows. The other steps travel along as hidden inputs, so that
// every page posts the whole form.
import {createFinder, type Node} from './fields.ts'
import {toFieldPath} from './form-values.ts'

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
