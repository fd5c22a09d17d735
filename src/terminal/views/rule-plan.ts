// The plan for a file of rules: as a difference that people read, as a table, and what became of it.
import type {AppliedRow} from '../../rules/apply.ts'
import type {Action, PlanRow} from '../../rules/plan.ts'
import {ruleFieldsChangeable} from '../../contract/limits.ts'
import {cleanText} from '../clean.ts'
import type {Painter} from '../colour.ts'
import {type View, textOf} from '../view.ts'

const nameWidths = {widthGood: 24, widthMin: 12}

export const planView: View<PlanRow> = {
  one: 'rule',
  many: 'rules',
  columns: [
    {name: 'action', header: 'ACTION', value: (row) => row.action, rank: 0, painted: 'status'},
    {name: 'name', header: 'NAME', value: (row) => row.name, rank: 1, ...nameWidths},
    {name: 'id', header: 'ID', value: (row) => row.id, rank: 2},
    {name: 'customerId', short: 'customer', header: 'CUSTOMER', value: (row) => row.customerId, rank: 3},
    {name: 'changes', header: 'CHANGES', value: (row) => row.changes, rank: 4, onRequest: true},
    {name: 'reason', header: 'REASON', value: (row) => row.reason, rank: 5, onRequest: true},
  ],
}

export const appliedView: View<AppliedRow> = {
  one: 'change',
  many: 'changes',
  columns: [
    {name: 'action', header: 'ACTION', value: (row) => row.action, rank: 0, painted: 'status'},
    {name: 'outcome', header: 'OUTCOME', value: (row) => row.outcome, rank: 0, painted: 'status'},
    {name: 'name', header: 'NAME', value: (row) => row.name, rank: 1, ...nameWidths},
    {name: 'id', header: 'ID', value: (row) => row.id, rank: 2},
    {name: 'customerId', short: 'customer', header: 'CUSTOMER', value: (row) => row.customerId, rank: 3},
    {name: 'replacedId', header: 'REPLACED', value: (row) => row.replacedId, rank: 4, onRequest: true},
    {name: 'error', header: 'ERROR', value: (row) => row.error?.message, rank: 5, onRequest: true},
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

// What is said of a rule that comes or goes: the few words by which people know it.
const briefFields: ReadonlyArray<readonly [label: string, paths: readonly string[]]> = [
  ['amount', ['transactionTemplate.amount.type', 'transactionTemplate.amount.value']],
  [
    'from',
    [
      'transactionTemplate.source.sourcePaymentAccountId',
      'transactionTemplate.source.sourceCurrency',
      'transactionTemplate.source.sourcePaymentMethod',
    ],
  ],
  [
    'to',
    [
      'transactionTemplate.destination.destinationPaymentAccountId',
      'transactionTemplate.destination.destinationCurrency',
      'transactionTemplate.destination.destinationPaymentMethod',
    ],
  ],
  ['fee', ['transactionTemplate.developerFee.developerFeeAmount', 'transactionTemplate.developerFee.developerFeeType']],
  ['trigger', ['trigger.type', 'trigger.cronSchedule', 'trigger.thresholdAmount']],
]
const labelWidth = 9

const isFixed = (path: string) => !ruleFieldsChangeable.some((field) => path.startsWith(`${field}.`))

const text = (value: unknown) => cleanText(textOf(value))

const inner = ' '.repeat(8)

function briefLines({changes}: PlanRow): string[] {
  const values = new Map(changes.map(({path, from, to}) => [path, to ?? from]))
  return briefFields.flatMap(([label, paths]) => {
    const words = paths.map((path) => text(values.get(path))).filter((word) => word !== '')
    return words.length === 0 ? [] : [`${inner}${label.padEnd(labelWidth)}${words.join(' ')}`]
  })
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

const isWhole: ReadonlySet<Action> = new Set(['create', 'delete'])

function rowLines(row: PlanRow, painter: Painter, width: number): string[] {
  const {action, name, id, reason} = row
  const head = `  ${marks[action].padEnd(markWidth)} ${painter.status(action)}${' '.repeat(actionWidth - action.length)}`
  return [
    `${head}  ${painter.bold(text(name))}${id === undefined ? '' : `  ${painter.dim(text(id))}`}`,
    ...(isWhole.has(action) ? briefLines(row) : changeLines(row, width)),
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
  const lines = [...Map.groupBy(changed, ({customerId}) => String(customerId).toLowerCase())].flatMap(
    ([customerId, own]) => [
      painter.dim(`Customer ${cleanText(customerId)}`),
      ...own.flatMap((row) => rowLines(row, painter, width)),
    ],
  )
  return [...lines, planSummary(rows)].map((line) => `${line}\n`).join('')
}
