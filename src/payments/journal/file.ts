// The file of the journal: opened for its owner alone, checked before anyone relies on it, written through to the disk.
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {SvcError, getSystemCode} from '../../errors.ts'
import {fileMode, makePrivateFolder, withPrivateUmask} from '../../storage/folders.ts'
import {busyWaitMs, retryWhileBusy, resultBusy, getSqliteResultFamily} from '../../storage/busy.ts'
import {JournalUnusable} from './journal.ts'
import {journalSchema, journalSchemaVersion} from './schema.ts'

// Marks a file as a journal, so that svc never writes into somebody else's database ("svcj" in ASCII).
const applicationId = 0x73_76_63_6a
// A larger file takes too long to be checked whole for every payment; damage in it shows when it is read.
const pagesCheckedMax = 4_000

const permissionBits = 0o777

const mendIt = 'Mend it, or name another file with SVC_JOURNAL, which knows nothing of what this one has paid'

const unusable = (file: string, why: string, {cause, hint = mendIt}: {cause?: unknown; hint?: string} = {}) =>
  new JournalUnusable(`The journal ${file} ${why}`, hint, cause)

// What SQLite says of a file, in our words; the numbers are the families of its result codes, which never change.
const reasons: Readonly<Record<number, string>> = {
  5: 'is being used by another process that does not let go',
  8: 'may only be read',
  10: 'cannot be read or written',
  11: 'is damaged',
  13: 'cannot be written: the disk is full',
  14: 'cannot be opened',
  26: 'is not a database, or it is damaged',
}

// Whatever went wrong with the file, as a sentence. What is none of its business goes on as it is.
export function troubleWith(file: string, error: unknown): unknown {
  if (error instanceof SvcError) return error
  const result = getSqliteResultFamily(error)
  if (result !== undefined) {
    const hint = result === resultBusy ? 'Try again when it is done' : mendIt
    return unusable(file, reasons[result] ?? `cannot be used (${String(error)})`, {cause: error, hint})
  }
  if (error instanceof SyntaxError) return unusable(file, 'is damaged', {cause: error})
  const code = getSystemCode(error)
  return code === undefined ? error : unusable(file, `cannot be opened or made (${code})`, {cause: error})
}

const read = (database: DatabaseSync, name: string) => Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]

// In one transaction, since another process may be making the file at this very moment. Says whether it is still empty.
function isEmpty(database: DatabaseSync, file: string): boolean {
  retryWhileBusy(() => database.exec('begin'))
  try {
    const tables = database.prepare('select count(*) as count from sqlite_schema').get()?.['count']
    const [application, version] = [read(database, 'application_id'), read(database, 'user_version')]
    if (tables === 0 && application === 0 && version === 0) return true
    if (application !== applicationId) throw unusable(file, 'is a database of something else')
    if (Number(version) > journalSchemaVersion) throw unusable(file, 'was written by a newer svc', {hint: 'Update svc'})
    if (version !== journalSchemaVersion) throw unusable(file, 'was written by another version of svc')
    return false
  } finally {
    database.exec('rollback')
  }
}

// Two processes may come to a new file at once; the second finds it furnished.
function furnish(database: DatabaseSync, file: string): void {
  retryWhileBusy(() => database.exec('begin immediate'))
  try {
    if (read(database, 'application_id') !== applicationId) {
      database.exec(
        `${journalSchema} pragma application_id = ${applicationId}; pragma user_version = ${journalSchemaVersion}`,
      )
    }
    database.exec('commit')
  } finally {
    if (database.isTransaction) database.exec('rollback')
  }
  isEmpty(database, file)
}

// Nothing is written, not even a mode, before it is sure that the file is ours.
function prepare(database: DatabaseSync, file: string): void {
  const isNew = retryWhileBusy(() => isEmpty(database, file))
  if ((fs.statSync(file).mode & permissionBits) !== fileMode) fs.chmodSync(file, fileMode)
  if (retryWhileBusy(() => read(database, 'journal_mode = wal')) !== 'wal') {
    throw unusable(file, 'lies where SQLite cannot keep a write-ahead log')
  }
  database.exec('pragma synchronous = full')
  if (isNew) furnish(database, file)
  if (Number(read(database, 'page_count')) > pagesCheckedMax) return
  if (retryWhileBusy(() => read(database, 'quick_check(1)')) !== 'ok') throw unusable(file, 'is damaged')
}

// A folder that is there belongs to somebody and keeps its mode.
function makeFolderOf(file: string): void {
  const folder = path.dirname(path.resolve(file))
  if (fs.existsSync(folder)) return
  try {
    makePrivateFolder(folder)
  } catch (cause) {
    throw unusable(file, 'lies in a folder that cannot be made', {cause})
  }
}

export function openJournalFile(file: string): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    makeFolderOf(file)
    database = withPrivateUmask(() => new DatabaseSync(file, {timeout: busyWaitMs}))
    prepare(database, file)
    return database
  } catch (cause) {
    database?.close()
    throw troubleWith(file, cause)
  }
}
