// Rows that are not paid because of something that was found before the first row of the file.
import {SvcError} from '../../errors.ts'
import {waitHint} from '../../payments/controls/cool-down.ts'
import {type PayoutResult, toBaseResult} from './result.ts'
import type {PayoutRow} from '../file/rows.ts'

export interface RowStop {
  row: PayoutRow
  error: {error: string; message: string}
}

// The rows that a check stops.
export interface CheckResult {
  stops: RowStop[]
  // Whether payments in the journal decided, whose age is measured by the service's time.
  dependsOnTime: boolean
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

// What an error says about rows that keep the whole file from being paid.
function describeStops(stops: readonly RowStop[], rows: readonly PayoutRow[], verbs: [one: string, many: string]) {
  const where = describeLines(stops.map(({row}) => row))
  const count = `${stops.length} of ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`
  return `${count} ${verbs[stops.length === 1 ? 0 : 1]} (${where})`
}

const describeFirst = ([first]: readonly RowStop[]) => first?.error.message ?? ''

const describePaid = (isRehearsal: boolean) => `so nothing ${isRehearsal ? 'would be' : 'was'} paid`

// The code of a row whose payee was never paid, and has to wait.
export const payeeWaits = 'PAYEE_WAITS'

const createWaitError = (stops: readonly RowStop[], rows: readonly PayoutRow[], isRehearsal: boolean) =>
  new SvcError({
    error: payeeWaits,
    kind: 'limit',
    message: `${describeStops(stops, rows, ['pays a new payee, who waits', 'pay new payees, who wait'])}, ${describePaid(isRehearsal)}: ${describeFirst(stops)}`,
    hint: `${waitHint}, or pay the other rows with --up-to-cap`,
  })

// The error of a run that pays nothing, because some of its rows do not fit the limits, or their payees wait.
export const createOverLimitError = (stops: readonly RowStop[], rows: readonly PayoutRow[], isRehearsal: boolean) => {
  if (stops.every(({error}) => error.error === payeeWaits)) return createWaitError(stops, rows, isRehearsal)
  return new SvcError({
    error: 'LIMIT_REACHED',
    kind: 'limit',
    message: `${describeStops(stops, rows, ['does not fit the limits', 'do not fit the limits'])}, ${describePaid(isRehearsal)}: ${describeFirst(stops)}`,
    hint: 'Change the file or the limits, or pay what fits, in the order of the file, with --up-to-cap',
  })
}

// The error of a run that pays nothing, because some of its rows may be duplicates.
export const createDuplicatesError = (stops: readonly RowStop[], rows: readonly PayoutRow[], isRehearsal: boolean) =>
  new SvcError({
    error: 'POSSIBLE_DUPLICATE',
    kind: 'limit',
    message: `${describeDuplicates(stops, rows)}, ${describePaid(isRehearsal)}: ${describeFirst(stops)}`,
    hint: 'If they are meant as further payments, run it again with --allow-duplicates',
  })

const describeDuplicates = (stops: readonly RowStop[], rows: readonly PayoutRow[]) =>
  describeStops(stops, rows, ['may be a duplicate', 'may be duplicates'])

const duplicatesShownMax = 5

// Lists the first duplicates for the question whether they are meant.
export function listDuplicates(stops: readonly RowStop[], rows: readonly PayoutRow[]): string[] {
  const lines = stops
    .slice(0, duplicatesShownMax)
    .map(({row, error}) => `  line ${row.line}, ${row.key}: ${error.message}`)
  const more = stops.length - lines.length
  return [`${describeDuplicates(stops, rows)}:`, ...lines, ...(more > 0 ? [`  … and ${more} more`] : [])]
}
