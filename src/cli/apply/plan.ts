// A plan of what must change so that the things that exist match a file: what is shown of it, and the question before it is applied.
import {interrupted} from '../../errors.ts'
import {cleanText} from '../output/clean.ts'
import {type Painter, createPainter} from '../output/colour.ts'
import {writeErrUncleaned} from '../output/streams.ts'
import {toText} from '../output/view.ts'
import {capitalize} from '../../values/text.ts'

// In the order in which a summary names them. A step that is replaced deletes a thing and creates it anew; one that is refused fails
// the whole plan.
const labels = {
  create: 'to create',
  update: 'to update',
  replace: 'to replace',
  delete: 'to delete',
  refused: 'refused',
  unchanged: 'unchanged',
} as const
export type Action = keyof typeof labels

const marks: Record<Action, string> = {
  create: '+',
  update: '~',
  replace: '-/+',
  delete: '-',
  unchanged: '=',
  refused: '!',
}

export interface PlannedStep {
  action: Action
  name: string
}

// How the steps of one kind of thing are shown.
export interface PlanStyle<Row extends PlannedStep> {
  singular: string
  plural: string
  // Rows under one heading, such as those of a customer.
  groupBy?: (row: Row) => string
  // Marks and actions of this width, where plans have some that are longer than others.
  markWidth: number
  actionWidth: number
  // What follows the name on the first line of a step, and the lines below it.
  renderId?: (row: Row, painter: Painter) => string
  renderLines: (row: Row, painter: Painter, width: number) => string[]
}

export const isChange = ({action}: Pick<PlannedStep, 'action'>) => action !== 'unchanged'

export function summarizePlan(
  rows: readonly PlannedStep[],
  {singular, plural}: Pick<PlanStyle<never>, 'singular' | 'plural'>,
): string {
  if (!rows.some(isChange)) return `${rows.length} ${rows.length === 1 ? singular : plural}, nothing to change.`
  const parts = Object.entries(labels).flatMap(([action, label]) => {
    const count = rows.filter((row) => row.action === action).length
    return count > 0 ? [`${count} ${label}`] : []
  })
  return `Plan: ${parts.join(', ')}.`
}

const widthDefault = 80

// Shows each change as a diff, and counts all steps in the last line.
export function renderPlan<Row extends PlannedStep>(
  rows: readonly Row[],
  style: PlanStyle<Row>,
  painter: Painter,
  width = widthDefault,
): string {
  const renderStep = (row: Row) => {
    const mark = marks[row.action].padEnd(style.markWidth)
    const action = `${painter.status(row.action)}${' '.repeat(Math.max(0, style.actionWidth - row.action.length))}`
    const name = `${painter.bold(cleanText(toText(row.name)))}${style.renderId?.(row, painter) ?? ''}`
    return [`  ${mark} ${action}  ${name}`, ...style.renderLines(row, painter, width)]
  }
  const groups = Map.groupBy(rows.filter(isChange), (row) => style.groupBy?.(row) ?? '')
  const lines = [...groups].flatMap(([heading, own]) => [
    ...(style.groupBy ? [painter.dim(cleanText(heading))] : []),
    ...own.flatMap(renderStep),
  ])
  return [...lines, summarizePlan(rows, style)].map((line) => `${line}\n`).join('')
}

// On standard error, because standard output is for the result.
export async function showPlan<Row extends PlannedStep>(rows: readonly Row[], style: PlanStyle<Row>): Promise<void> {
  writeErrUncleaned(renderPlan(rows, style, await createPainter(process.stderr), process.stderr.columns))
}

const verbs = {create: 'create', update: 'change', replace: 'replace', delete: 'delete'} as const

// Such as: Create the rule “Sweep” and delete 2 rules, on https://… (acme, live)?
function buildQuestion(
  steps: readonly PlannedStep[],
  {singular, plural}: Pick<PlanStyle<never>, 'singular' | 'plural'>,
  where: string,
): string {
  const parts = Object.entries(verbs).flatMap(([action, verb]) => {
    const [first, ...others] = steps.filter((step) => step.action === action)
    if (!first) return []
    return [others.length === 0 ? `${verb} the ${singular} “${first.name}”` : `${verb} ${others.length + 1} ${plural}`]
  })
  return `${capitalize(new Intl.ListFormat('en-GB').format(parts))}, ${where}?`
}

// `where` is such as "on https://… (acme, live)".
export async function confirmPlan(
  steps: readonly PlannedStep[],
  style: Pick<PlanStyle<never>, 'singular' | 'plural'>,
  where: string,
  stopped?: string,
): Promise<void> {
  const {askYes} = await import('../prompts/ask.ts')
  if (!(await askYes(buildQuestion(steps, style, where)))) throw interrupted(stopped)
}
