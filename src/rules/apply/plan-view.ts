// Shows a plan as a diff for people and as a table, and the outcome of applying it.
import {applyAssignment} from '../../cli/body/assignments.ts'
import type {Body} from '../../values/body-paths.ts'
import {type ExitNotice, withExitNotice} from '../../cli/exit.ts'
import {cleanText} from '../../cli/output/clean.ts'
import {type Painter, createPainter} from '../../cli/output/colour.ts'
import {type View, summarizeActions, toText} from '../../cli/output/view.ts'
import {writeErrUncleaned} from '../../cli/output/streams.ts'
import {askYes} from '../../cli/prompts/ask.ts'
import {ruleFieldsChangeable} from '../../contract/vocabulary.ts'
import type {LooseRule} from '../../contract/loose.ts'
import {interrupted} from '../../errors.ts'
import {formatDestination, formatDeveloperFee, formatRuleAmount, formatSource, formatTrigger} from '../view.ts'
import type {AppliedRow} from './apply-plan.ts'
import {type Action, type PlanRow, type PlanStep, toPlanRow} from './plan.ts'

const nameWidths = {widthGood: 24, widthMin: 12}

// A row of a plan, or of its outcome.
type ChangeRow = PlanRow | AppliedRow

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

export const summarizePlan = (rows: readonly PlanRow[]): string =>
  summarizeActions(rows, {labels: actionLabels, singular: 'rule', plural: 'rules'})

const widthDefault = 80

// A diff grouped by customer.
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

// Shows a plan, asks for one confirmation of all of it, and prints a notice if applying it is interrupted.

// On standard error, because standard output is for the result.
export async function showPlan(steps: readonly PlanStep[]): Promise<void> {
  const painter = await createPainter(process.stderr)
  writeErrUncleaned(renderPlan(steps.map(toPlanRow), painter, process.stderr.columns))
}

export async function confirmPlan(steps: readonly PlanStep[], where: string): Promise<void> {
  const deletions = steps.filter(({action}) => action === 'delete').length
  const question = deletions > 0 ? `Apply this plan, which deletes ${deletions}, on` : 'Apply this plan on'
  if (!(await askYes(`${question} ${where}?`))) throw interrupted()
}

const interruptionNotice: ExitNotice = {
  message: 'Interrupted; some changes may have been made',
  hint: 'Run the command again: it does only what remains to be done',
}

export const withInterruptionNotice = <T>(work: Promise<T>): Promise<T> =>
  withExitNotice(() => interruptionNotice, work)
