// How a plan of rules is shown, as a diff for people and as a table, the question before it is applied, and its outcome.
import {cleanText} from '../../cli/output/clean.ts'
import {type Painter, createPainter} from '../../cli/output/colour.ts'
import {writeErrUncleaned} from '../../cli/output/streams.ts'
import {type View, createColumn, toText} from '../../cli/output/view.ts'
import {interrupted} from '../../errors.ts'
import {countNoun} from '../../values/text.ts'
import {type Difference, isChangeable} from '../rule-configuration.ts'
import type {AppliedRow} from './apply-plan.ts'
import {type Action, type PlanRow, isChange} from './plan.ts'

// A row of a plan, or of its outcome.
type ChangeRow = Partial<PlanRow & AppliedRow>

const onRequest = {shown: 'onRequest'} as const

export const ruleChangeView: View<ChangeRow> = {
  singular: 'change',
  plural: 'changes',
  columns: [
    createColumn('action', 0, {kind: 'status'}),
    createColumn('outcome', 0, {kind: 'status'}),
    createColumn('name', 1, {kind: 'text'}),
    createColumn('id', 2, {kind: 'id'}),
    // On request, because the plan is grouped by customer.
    createColumn('customerId', 3, {short: 'customer', header: 'CUSTOMER', ...onRequest}),
    createColumn('replacedId', 4, {header: 'REPLACED', ...onRequest}),
    createColumn('changes', 5, onRequest),
    createColumn('reason', 6, onRequest),
    createColumn('error', 7, onRequest),
    createColumn('deleted', 8, onRequest),
  ],
}

// In the order in which a summary names them.
const actions: Readonly<Record<Action, {mark: string; label: string}>> = {
  create: {mark: '+', label: 'to create'},
  update: {mark: '~', label: 'to update'},
  replace: {mark: '-/+', label: 'to replace'},
  delete: {mark: '-', label: 'to delete'},
  refused: {mark: '!', label: 'refused'},
  unchanged: {mark: '=', label: 'unchanged'},
}

export function summarizePlan(rows: ReadonlyArray<Pick<PlanRow, 'action'>>): string {
  if (!rows.some(isChange)) return `${countNoun(rows.length, 'rule')}, nothing to change.`
  const parts = Object.entries(actions).flatMap(([action, {label}]) => {
    const count = rows.filter((row) => row.action === action).length
    return count > 0 ? [`${count} ${label}`] : []
  })
  return `Plan: ${parts.join(', ')}.`
}

const toCleanText = (value: unknown) => cleanText(toText(value))

const indent = ' '.repeat(8)

// On one line if it fits, else one value per line. A rule that is created or deleted has each value once.
function renderChange({path, from, to}: Difference, action: Action, width: number): string[] {
  const name = `${indent}${cleanText(path)}`
  if (action === 'create' || action === 'delete') return [`${name}: ${toCleanText(to ?? from)}`]
  const [before, after] = [from, to].map((value) => (value === undefined ? '(none)' : toCleanText(value)))
  const mark = isChangeable(path) ? '' : '  (fixed)'
  const line = `${name}: ${before} → ${after}${mark}`
  return line.length <= width ? [line] : [`${name}${mark}`, `${indent}  - ${before}`, `${indent}  + ${after}`]
}

const markWidth = 3
const actionWidth = 7
const widthDefault = 80

// Shows each change as a diff, and counts all steps in the last line.
export function renderPlan(rows: readonly PlanRow[], painter: Painter, width = widthDefault): string {
  const renderStep = ({action, name, id, changes, reason}: PlanRow) => {
    const shown = `${painter.status(action)}${' '.repeat(actionWidth - action.length)}`
    const mark = actions[action].mark.padEnd(markWidth)
    return [
      `  ${mark} ${shown}  ${painter.bold(toCleanText(name))}${id === undefined ? '' : `  ${painter.dim(toCleanText(id))}`}`,
      ...changes.flatMap((change) => renderChange(change, action, width)),
      ...(reason === undefined ? [] : [`${indent}${painter.alarm('refused:')} ${cleanText(reason)}`]),
    ]
  }
  const groups = Map.groupBy(rows.filter(isChange), ({customerId}) => toCleanText(customerId).toLowerCase())
  const lines = [...groups].flatMap(([customer, own]) => [
    painter.dim(`Customer ${customer}`),
    ...own.flatMap(renderStep),
  ])
  return [...lines, summarizePlan(rows)].map((line) => `${line}\n`).join('')
}

// On standard error, because standard output is for the result.
export async function showPlan(rows: readonly PlanRow[]): Promise<void> {
  writeErrUncleaned(renderPlan(rows, await createPainter(process.stderr), process.stderr.columns))
}

// `where` is such as "on https://… (acme, live)".
export async function confirmPlan(rows: readonly PlanRow[], where: string): Promise<void> {
  const {askYes} = await import('../../cli/prompts/ask.ts')
  const count = rows.filter(isChange).length
  if (!(await askYes(`Make ${count === 1 ? 'this change' : `these ${count} changes`}, ${where}?`))) throw interrupted()
}
