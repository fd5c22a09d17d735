// The states of a row, in the order in which they are told.
import {countNoun} from '../../values/text.ts'

// A row is made, has failed, may have been paid (unknown), or is open: to be paid, or worked on by another process. In a dry run it is
// ready; a row of a batch may be cancelled.
type RowGroup = 'made' | 'failed' | 'unknown' | 'open' | 'ready' | 'cancelled'

const rowStates = {
  // The transaction exists.
  CREATED: {group: 'made', words: 'made'},
  // Only in a dry run: nothing would stop it.
  READY: {group: 'ready', words: 'ready'},
  // The transaction exists, but it failed, was cancelled or expired.
  ENDED_BADLY: {group: 'failed', words: 'ended badly'},
  // A limit, a possible duplicate or a missing approval.
  STOPPED: {group: 'failed', words: 'stopped'},
  REJECTED: {group: 'failed', words: 'rejected'},
  // Nothing was made under its key with this content: the service gave no quote, for example.
  FAILED: {group: 'failed', words: 'failed'},
  // It may have been made, by this run, an earlier one or another host.
  UNKNOWN: {group: 'unknown', words: 'unknown'},
  // Another process, or a worker, is working on it.
  IN_PROGRESS: {group: 'open', words: 'in progress'},
  NOT_TRIED: {group: 'open', words: 'not tried'},
  // Only in a batch of the fleet, where they are told as NOT_TRIED.
  CANCELLED: {group: 'cancelled', words: 'cancelled'},
  WAITING: {group: 'open', words: 'waiting'},
} as const satisfies Record<string, {group: RowGroup; words: string}>

export type BatchRowState = keyof typeof rowStates
export type RowState = Exclude<BatchRowState, 'CANCELLED' | 'WAITING'>

export type RowCounts = Partial<Record<BatchRowState, number>>

const allStates = Object.keys(rowStates) as BatchRowState[]

export const isIn = (state: BatchRowState, ...groups: readonly RowGroup[]) => groups.includes(rowStates[state].group)

export const hasTransaction = (state: BatchRowState) => state === 'CREATED' || state === 'ENDED_BADLY'

export const failedStates = allStates.filter((state) => isIn(state, 'failed'))

export const openStates = allStates.filter((state) => isIn(state, 'open'))

// They failed before anything was made, so they can be tried again.
export const retriedStates = failedStates.filter((state) => !hasTransaction(state))

// Adds to what was counted before. A row of a batch that was cancelled before it was paid is told as not tried, for that reason.
export function countStates(
  rows: ReadonlyArray<{state: BatchRowState; error?: {error: string}}>,
  counts: RowCounts = {},
): RowCounts {
  for (const row of rows) {
    const state = row.error?.error === 'CANCELLED' ? 'CANCELLED' : row.state
    counts[state] = (counts[state] ?? 0) + 1
  }
  return counts
}

export const sumCounts = (counts: RowCounts, states: readonly BatchRowState[]): number =>
  states.reduce((sum, state) => sum + (counts[state] ?? 0), 0)

// For example: Of 3 rows, 2 made, 1 rejected
export function describeCounts(counts: RowCounts, madeRemark = ''): string {
  const parts = allStates
    .filter((state) => (counts[state] ?? 0) > 0)
    .map((state) => `${counts[state]} ${rowStates[state].words}${state === 'CREATED' ? madeRemark : ''}`)
  return `Of ${countNoun(sumCounts(counts, allStates), 'row')}, ${parts.join(', ')}`
}

export const describeState = (state: BatchRowState): string => rowStates[state].words

// In the order in which the states are told.
export const groupByState = <T extends {state: RowState}>(rows: readonly T[]): Array<[RowState, T[]]> =>
  [...Map.groupBy(rows, ({state}) => state)].toSorted(([a], [b]) => allStates.indexOf(a) - allStates.indexOf(b))
