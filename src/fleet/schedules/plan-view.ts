// How a plan of schedules is shown, as a diff for people and as a table, and the outcome of applying it.
import type {Action, PlanStyle} from '../../cli/apply/plan.ts'
import {cleanText} from '../../cli/output/clean.ts'
import type {View} from '../../cli/output/view.ts'
import type {AppliedRow} from './apply-plan.ts'
import type {Change, PlanRow} from './plan.ts'

// A row of a plan, or of its outcome.
export type ChangeRow = PlanRow | AppliedRow

export const scheduleChangeView: View<ChangeRow> = {
  singular: 'change',
  plural: 'changes',
  columns: [
    {name: 'action', header: 'ACTION', value: ({action}) => action, rank: 0, colour: 'status'},
    {
      name: 'outcome',
      header: 'OUTCOME',
      value: (row) => ('outcome' in row ? row.outcome : undefined),
      rank: 0,
      colour: 'status',
    },
    {name: 'name', header: 'NAME', value: ({name}) => name, rank: 1, widthGood: 24, widthMin: 12},
    {
      name: 'changes',
      header: 'CHANGES',
      value: (row) => ('changes' in row ? row.changes : undefined),
      rank: 2,
      onRequest: true,
    },
    {
      name: 'nextSlots',
      header: 'NEXT',
      value: (row) => ('nextSlots' in row ? row.nextSlots : undefined),
      rank: 3,
      onRequest: true,
    },
  ],
}

const indent = ' '.repeat(6)
const labelWidth = 17

// On one line if it fits, else one value per line.
function renderChange(action: Action, {field, from, to}: Change, width: number): string[] {
  const label = `${indent}${cleanText(field).padEnd(labelWidth)}`
  if (action !== 'update') return [`${label}${cleanText(to ?? from ?? '')}`]
  if (from === undefined && field === 'rows') return [`${label}${cleanText(to ?? '')}`]
  const [before, after] = [from ?? '(none)', to ?? '(none)'].map(cleanText)
  const line = `${label}${before} → ${after}`
  return line.length <= width ? [line] : [`${label}${before}`, `${indent}${'→'.padStart(labelWidth - 1)} ${after}`]
}

export const schedulePlanStyle: PlanStyle<PlanRow> = {
  singular: 'schedule',
  plural: 'schedules',
  markWidth: 1,
  actionWidth: 0,
  renderLines: ({action, changes, nextSlots}, _, width) => [
    ...changes.flatMap((change) => renderChange(action, change, width)),
    ...(nextSlots.length > 0 ? [`${indent}${'next'.padEnd(labelWidth)}${nextSlots.join(', ')}`] : []),
  ],
}
