// The plan for a file of rules: as a difference that people read, as a table, and what became of it.
import type {AppliedRow} from './apply-plan.ts'
import type {Action, PlanRow} from './plan.ts'
import {ruleFieldsChangeable} from '../../contract/limits.ts'
import {type Body, applyAssignment} from '../../cli/body/assignments.ts'
import {cleanText} from '../../cli/output/clean.ts'
import type {Painter} from '../../cli/output/colour.ts'
import {type View, toText} from '../../cli/output/view.ts'
import {formatRuleAmount, formatEnd, formatDeveloperFee, formatTrigger} from '../view.ts'
import type {Item} from '../../cli/output/format-values.ts'

const nameWidths = {widthGood: 24, widthMin: 12}

// A row of a plan, or of what became of it: one has what the other lacks.
export type ChangeRow = PlanRow | AppliedRow

const getField = (
  row: ChangeRow,
  field: 'changes' | 'deleted' | 'error' | 'loses' | 'outcome' | 'reason' | 'replacedId',
): unknown => (row as Partial<PlanRow & AppliedRow>)[field]

export const ruleChangeView: View<ChangeRow> = {
  singular: 'change',
  plural: 'changes',
  columns: [
    {name: 'action', header: 'ACTION', value: (row) => row.action, rank: 0, colour: 'status'},
    {name: 'outcome', header: 'OUTCOME', value: (row) => getField(row, 'outcome'), rank: 0, colour: 'status'},
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
      value: (row) => getField(row, 'replacedId'),
      rank: 4,
      onRequest: true,
    },
    {name: 'changes', header: 'CHANGES', value: (row) => getField(row, 'changes'), rank: 5, onRequest: true},
    {name: 'reason', header: 'REASON', value: (row) => getField(row, 'reason'), rank: 6, onRequest: true},
    {name: 'error', header: 'ERROR', value: (row) => getField(row, 'error'), rank: 7, onRequest: true},
    {name: 'loses', header: 'LOSES', value: (row) => getField(row, 'loses'), rank: 8, onRequest: true},
    {name: 'deleted', header: 'DELETED', value: (row) => getField(row, 'deleted'), rank: 9, onRequest: true},
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
  ['amount', formatRuleAmount],
  ['from', (rule) => formatEnd(rule, 'source')],
  ['to', (rule) => formatEnd(rule, 'destination')],
  ['fee', formatDeveloperFee],
  ['trigger', formatTrigger],
]
const labelWidth = 9

const isFixed = (path: string) => !ruleFieldsChangeable.some((field) => path.startsWith(`${field}.`))

const toCleanText = (value: unknown) => cleanText(toText(value))

const indent = ' '.repeat(8)

// The rule whose fields all come or all go, from its fields by their paths.
function rebuildRule({changes}: PlanRow): Item {
  const body: Body = {}
  for (const {path, from, to} of changes) {
    applyAssignment(body, `${path}=`, () => to ?? from)
  }
  return body
}

function renderRuleLines(row: PlanRow): string[] {
  const rule = rebuildRule(row)
  return briefFields
    .map(([label, value]) => [label, toCleanText(value(rule))] as const)
    .filter(([, words]) => words !== '')
    .map(([label, words]) => `${indent}${label.padEnd(labelWidth)}${words}`)
}

// On one line where there is room, else one value below the other.
function renderChangeLines({changes}: PlanRow, width: number): string[] {
  return changes.flatMap(({path, from, to}) => {
    const [before, after] = [from, to].map((value) => (value === undefined ? '(none)' : toCleanText(value)))
    const mark = isFixed(path) ? '  (fixed)' : ''
    const line = `${indent}${cleanText(path)}: ${before} → ${after}${mark}`
    if (line.length <= width) return [line]
    return [`${indent}${cleanText(path)}${mark}`, `${indent}  - ${before}`, `${indent}  + ${after}`]
  })
}

// What goes without having been named, each on a line of its own where there is no room.
function renderLossLines({loses}: PlanRow, painter: Painter, width: number): string[] {
  if (!loses) return []
  const fields = loses.map(cleanText)
  const head = `${indent}${painter.alarm('may lose:')}`
  return `${indent}may lose: ${fields.join(', ')}`.length <= width
    ? [`${head} ${fields.join(', ')}`]
    : [head, ...fields.map((field) => `${indent}  ${field}`)]
}

const wholeRuleActions: ReadonlySet<Action> = new Set(['create', 'delete'])

function renderRowLines(row: PlanRow, painter: Painter, width: number): string[] {
  const {action, name, id, reason} = row
  const head = `  ${marks[action].padEnd(markWidth)} ${painter.status(action)}${' '.repeat(actionWidth - action.length)}`
  return [
    `${head}  ${painter.bold(toCleanText(name))}${id === undefined ? '' : `  ${painter.dim(toCleanText(id))}`}`,
    ...(wholeRuleActions.has(action) ? renderRuleLines(row) : renderChangeLines(row, width)),
    ...renderLossLines(row, painter, width),
    ...(reason === undefined ? [] : [`${indent}${painter.alarm('refused:')} ${cleanText(reason)}`]),
  ]
}

const actionLabels: ReadonlyArray<readonly [Action, string]> = [
  ['create', 'to create'],
  ['update', 'to update'],
  ['replace', 'to replace'],
  ['delete', 'to delete'],
  ['refused', 'refused'],
  ['unchanged', 'unchanged'],
]

export function summarizePlan(rows: readonly PlanRow[]): string {
  const count = (action: Action) => rows.filter((row) => row.action === action).length
  if (count('unchanged') === rows.length) {
    return `${rows.length} ${rows.length === 1 ? 'rule' : 'rules'}, nothing to change.`
  }
  const parts = actionLabels
    .filter(([action]) => count(action) > 0)
    .map(([action, words]) => `${count(action)} ${words}`)
  return `Plan: ${parts.join(', ')}.`
}

const widthDefault = 80

// Like a difference of files: what comes, what goes, what changes from what to what, by customer.
export function renderPlan(rows: readonly PlanRow[], painter: Painter, width = widthDefault): string {
  const changed = rows.filter(({action}) => action !== 'unchanged')
  const lines = [...Map.groupBy(changed, ({customerId}) => toCleanText(customerId).toLowerCase())].flatMap(
    ([customerId, own]) => [
      painter.dim(`Customer ${cleanText(customerId)}`),
      ...own.flatMap((row) => renderRowLines(row, painter, width)),
    ],
  )
  return [...lines, summarizePlan(rows)].map((line) => `${line}\n`).join('')
}
