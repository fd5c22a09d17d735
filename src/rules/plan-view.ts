// The plan for a file of rules: as a difference that people read, as a table, and what became of it.
import type {AppliedRow} from './apply.ts'
import type {Action, PlanRow} from './plan.ts'
import {ruleFieldsChangeable} from '../contract/limits.ts'
import {type Body, applyAssignment} from '../cli/body/assignments.ts'
import {cleanText} from '../cli/output/clean.ts'
import type {Painter} from '../cli/output/colour.ts'
import {type View, toText} from '../cli/output/view.ts'
import {amountText, endText, feeText, triggerText} from './view.ts'
import type {Item} from '../cli/output/format-values.ts'

const nameWidths = {widthGood: 24, widthMin: 12}

// A row of a plan, or of what became of it: one has what the other lacks.
export type ChangeRow = PlanRow | AppliedRow

const fieldOf = (
  row: ChangeRow,
  field: 'changes' | 'deleted' | 'error' | 'loses' | 'outcome' | 'reason' | 'replacedId',
): unknown => (row as Partial<PlanRow & AppliedRow>)[field]

export const ruleChangeView: View<ChangeRow> = {
  singular: 'change',
  plural: 'changes',
  columns: [
    {name: 'action', header: 'ACTION', value: (row) => row.action, rank: 0, colour: 'status'},
    {name: 'outcome', header: 'OUTCOME', value: (row) => fieldOf(row, 'outcome'), rank: 0, colour: 'status'},
    {name: 'name', header: 'NAME', value: (row) => row.name, rank: 1, ...nameWidths},
    {name: 'id', header: 'ID', value: (row) => row.id, rank: 2},
    // The plan has said whose they are.
    {
      name: 'customerId',
      short: 'customer',
      header: 'CUSTOMER',
      value: (row) => row.customerId,
      rank: 3,
      onRequest: true,
    },
    {
      name: 'replacedId',
      header: 'REPLACED',
      value: (row) => fieldOf(row, 'replacedId'),
      rank: 4,
      onRequest: true,
    },
    {name: 'changes', header: 'CHANGES', value: (row) => fieldOf(row, 'changes'), rank: 5, onRequest: true},
    {name: 'reason', header: 'REASON', value: (row) => fieldOf(row, 'reason'), rank: 6, onRequest: true},
    {name: 'error', header: 'ERROR', value: (row) => fieldOf(row, 'error'), rank: 7, onRequest: true},
    {name: 'loses', header: 'LOSES', value: (row) => fieldOf(row, 'loses'), rank: 8, onRequest: true},
    {name: 'deleted', header: 'DELETED', value: (row) => fieldOf(row, 'deleted'), rank: 9, onRequest: true},
  ],
}

const marks: Record<Action, string> = {
  create: '+',
  update: '~',
  replace: '-/+',
  delete: '-',
  unchanged: '=',
  refused: '!',
}
const markWidth = 3
const actionWidth = 7

// What is said of a rule that comes or goes, as tables of rules say it.
const briefFields: ReadonlyArray<readonly [label: string, value: (rule: Item) => unknown]> = [
  ['amount', amountText],
  ['from', (rule) => endText(rule, 'source')],
  ['to', (rule) => endText(rule, 'destination')],
  ['fee', feeText],
  ['trigger', triggerText],
]
const labelWidth = 9

const isFixed = (path: string) => !ruleFieldsChangeable.some((field) => path.startsWith(`${field}.`))

const text = (value: unknown) => cleanText(toText(value))

const inner = ' '.repeat(8)

// The rule whose fields all come or all go, from its fields by their paths.
function ruleOf({changes}: PlanRow): Item {
  const body: Body = {}
  for (const {path, from, to} of changes) {
    applyAssignment(body, `${path}=`, () => to ?? from)
  }
  return body
}

function briefLines(row: PlanRow): string[] {
  const rule = ruleOf(row)
  return briefFields
    .map(([label, value]) => [label, text(value(rule))] as const)
    .filter(([, words]) => words !== '')
    .map(([label, words]) => `${inner}${label.padEnd(labelWidth)}${words}`)
}

// On one line where there is room, else one value below the other.
function changeLines({changes}: PlanRow, width: number): string[] {
  return changes.flatMap(({path, from, to}) => {
    const [before, after] = [from, to].map((value) => (value === undefined ? '(none)' : text(value)))
    const mark = isFixed(path) ? '  (fixed)' : ''
    const line = `${inner}${cleanText(path)}: ${before} → ${after}${mark}`
    if (line.length <= width) return [line]
    return [`${inner}${cleanText(path)}${mark}`, `${inner}  - ${before}`, `${inner}  + ${after}`]
  })
}

// What goes without having been named, each on a line of its own where there is no room.
function lossLines({loses}: PlanRow, painter: Painter, width: number): string[] {
  if (!loses) return []
  const fields = loses.map(cleanText)
  const head = `${inner}${painter.alarm('may lose:')}`
  return `${inner}may lose: ${fields.join(', ')}`.length <= width
    ? [`${head} ${fields.join(', ')}`]
    : [head, ...fields.map((field) => `${inner}  ${field}`)]
}

const isWhole: ReadonlySet<Action> = new Set(['create', 'delete'])

function rowLines(row: PlanRow, painter: Painter, width: number): string[] {
  const {action, name, id, reason} = row
  const head = `  ${marks[action].padEnd(markWidth)} ${painter.status(action)}${' '.repeat(actionWidth - action.length)}`
  return [
    `${head}  ${painter.bold(text(name))}${id === undefined ? '' : `  ${painter.dim(text(id))}`}`,
    ...(isWhole.has(action) ? briefLines(row) : changeLines(row, width)),
    ...lossLines(row, painter, width),
    ...(reason === undefined ? [] : [`${inner}${painter.alarm('refused:')} ${cleanText(reason)}`]),
  ]
}

const counted: ReadonlyArray<readonly [Action, string]> = [
  ['create', 'to create'],
  ['update', 'to update'],
  ['replace', 'to replace'],
  ['delete', 'to delete'],
  ['refused', 'refused'],
  ['unchanged', 'unchanged'],
]

export function planSummary(rows: readonly PlanRow[]): string {
  const count = (action: Action) => rows.filter((row) => row.action === action).length
  if (count('unchanged') === rows.length) {
    return `${rows.length} ${rows.length === 1 ? 'rule' : 'rules'}, nothing to change.`
  }
  const parts = counted.filter(([action]) => count(action) > 0).map(([action, words]) => `${count(action)} ${words}`)
  return `Plan: ${parts.join(', ')}.`
}

const widthDefault = 80

// Like a difference of files: what comes, what goes, what changes from what to what, by customer.
export function drawPlan(rows: readonly PlanRow[], painter: Painter, width = widthDefault): string {
  const changed = rows.filter(({action}) => action !== 'unchanged')
  const lines = [...Map.groupBy(changed, ({customerId}) => text(customerId).toLowerCase())].flatMap(
    ([customerId, own]) => [
      painter.dim(`Customer ${cleanText(customerId)}`),
      ...own.flatMap((row) => rowLines(row, painter, width)),
    ],
  )
  return [...lines, planSummary(rows)].map((line) => `${line}\n`).join('')
}
