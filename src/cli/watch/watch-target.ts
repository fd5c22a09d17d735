// What can be followed to its end, as data: which states there are, what counts as a change, what to say of each.
import {toInstantMs} from '../../validation/instants.ts'
import type {View} from '../output/view.ts'
import type {Item} from '../output/format-values.ts'

// A state goes on by itself (and waits for something), or is the end: well, or not.
export type State = {waitsFor: string} | {ends: 'well'} | {ends: 'badly'; why?: string; next: (id: string) => string}

// Something that people are told once, however long it stays true.
export interface Note {
  // Two notes with the same key are one.
  key: string
  text: string
}

export interface WatchedKind {
  view: View<Item>
  // The column of the view that is the status.
  status: string
  // A status that is not in here is none that ends anything.
  states: Readonly<Record<string, State>>
  // Columns of the view in which a difference is a change, and is shown.
  shownColumns: readonly string[]
  // Columns in which a difference is a change, and is told by the notes.
  notedColumns: readonly string[]
  notes: (item: Item) => Note[]
  // What is worth a notice in every format, such as that nothing will happen by itself.
  warning?: (item: Item) => string | undefined
  // The field that says when the status last changed, where what a write answers has it as well.
  changedAt?: string
  // The command that goes on waiting.
  resumeCommand: (id: string) => string
}

export interface WatchTarget {
  kind: WatchedKind
  id: string
  read: () => Promise<Item>
  // What a write has just answered, where one began this. It may lag behind, so a bad end in it is not believed.
  writeReply?: Item | undefined
}

export function getColumn({view}: WatchedKind, name: string) {
  const column = view.columns.find((one) => one.name === name)
  if (!column) throw new Error(`the view of a ${view.singular} has no column ${name}`)
  return column
}

export function getStatus(kind: WatchedKind, item: Item): string {
  const status = item[kind.status]
  return typeof status === 'string' && status !== '' ? status : '(no status)'
}

export const findState = (kind: WatchedKind, item: Item): State | undefined => {
  const status = getStatus(kind, item)
  return Object.hasOwn(kind.states, status) ? kind.states[status] : undefined
}

const secondMs = 1000

// Whether a read shows what was before the write that began this: it changed earlier than what the write answered. One of
// the two times may be in whole seconds only, and then neither is taken more exactly (docs/assumptions.md, V17).
export function isStaleRead({kind: {changedAt}, writeReply: answer}: WatchTarget, seen: Item): boolean {
  if (changedAt === undefined || !answer) return false
  const [writtenMs, readMs] = [toInstantMs(answer[changedAt]), toInstantMs(seen[changedAt])]
  if (writtenMs === undefined || readMs === undefined) return false
  const unitMs = writtenMs % secondMs === 0 || readMs % secondMs === 0 ? secondMs : 1
  return Math.floor(readMs / unitMs) < Math.floor(writtenMs / unitMs)
}

// A value so written that equal content is equal text: order says nothing, and null, nothing and an empty list are the same.
function normalizeContent(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(normalizeContent).toSorted().join('\n')
  if (typeof value !== 'object' || JSON.isRawJSON(value)) return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${normalizeContent(inner)}`)
  return `{${fields.toSorted().join(',')}}`
}

// The columns in which two states of the same thing differ.
export function findDifferences(kind: WatchedKind, before: Item, after: Item): string[] {
  return [kind.status, ...kind.shownColumns, ...kind.notedColumns].filter((name) => {
    const {value} = getColumn(kind, name)
    return normalizeContent(value(before)) !== normalizeContent(value(after))
  })
}
