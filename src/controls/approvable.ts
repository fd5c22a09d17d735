// Something that people can approve, with what they have to see of it before they do.
import {type Remembered, type Snapshot, type SnapshotDifference, compareSnapshots} from './last-approved.ts'
import type {ApprovalSubject} from './subject.ts'

export interface ApprovalFact {
  label: string
  lines: readonly string[]
}

export interface Approvable {
  subject: ApprovalSubject
  // What people call it: payroll.csv, or the id of a batch.
  name: string
  // The file that it was read from. Absent for a batch.
  file?: string | undefined
  facts: readonly ApprovalFact[]
  snapshot: Snapshot
}

const linesMax = 8

// The first of many lines, and how many more there are.
export function limitLines(lines: readonly string[], max = linesMax): string[] {
  const more = lines.length - max
  return more > 0 ? [...lines.slice(0, max), `… and ${more} more`] : [...lines]
}

const describeDifference = ({added, removed, changed}: SnapshotDifference): string[] =>
  limitLines([
    ...changed.map((line) => `changed: ${line}`),
    ...added.map((line) => `new: ${line}`),
    ...removed.map((line) => `gone: ${line}`),
  ])

// What differs from the last one of the same kind that was approved here.
export function describeChanges(last: Remembered | undefined, {snapshot}: Pick<Approvable, 'snapshot'>): ApprovalFact {
  if (!last) return {label: 'Changes', lines: ['nothing of this kind was approved here before']}
  const lines = describeDifference(compareSnapshots(last.items, snapshot))
  const since = `since ${last.name}, approved here ${last.at.slice(0, 'YYYY-MM-DD'.length)}`
  return {label: 'Changes', lines: lines.length > 0 ? [`${since}:`, ...lines] : [`none ${since}`]}
}
