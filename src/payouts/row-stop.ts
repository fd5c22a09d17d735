// Rows that are not paid because of something that was found before the first row of the file.
import {SvcError} from '../errors.ts'
import {type PayoutResult, toBaseResult} from './result.ts'
import type {PayoutRow} from './rows.ts'

export interface RowStop {
  row: PayoutRow
  error: {error: string; message: string}
}

export const createStop = (row: PayoutRow, error: string, message: string): RowStop => ({row, error: {error, message}})

export const toStoppedResult = ({row, error}: RowStop): PayoutResult => ({...toBaseResult(row, 'STOPPED'), error})

const linesShownMax = 10

// For example: lines 2, 5 and 3 more.
export function describeLines(rows: ReadonlyArray<{line: number}>): string {
  const lines = rows.slice(0, linesShownMax).map(({line}) => line)
  const more = rows.length - lines.length
  return `${rows.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

// The error of a run that pays nothing, because some of its rows do not fit the limits.
export function rejectOverLimit(stops: readonly RowStop[], rows: readonly PayoutRow[], isRehearsal: boolean): SvcError {
  const [first] = stops
  const where = describeLines(stops.map(({row}) => row))
  const count = `${stops.length} of ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`
  return new SvcError({
    error: 'LIMIT_REACHED',
    kind: 'limit',
    message: `${count} ${stops.length === 1 ? 'does' : 'do'} not fit the limits (${where}), so nothing ${isRehearsal ? 'would be' : 'was'} paid: ${first?.error.message ?? ''}`,
    hint: 'Change the file or the limits, or pay what fits, in the order of the file, with --up-to-cap',
  })
}
