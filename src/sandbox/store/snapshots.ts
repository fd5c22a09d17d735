// Snapshots: copies of the whole sandbox that can be restored. This is the only way to move its clock back.
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {inMemory} from '../../storage/sqlite.ts'
import {ControlError} from '../operations/control-error.ts'
import type {Database} from './database.ts'
import {sandboxFormat, tableNames} from './schema.ts'
import {incrementGeneration, readSettings} from './settings.ts'
import {readNow, toTimestamp} from '../time/clock.ts'

const extension = '.sqlite'
const folderMode = 0o700
const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/i

export interface Snapshot {
  name: string
  // The time of the virtual clock when it was saved.
  savedAt: string
  bytes: number
}

const getSnapshotFolder = ({file}: Database) => `${file}.snapshots`

function getSnapshotFile(database: Database, name: string): string {
  if (!namePattern.test(name)) {
    throw new ControlError(`"${name}" is not a name for a snapshot: use letters, digits, dots, dashes and underscores`)
  }
  return path.join(getSnapshotFolder(database), `${name}${extension}`)
}

// Throws if the snapshot does not exist or has another schema.
export function findSnapshotFile(database: Database, name: string): string {
  const file = getSnapshotFile(database, name)
  if (!fs.existsSync(file)) throw new ControlError(`There is no snapshot "${name}"`, {notFound: true})
  checkSchema(file, `The snapshot "${name}"`)
  return file
}

export function checkSchema(file: string, label: string): void {
  const version = withCopy(file, (copy) => copy.prepare('pragma user_version').get()?.['user_version'])
  if (version === sandboxFormat.schemaVersion) return
  throw new ControlError(`${label} has schema ${String(version)}, and this svc has ${sandboxFormat.schemaVersion}`)
}

function withCopy<T>(file: string, work: (copy: DatabaseSync) => T): T {
  const copy = new DatabaseSync(file)
  try {
    return work(copy)
  } finally {
    copy.close()
  }
}

export function saveRows(database: Database, file: string): void {
  database.copyTo(file)
  withCopy(file, (copy) => copy.prepare('update sandbox set savedAt = ?').run(readNow(database)))
}

export interface SaveOptions {
  // Whether a snapshot of this name is replaced.
  replaces?: boolean | undefined
}

// Throws if there is a snapshot of this name that is not to be replaced.
export function getNewSnapshotFile(database: Database, name: string, {replaces = false}: SaveOptions = {}): string {
  const file = getSnapshotFile(database, name)
  if (replaces || !fs.existsSync(file)) return file
  throw new ControlError(`There already is a snapshot "${name}": choose another name`)
}

export function makeSnapshotFolder(database: Database): void {
  if (database.file === inMemory) {
    throw new ControlError('This sandbox is in memory, so it keeps no named snapshots: start it with a file')
  }
  if (!fs.existsSync(getSnapshotFolder(database))) fs.mkdirSync(getSnapshotFolder(database), {mode: folderMode})
}

export function saveSnapshot(database: Database, name: string, options?: SaveOptions): Snapshot {
  const file = getNewSnapshotFile(database, name, options)
  makeSnapshotFolder(database)
  // Written under another name first, so that an incomplete copy is never taken for a snapshot.
  const unfinished = `${file}.unfinished`
  fs.rmSync(unfinished, {force: true})
  saveRows(database, unfinished)
  fs.renameSync(unfinished, file)
  return describeSnapshot(file)
}

export function describeSnapshot(file: string): Snapshot {
  const savedAt = withCopy(file, (copy) => copy.prepare('select savedAt from sandbox').get()?.['savedAt'])
  return {
    name: path.basename(file, extension),
    savedAt: toTimestamp(Number(savedAt)),
    bytes: fs.statSync(file).size,
  }
}

export function listSnapshots(database: Database): Snapshot[] {
  const folder = getSnapshotFolder(database)
  if (!fs.existsSync(folder)) return []
  return fs
    .readdirSync(folder)
    .filter((entry) => entry.endsWith(extension))
    .map((entry) => describeSnapshot(path.join(folder, entry)))
    .toSorted((a, b) => a.savedAt.localeCompare(b.savedAt) || a.name.localeCompare(b.name))
}

// Copies the rows in one transaction. Replacing the database file would not reach other processes, which have it open.
export function restoreRows(database: Database, file: string): void {
  database.withAttached(file, 'saved', () =>
    database.transact(() => {
      const {generation} = readSettings(database)
      for (const table of tableNames) database.run(`delete from main.${table}`)
      for (const table of tableNames.toReversed())
        database.run(`insert into main.${table} select * from saved.${table}`)
      // A running clock continues from the time of the snapshot.
      database.run('update sandbox set offsetMs = savedAt - ? where frozenAt is null', Date.now())
      database.run('update sandbox set savedAt = null')
      incrementGeneration(database, generation)
    }),
  )
}

export function restoreSnapshot(database: Database, name: string): Snapshot {
  const file = findSnapshotFile(database, name)
  restoreRows(database, file)
  return describeSnapshot(file)
}
