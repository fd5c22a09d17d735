// Remembers what a person approved last of each kind, so that the next one can be compared with it. It holds ids and amounts.
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {getStateFolder} from '../storage/folders.ts'
import {makePrivateFolder, replacePrivateFile} from '../storage/private-file.ts'
import {readRegularFile} from '../storage/read-regular-file.ts'
import type {ApprovalSubject} from './subject.ts'

// Items by what identifies them, each with a text that changes when the item does.
export type Snapshot = Readonly<Record<string, string>>

export interface Remembered {
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

export interface SnapshotDifference {
  added: string[]
  removed: string[]
  changed: string[]
}

export function compareSnapshots(before: Snapshot, after: Snapshot): SnapshotDifference {
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
