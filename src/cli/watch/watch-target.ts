// What can be watched, as data: its states, which changes to report, and what to print about them.
import {toInstantMs} from '../../values/time.ts'
import type {View} from '../output/view.ts'

// A state either waits for something, or is final: good or bad.
export type State = {waitsFor: string} | {ends: 'well'} | {ends: 'badly'; why?: string; next: (id: string) => string}

// Text that is printed once, however often it is produced.
export interface Note {
  // Two notes with the same key are the same note.
  key: string
  lines: readonly string[]
}

// The functions are declared as methods, so that the engine can take a WatchedKind of any entity.
export interface WatchedKind<T extends object> {
  view: View<T>
  // The name of the status column.
  status: string
  // A status that is missing here is not final.
  states: Readonly<Record<string, State>>
  // Columns whose changes are reported with their new value.
  shownColumns: readonly string[]
  // Columns whose changes are reported by the notes.
  notedColumns: readonly string[]
  notes(this: void, item: T): Note[]
  // A notice for every output format, for example that nothing will happen without an action.
  warning?(this: void, item: T): string | undefined
  // When the status last changed, if the reply to a write has that time too.
  changedAt?(this: void, item: T): unknown
}

export interface WatchTarget<T extends object> {
  kind: WatchedKind<T>
  id: string
  // The command that continues the watch.
  resumeCommand: string
  read: () => Promise<T>
  // The reply to the write that started this. It may be out of date, so a bad final state in it is read again.
  writeReply?: T | undefined
}

export function getColumn<T extends object>({view}: WatchedKind<T>, name: string) {
  const column = view.columns.find((candidate) => candidate.name === name)
  if (!column) throw new Error(`the view of a ${view.singular} has no column ${name}`)
  return column
}

const noStatus = '(no status)'

export function getStatus<T extends object>(kind: WatchedKind<T>, item: T): string {
  const status = getColumn(kind, kind.status).value(item)
  return typeof status === 'string' && status !== '' ? status : noStatus
}

// The status as the end of a sentence: "is PROCESSING", or "has no status".
export function describeStatus<T extends object>(kind: WatchedKind<T>, item: T, isStill = false): string {
  const status = getStatus(kind, item)
  if (status === noStatus) return isStill ? 'still has no status' : 'has no status'
  return `is ${isStill ? 'still ' : ''}${status}`
}

export function findState<T extends object>(kind: WatchedKind<T>, item: T): State | undefined {
  // Services differ in the case of a status.
  const status = getStatus(kind, item).trim().toUpperCase()
  return Object.hasOwn(kind.states, status) ? kind.states[status] : undefined
}

export const formatName = <T extends object>({kind: {view}, id}: WatchTarget<T>) =>
  `${view.singular.charAt(0).toUpperCase()}${view.singular.slice(1)} ${id}`

const secondMs = 1000

// Whether a read shows a state from before the write that started this. If one of the two times has only whole seconds,
// both are compared in seconds (docs/assumptions.md, V17).
export function isStaleRead<T extends object>({kind, writeReply}: WatchTarget<T>, item: T): boolean {
  if (!kind.changedAt || !writeReply) return false
  const [writtenMs, readMs] = [toInstantMs(kind.changedAt(writeReply)), toInstantMs(kind.changedAt(item))]
  if (writtenMs === undefined || readMs === undefined) return false
  const unitMs = writtenMs % secondMs === 0 || readMs % secondMs === 0 ? secondMs : 1
  return Math.floor(readMs / unitMs) < Math.floor(writtenMs / unitMs)
}

// Equal content gives equal text: the order of fields and items does not matter, and null, undefined and [] are the same.
function normalizeContent(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(normalizeContent).toSorted().join('\n')
  if (typeof value !== 'object' || JSON.isRawJSON(value)) return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${normalizeContent(inner)}`)
  return `{${fields.toSorted().join(',')}}`
}

// The columns in which two states of an item differ.
export function findDifferences<T extends object>(kind: WatchedKind<T>, before: T, after: T): string[] {
  return [kind.status, ...kind.shownColumns, ...kind.notedColumns].filter((name) => {
    const column = getColumn(kind, name)
    return normalizeContent(column.value(before)) !== normalizeContent(column.value(after))
  })
}
