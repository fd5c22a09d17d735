// The states of a row, in the order in which they are told.
import {countNoun} from '../../values/text.ts'

// A row is made, has failed, may have been paid (unknown), or is open: to be paid, or worked on by another process. In a dry run it is
// ready or not; a row of a batch may be cancelled.
type RowGroup = 'made' | 'failed' | 'unknown' | 'open' | 'ready' | 'cancelled'

interface StateWords {
  group: RowGroup
  // Heads its sums, which it may share with others.
  heading: string
  // In a sentence that counts rows.
  words: string
}

const rowStates = {
  // The transaction exists.
  CREATED: {group: 'made', heading: 'Made', words: 'made'},
  // Only in a dry run: nothing would stop it.
  READY: {group: 'ready', heading: 'Ready', words: 'ready'},
  // Only in a dry run: its customer cannot pay, or its accounts cannot be used so.
  NOT_READY: {group: 'failed', heading: 'Not ready', words: 'not ready'},
  // The transaction exists, but it failed, was cancelled or expired.
  ENDED_BADLY: {group: 'failed', heading: 'Ended badly', words: 'ended badly'},
  STOPPED: {group: 'failed', heading: 'Failed', words: 'stopped by a limit'},
  REJECTED: {group: 'failed', heading: 'Failed', words: 'rejected'},
  FAILED: {group: 'failed', heading: 'Failed', words: 'failed'},
  UNKNOWN: {group: 'unknown', heading: 'Unknown', words: 'unknown'},
  // Another process, or a worker, is working on it.
  IN_PROGRESS: {group: 'open', heading: 'In progress', words: 'in progress'},
  NOT_TRIED: {group: 'open', heading: 'Not tried', words: 'not tried'},
  // Only in a batch of the fleet, where they are told as NOT_TRIED.
  CANCELLED: {group: 'cancelled', heading: 'Cancelled', words: 'cancelled'},
  WAITING: {group: 'open', heading: 'Waiting', words: 'waiting'},
} as const satisfies Record<string, StateWords>

export type BatchRowState = keyof typeof rowStates
export type RowState = Exclude<BatchRowState, 'CANCELLED' | 'WAITING'>

export type RowCounts = Partial<Record<BatchRowState, number>>

const allStates = Object.keys(rowStates) as BatchRowState[]

export const isIn = (state: BatchRowState, ...groups: readonly RowGroup[]) => groups.includes(rowStates[state].group)

export const hasTransaction = (state: BatchRowState) => state === 'CREATED' || state === 'ENDED_BADLY'

export const failedStates = allStates.filter((state) => isIn(state, 'failed'))

// They failed before anything was made, so they can be tried again.
export const retriedStates = failedStates.filter((state) => !hasTransaction(state))

export const countStates = (rows: ReadonlyArray<{state: BatchRowState}>): RowCounts =>
  Object.fromEntries(allStates.map((state) => [state, rows.filter((row) => row.state === state).length]))

export const sumCounts = (counts: RowCounts, states: readonly BatchRowState[]): number =>
  states.reduce((sum, state) => sum + (counts[state] ?? 0), 0)

// For example: Of 3 rows, 2 made, 1 rejected
export function describeCounts(counts: RowCounts, madeRemark = ''): string {
  const parts = allStates
    .filter((state) => (counts[state] ?? 0) > 0)
    .map((state) => `${counts[state]} ${rowStates[state].words}${state === 'CREATED' ? madeRemark : ''}`)
  return `Of ${countNoun(sumCounts(counts, allStates), 'row')}, ${parts.join(', ')}`
}

// Rows by the heading of their sums.
export function groupByHeading<T extends {state: RowState}>(rows: readonly T[]): Array<[heading: string, rows: T[]]> {
  const ordered = allStates.flatMap((state) => rows.filter((row) => row.state === state))
  return [...Map.groupBy(ordered, ({state}): string => rowStates[state].heading)]
}
