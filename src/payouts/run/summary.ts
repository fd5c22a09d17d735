// The summary at the end of a run: rows that need attention, and totals by currency.
import type {Painter} from '../../cli/output/colour.ts'
import {readCode} from '../../contract/loose.ts'
import {renderFailures} from './view.ts'
import type {PayoutResult, RowState} from './result.ts'
import {type Total, computeTotals} from './totals.ts'

const isCompleted = ({state, status}: PayoutResult) => state === 'CREATED' && readCode(status) === 'COMPLETED'

const groups: ReadonlyArray<readonly [label: string, states: readonly RowState[]]> = [
  ['Made', ['CREATED']],
  ['Ready', ['READY']],
  ['Not ready', ['NOT_READY']],
  ['Ended badly', ['ENDED_BADLY']],
  ['Failed', ['STOPPED', 'REJECTED', 'FAILED']],
  ['Unknown', ['UNKNOWN']],
  ['In progress', ['IN_PROGRESS']],
  ['Not tried', ['NOT_TRIED']],
]
const labelWidth = 13
const countWidth = 11

const formatCount = (count: number) => `${count} ${count === 1 ? 'row' : 'rows'}`

const isNonZero = (amount: string) => /[1-9]/.test(amount)

function formatTotal({currency, amount, fee}: Total): string {
  return isNonZero(fee) ? `${amount} ${currency}, fees ${fee} ${currency}` : `${amount} ${currency}`
}

function renderGroup(label: string, rows: readonly PayoutResult[]): string[] {
  if (rows.length === 0) return []
  const {leaving, arriving} = computeTotals(rows)
  const madeBefore = rows.filter((row) => row.madeBefore).length
  const head = `${label.padEnd(labelWidth)}${formatCount(rows.length).padEnd(countWidth)}`
  const indent = ' '.repeat(labelWidth + countWidth)
  const received = arriving.map(({amount, currency}) => `${amount} ${currency}`).join(', ')
  return [
    ...leaving.map((total, index) => `${index === 0 ? head : indent}${formatTotal(total)}`),
    ...(received === '' ? [] : [`${indent}received ${received}`]),
    ...(madeBefore === 0
      ? []
      : [`${indent}${madeBefore === rows.length ? '' : `${madeBefore} of them `}before this run`]),
  ]
}

const wasMadeNow = ({state, madeBefore}: PayoutResult) => transactionStates.has(state) && !madeBefore
const mayBePaid = (row: PayoutResult) => wasMadeNow(row) || row.state === 'UNKNOWN' || row.state === 'IN_PROGRESS'
const transactionStates: ReadonlySet<RowState> = new Set(['CREATED', 'ENDED_BADLY'])

// The sums of payments that were made before would read as if they had been paid now.
const renderNothingPaid = (rows: readonly PayoutResult[]): string[] =>
  rows.some(({madeBefore}) => madeBefore) && !rows.some(mayBePaid) ? ['Nothing was paid in this run.'] : []

// With --wait, what has arrived is told apart from what was made and is still under way.
function renderMade(rows: readonly PayoutResult[]): string[] {
  const made = rows.filter(({state}) => state === 'CREATED')
  return [
    ...renderGroup('Completed', made.filter(isCompleted)),
    ...renderGroup(
      'Not ended',
      made.filter((row) => !isCompleted(row)),
    ),
  ]
}

export const renderAwaitedSummary: typeof renderSummary = (rows, painter, width) =>
  renderSummary(rows, painter, width, true)

export const renderSummary = (
  rows: readonly PayoutResult[],
  painter: Painter,
  width?: number,
  isAwaited = false,
): string =>
  [
    ...renderFailures(rows, painter, width),
    ...renderNothingPaid(rows),
    ...(isAwaited ? renderMade(rows) : []),
    ...(isAwaited ? groups.slice(1) : groups).flatMap(([label, states]) =>
      renderGroup(
        label,
        rows.filter(({state}) => states.includes(state)),
      ),
    ),
  ]
    .map((line) => `${line}\n`)
    .join('')
