// Snapshots: copies of the whole sandbox that can be restored. This is the only way to move its clock back.
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {inMemory} from '../../storage/sqlite.ts'
import {ControlError} from '../operations/control-error.ts'
import type {Result} from '../../sandbox-results.ts'
import {readNow, toTimestamp} from '../time/clock.ts'
import type {Database} from './database.ts'
import {sandboxFormat, tableNames} from './schema.ts'
import {incrementGeneration, readSettings} from './settings.ts'

const extension = '.sqlite'
const folderMode = 0o700
const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/i

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

export function saveSnapshot(database: Database, name: string, options?: SaveOptions): Result<'Snapshot'> {
  const file = getNewSnapshotFile(database, name, options)
  makeSnapshotFolder(database)
  // Written under another name first, so that an incomplete copy is never taken for a snapshot.
  const unfinished = `${file}.unfinished`
  fs.rmSync(unfinished, {force: true})
  saveRows(database, unfinished)
  fs.renameSync(unfinished, file)
  return describeSnapshot(file)
}

export function describeSnapshot(file: string): Result<'Snapshot'> {
  const savedAt = withCopy(file, (copy) => copy.prepare('select savedAt from sandbox').get()?.['savedAt'])
  return {
    name: path.basename(file, extension),
    savedAt: toTimestamp(Number(savedAt)),
    bytes: fs.statSync(file).size,
  }
}

export function listSnapshots(database: Database): Array<Result<'Snapshot'>> {
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

export function restoreSnapshot(database: Database, name: string): Result<'Snapshot'> {
  const file = findSnapshotFile(database, name)
  restoreRows(database, file)
  return describeSnapshot(file)
}

const rowsListedMax = 50

// The first column that ends in Id, else the first one.
function findIdentifierColumn(database: Database, table: string): string {
  const columns = database.all<{name: string}>('select name from pragma_table_info(?)', table).map(({name}) => name)
  return columns.find((name) => name.endsWith('Id')) ?? columns[0] ?? 'rowid'
}

// The ids of the rows that are in one database and not in the other.
function findRowsOnlyIn(database: Database, table: string, one: string, other: string, key: string): Set<string> {
  const sql = `select ${key} as id from (select * from ${one}.${table} except select * from ${other}.${table})`
  return new Set(database.all<{id: unknown}>(sql).map(({id}) => String(id)))
}

function compareTable(database: Database, table: string): Result<'Difference'> {
  const key = findIdentifierColumn(database, table)
  const here = findRowsOnlyIn(database, table, 'main', 'saved', key)
  const there = findRowsOnlyIn(database, table, 'saved', 'main', key)
  const changed = here.intersection(there)
  const rows = [
    ...[...here.difference(there)].map((id) => `+ ${id}`),
    ...[...there.difference(here)].map((id) => `- ${id}`),
    ...[...changed].map((id) => `~ ${id}`),
  ]
  return {
    table,
    added: here.size - changed.size,
    removed: there.size - changed.size,
    changed: changed.size,
    rows: rows.length <= rowsListedMax ? rows : [],
  }
}

// The row in `sandbox` always differs by savedAt, and the comparison itself may be a logged request.
const ignoredTables = new Set(['sandbox', 'requests'])

export function compareWithSnapshot(database: Database, name: string): Array<Result<'Difference'>> {
  return database.withAttached(findSnapshotFile(database, name), 'saved', () =>
    tableNames
      .filter((table) => !ignoredTables.has(table))
      .map((table) => compareTable(database, table))
      .filter(({added, removed, changed}) => added + removed + changed > 0),
  )
}
