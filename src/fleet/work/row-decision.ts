// Decides what becomes of a row after one try: it has ended, or it comes back later.
import type {SvcError} from '../../errors.ts'
import {JournalUnusable} from '../../payments/journal/journal.ts'
import type {PayoutResult} from '../../payouts/run/result.ts'
import type {BatchRow} from '../batches/batch-rows.ts'
import type {BatchRowState} from '../batches/batch.ts'

export interface RowOutcome {
  result: PayoutResult
  failure?: SvcError | undefined
  // What the row becomes although nothing was tried. Its batch is not active: it waits again, or it was cancelled. Or it is a slot
  // that has to wait for an earlier one.
  becomes?: 'WAITING' | 'CANCELLED' | 'BLOCKED'
}

// Absent fields: without a state the row was not tried at all; without a delay it has ended.
export interface RowDecision {
  state?: BatchRowState
  result: PayoutResult
  // How long until the row is tried again.
  delayMs?: number
}

export interface RetryDelays {
  // A row that may have been paid: the service's list has to show it, or its quote to expire.
  unknownMs: number
  // A row that was not sent, because the service or the database failed.
  failedMs: number
  // The longest delay, after it has doubled with every try.
  maxMs: number
  // A row that was not sent fails after so many tries.
  triesMax: number
}

export const retryDelays: RetryDelays = {unknownMs: 30_000, failedMs: 5_000, maxMs: 120_000, triesMax: 12}

const doublingsMax = 10

const computeDelay = (firstMs: number, tries: number, {maxMs}: RetryDelays) =>
  Math.min(maxMs, firstMs * 2 ** Math.min(doublingsMax, tries))

// The service's own words may name a person, so the database gets svc's. The codes say the same to a program.
function removeForeignWords(result: PayoutResult, failure: SvcError | undefined): PayoutResult {
  const isForeign = failure?.kind === 'refused' || failure?.kind === 'notFound' || failure?.kind === 'unreachable'
  if (!result.error || !isForeign || failure.statusCode === undefined) return result
  const said = `${result.error.error}, status ${failure.statusCode}`
  const message = failure.kind === 'unreachable' ? `The service failed (${said})` : `The service rejected it (${said})`
  return {...result, error: {...result.error, message}}
}

// The row was not sent, and nothing is wrong with it: what failed may work later.
const isTemporary = ({kind}: SvcError) => kind === 'unreachable' || kind === 'bug'

export function decideRow(row: BatchRow, outcome: RowOutcome, delays: RetryDelays = retryDelays): RowDecision {
  const {failure} = outcome
  const {madeBefore, ...rest} = removeForeignWords(outcome.result, failure)
  const result: PayoutResult = {...rest, ...(madeBefore && row.wasMadeBefore && {madeBefore})}
  const {state} = result
  if (outcome.becomes === 'CANCELLED') return {state: 'CANCELLED', result}
  if (outcome.becomes === 'WAITING') return {state: 'WAITING', result, delayMs: 0}
  if (outcome.becomes === 'BLOCKED') {
    return {state: 'WAITING', result, delayMs: computeDelay(delays.failedMs, row.tries, delays)}
  }
  if (state === 'UNKNOWN') return {state, result, delayMs: computeDelay(delays.unknownMs, row.tries, delays)}
  // Another process works on it, the journal was not available, or the worker stopped.
  const isUntried = state === 'IN_PROGRESS' || state === 'NOT_TRIED' || failure instanceof JournalUnusable
  if (isUntried || failure?.error === 'NOT_TRIED') return {result, delayMs: delays.failedMs}
  const isPutOff = failure !== undefined && isTemporary(failure)
  // A row that may have been paid is never given up.
  if (!isPutOff || (row.state !== 'UNKNOWN' && row.tries + 1 >= delays.triesMax)) return {state, result}
  return {state: row.state, result, delayMs: computeDelay(delays.failedMs, row.tries, delays)}
}

// What would fail every other row too, so that the worker has to stop: its credential is wrong.
export const isFatal = (failure: SvcError | undefined): failure is SvcError => failure?.kind === 'unauthenticated'
