// Snapshots: copies of the whole sandbox that can be restored. This is the only way to move its clock back.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {makePrivateFolder} from '../../storage/private-file.ts'
import {inMemory} from '../../storage/sqlite.ts'
import {ControlError} from '../operations/control-error.ts'
import type {Result} from '../../sandbox-results.ts'
import {readNow, toTimestamp} from '../time/clock.ts'
import type {Database} from './database.ts'
import {sandboxFormat, tableNames} from './schema.ts'
import {incrementGeneration, readSettings} from './settings.ts'

const extension = '.sqlite'
const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/i

const getSnapshotFolder = ({file}: Database) => `${file}.snapshots`

function getSnapshotFile(database: Database, name: string): string {
  if (!namePattern.test(name)) {
    throw new ControlError(`"${name}" is not a name for a snapshot: use letters, digits, dots, dashes and underscores`)
  }
  return path.join(getSnapshotFolder(database), `${name}${extension}`)
}

interface SavedRow {
  schemaVersion: number
  savedAt: number
}

// Undefined if the file is no saved sandbox. People copy files into the folder, which may be
// anything, also a folder or a link. A pipe would be waited for.
function readSaved(file: string): SavedRow | undefined {
  let copy: DatabaseSync | undefined
  try {
    if (!fs.statSync(file).isFile()) return undefined
    copy = new DatabaseSync(file, {readOnly: true})
    const row = copy.prepare('select user_version as schemaVersion, savedAt from sandbox, pragma_user_version').get()
    return row && {schemaVersion: Number(row['schemaVersion']), savedAt: Number(row['savedAt'])}
  } catch {
    return undefined
  } finally {
    copy?.close()
  }
}

function checkSaved(file: string, label: string): SavedRow {
  const saved = readSaved(file)
  if (!saved) throw new ControlError(`${label} is not a saved sandbox`)
  if (saved.schemaVersion === sandboxFormat.schemaVersion) return saved
  throw new ControlError(`${label} has schema ${saved.schemaVersion}, and this svc has ${sandboxFormat.schemaVersion}`)
}

// Returns the time of the copy.
function saveRows(database: Database, file: string): number {
  database.copyTo(file)
  const savedAt = readNow(database)
  const copy = new DatabaseSync(file)
  try {
    copy.prepare('update sandbox set savedAt = ?').run(savedAt)
    return savedAt
  } finally {
    copy.close()
  }
}

export function saveSnapshot(database: Database, name: string): Result<'Snapshot'> {
  if (database.file === inMemory) {
    throw new ControlError('This sandbox is in memory, so it keeps no named snapshots: start it with a file')
  }
  const file = getSnapshotFile(database, name)
  if (fs.existsSync(file)) throw new ControlError(`There already is a snapshot "${name}": choose another name`)
  makePrivateFolder(getSnapshotFolder(database))
  // Written under another name first, so that an incomplete copy is never taken for a snapshot.
  const unfinished = `${file}.unfinished`
  fs.rmSync(unfinished, {recursive: true, force: true})
  const savedAt = saveRows(database, unfinished)
  fs.renameSync(unfinished, file)
  return describeSnapshot(file, savedAt)
}

const describeSnapshot = (file: string, savedAt: number): Result<'Snapshot'> => ({
  name: path.basename(file, extension),
  savedAt: toTimestamp(savedAt),
  bytes: fs.statSync(file).size,
})

export function listSnapshots(database: Database): Array<Result<'Snapshot'>> {
  const folder = getSnapshotFolder(database)
  if (!fs.existsSync(folder)) return []
  return fs
    .readdirSync(folder)
    .filter((entry) => entry.endsWith(extension))
    .flatMap((entry) => {
      const file = path.join(folder, entry)
      const saved = readSaved(file)
      return saved ? [describeSnapshot(file, saved.savedAt)] : []
    })
    .toSorted((a, b) => a.savedAt.localeCompare(b.savedAt) || a.name.localeCompare(b.name))
}

// Copies the rows in one transaction. Replacing the database file would not reach other processes, which have it open.
function restoreRows(database: Database, file: string): void {
  database.withAttached(file, () =>
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
  database.emptyLog()
}

export function restoreSnapshot(database: Database, name: string): Result<'Snapshot'> {
  const file = getSnapshotFile(database, name)
  if (!fs.existsSync(file)) throw new ControlError(`There is no snapshot "${name}"`, {notFound: true})
  const {savedAt} = checkSaved(file, `The snapshot "${name}"`)
  restoreRows(database, file)
  return describeSnapshot(file, savedAt)
}

// SQLite copies from file to file, so the bytes pass through one that only its owner can read.
function withFile<T>(work: (file: string) => T): T {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-sandbox-'))
  try {
    return work(path.join(folder, 'image.sqlite'))
  } finally {
    fs.rmSync(folder, {recursive: true, force: true})
  }
}

// The whole sandbox as the bytes of a snapshot.
export function readImage(database: Database): Uint8Array {
  return withFile((file) => {
    saveRows(database, file)
    return fs.readFileSync(file)
  })
}

// Replaces everything. A running clock continues from the time at which the image was read.
export function loadImage(database: Database, image: Uint8Array): void {
  withFile((file) => {
    fs.writeFileSync(file, image)
    checkSaved(file, 'The snapshot')
    restoreRows(database, file)
  })
}
