// How a plan of rules is shown, as a diff for people and as a table, and the outcome of applying it.
import type {Action, PlanStyle} from '../../cli/apply/plan.ts'
import {applyAssignment} from '../../cli/body/assignments.ts'
import type {Body} from '../../values/body-paths.ts'
import {cleanText} from '../../cli/output/clean.ts'
import type {Painter} from '../../cli/output/colour.ts'
import {type View, toText} from '../../cli/output/view.ts'
import {ruleFieldsChangeable} from '../../contract/vocabulary.ts'
import type {LooseRule} from '../../contract/loose.ts'
import {formatDestination, formatDeveloperFee, formatRuleAmount, formatSource, formatTrigger} from '../view.ts'
import type {AppliedRow} from './apply-plan.ts'
import type {PlanRow} from './plan.ts'

const nameWidths = {widthGood: 24, widthMin: 12}

// A row of a plan, or of its outcome.
type ChangeRow = PlanRow | AppliedRow

const getField = (
  row: ChangeRow,
  field: 'changes' | 'deleted' | 'error' | 'loses' | 'outcome' | 'reason' | 'replacedId',
): unknown => new Map<string, unknown>(Object.entries(row)).get(field)

export const ruleChangeView: View<ChangeRow> = {
  singular: 'change',
  plural: 'changes',
  columns: [
    {name: 'action', header: 'ACTION', value: (row) => row.action, rank: 0, colour: 'status'},
    {name: 'outcome', header: 'OUTCOME', value: (row) => getField(row, 'outcome'), rank: 0, colour: 'status'},
    {name: 'name', header: 'NAME', value: (row) => row.name, rank: 1, ...nameWidths},
    {name: 'id', header: 'ID', value: (row) => row.id, rank: 2, isId: true},
    // On request, because the plan is grouped by customer.
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
    {name: 'loses', header: 'FIELDS LOST', value: (row) => getField(row, 'loses'), rank: 8, onRequest: true},
    {name: 'deleted', header: 'DELETED', value: (row) => getField(row, 'deleted'), rank: 9, onRequest: true},
  ],
}

// The summary of a rule that is created or deleted.
const summaryFields: ReadonlyArray<readonly [label: string, value: (rule: LooseRule) => unknown]> = [
  ['amount', formatRuleAmount],
  ['from', formatSource],
  ['to', formatDestination],
  ['fee', formatDeveloperFee],
  ['trigger', formatTrigger],
]
const labelWidth = 9

const isFixed = (path: string) => !ruleFieldsChangeable.some((field) => path.startsWith(`${field}.`))

const toCleanText = (value: unknown) => cleanText(toText(value))

const indent = ' '.repeat(8)

// The changes of a created or deleted rule are all of its fields, so they make up the whole rule.
function rebuildRule({changes}: PlanRow): LooseRule {
  const body: Body = {}
  for (const {path, from, to} of changes) {
    applyAssignment(body, `${path}=`, () => to ?? from)
  }
  return body
}

function renderRuleLines(row: PlanRow): string[] {
  const rule = rebuildRule(row)
  return summaryFields
    .map(([label, value]) => [label, toCleanText(value(rule))] as const)
    .filter(([, text]) => text !== '')
    .map(([label, text]) => `${indent}${label.padEnd(labelWidth)}${text}`)
}

// On one line if it fits, else one value per line.
function renderChangeLines({changes}: PlanRow, width: number): string[] {
  return changes.flatMap(({path, from, to}) => {
    const [before, after] = [from, to].map((value) => (value === undefined ? '(none)' : toCleanText(value)))
    const mark = isFixed(path) ? '  (fixed)' : ''
    const line = `${indent}${cleanText(path)}: ${before} → ${after}${mark}`
    if (line.length <= width) return [line]
    return [`${indent}${cleanText(path)}${mark}`, `${indent}  - ${before}`, `${indent}  + ${after}`]
  })
}

// On one line if they fit, else one field per line.
function renderLossLines({loses}: PlanRow, painter: Painter, width: number): string[] {
  if (!loses) return []
  const fields = loses.map(cleanText)
  const head = `${indent}${painter.alarm('may lose:')}`
  return `${indent}may lose: ${fields.join(', ')}`.length <= width
    ? [`${head} ${fields.join(', ')}`]
    : [head, ...fields.map((field) => `${indent}  ${field}`)]
}

const wholeRuleActions: ReadonlySet<Action> = new Set(['create', 'delete'])

export const rulePlanStyle: PlanStyle<PlanRow> = {
  singular: 'rule',
  plural: 'rules',
  groupBy: ({customerId}) => `Customer ${toCleanText(customerId).toLowerCase()}`,
  markWidth: 3,
  actionWidth: 7,
  renderId: ({id}, painter) => (id === undefined ? '' : `  ${painter.dim(toCleanText(id))}`),
  renderLines: (row, painter, width) => [
    ...(wholeRuleActions.has(row.action) ? renderRuleLines(row) : renderChangeLines(row, width)),
    ...renderLossLines(row, painter, width),
    ...(row.reason === undefined ? [] : [`${indent}${painter.alarm('refused:')} ${cleanText(row.reason)}`]),
  ],
}
