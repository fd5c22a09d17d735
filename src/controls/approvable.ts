// Something that people can approve, with what they have to see of it before they do.
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {SvcError, badUsage, getSystemCode} from '../errors.ts'
import {getStateFolder} from '../storage/folders.ts'
import {makePrivateFolder, replacePrivateFile} from '../storage/private-file.ts'
import {readRegularFile} from '../storage/read-regular-file.ts'
import type {ApprovalKind, ApprovalSubject} from './statement.ts'

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

// Remembers what a person approved last of each kind, so that the next one can be compared with it. It holds ids and amounts.

// Items by what identifies them, each with a text that changes when the item does.
export type Snapshot = Readonly<Record<string, string>>

interface Remembered {
  name: string
  at: string
  items: Snapshot
}

// Larger ones are not remembered.
const itemsMax = 20_000

const getFile = ({serviceId, kind}: ApprovalSubject) => {
  const service = createHash('sha256').update(serviceId).digest('hex').slice(0, 16)
  return path.join(getStateFolder(), 'approved', `${kind}-${service}.json`)
}

export function readLastApproved(subject: ApprovalSubject): Remembered | undefined {
  try {
    return JSON.parse(readRegularFile(getFile(subject)).toString()) as Remembered
  } catch {
    return undefined
  }
}

export function rememberApproved(subject: ApprovalSubject, {name, at, items}: Remembered): void {
  if (Object.keys(items).length > itemsMax) return
  const file = getFile(subject)
  makePrivateFolder(getStateFolder())
  fs.mkdirSync(path.dirname(file), {recursive: true, mode: 0o700})
  replacePrivateFile(file, JSON.stringify({name, at, items}))
}

interface SnapshotDifference {
  added: string[]
  removed: string[]
  changed: string[]
}

function compareSnapshots(before: Snapshot, after: Snapshot): SnapshotDifference {
  const keys = Object.keys(after)
  return {
    added: keys.filter((key) => !Object.hasOwn(before, key)).map((key) => `${after[key]} (${key})`),
    removed: Object.keys(before)
      .filter((key) => !Object.hasOwn(after, key))
      .map((key) => `${before[key]} (${key})`),
    changed: keys
      .filter((key) => Object.hasOwn(before, key) && before[key] !== after[key])
      .map((key) => `${before[key]} → ${after[key]} (${key})`),
  }
}

// Guesses what a file is from its ending and its first words. A wrong guess is rejected when the file is read.
export type FileKind = Exclude<ApprovalKind, 'settings'>

const structuredEndings = new Set(['.json', '.yaml', '.yml'])

// The first kind whose words occur.
const words: ReadonlyArray<readonly [kind: FileKind, pattern: RegExp]> = [
  ['rules', /\btransactionTemplate\b|^\s*"?(rules|automationRules)"?\s*:/m],
  ['schedules', /^[\s{-]*"?(schedules|cron)"?\s*:/m],
  ['payment', /\bsourcePaymentAccountId\b|\bsourceAmount\b/],
]

export function detectKind(file: string): FileKind {
  let text: string
  try {
    text = readRegularFile(file).toString()
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw badUsage(`The file ${file} cannot be read (${getSystemCode(cause) ?? 'unknown'})`, 'Check the path', cause)
  }
  if (!structuredEndings.has(path.extname(file).toLowerCase())) return 'payouts'
  return words.find(([, pattern]) => pattern.test(text))?.[0] ?? 'payouts'
}
