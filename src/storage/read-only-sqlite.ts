// Opens the SQLite file of a store where nothing can be written: on a read-only file system, or without the permission.
import fs from 'node:fs'
import path from 'node:path'
import {checkFileExists} from './create-sqlite-file.ts'
import {type SqliteAccess, type SqliteConnection, type SqliteFormat, isEmptyDatabase} from './sqlite.ts'
import {SqliteFileError, toSqliteFileError} from './sqlite-error.ts'

function isWritable(file: string): boolean {
  try {
    for (const name of [file, path.dirname(file)]) fs.accessSync(name, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

// Whether an existing file can only be read.
export function isReadOnlyFile(file: string): boolean {
  const resolved = path.resolve(file)
  return checkFileExists(resolved) && !isWritable(resolved)
}

const hasLogContent = (file: string) => (fs.statSync(`${file}-wal`, {throwIfNoEntry: false})?.size ?? 0) > 0

function openAndCheck<Connection extends SqliteConnection>(
  file: string,
  format: SqliteFormat,
  access: SqliteAccess,
  connect: (file: string, access: SqliteAccess) => Connection,
): Connection {
  const connection = connect(file, access)
  try {
    if (connection.retryWhileBusy(() => isEmptyDatabase(connection, format))) {
      throw new SqliteFileError(file, 'empty', 'is empty')
    }
    return connection
  } catch (error) {
    connection.close()
    throw toSqliteFileError(file, error) ?? error
  }
}

// SQLite reads a write-ahead log only with its index (-shm) beside it, which it cannot create here. Without any log, as
// after a clean end, the file alone is complete and is read as one that nobody changes.
export function openSqliteFileReadOnly<Connection extends SqliteConnection>(
  file: string,
  format: SqliteFormat,
  connect: (file: string, access: SqliteAccess) => Connection,
): Connection {
  const resolved = path.resolve(file)
  try {
    return openAndCheck(resolved, format, 'readOnly', connect)
  } catch (error) {
    if (!(error instanceof SqliteFileError) || error.problem !== 'cannotOpen') throw error
    // A file that may not even be read.
    fs.accessSync(resolved, fs.constants.R_OK)
    if (!hasLogContent(resolved)) return openAndCheck(resolved, format, 'immutable', connect)
    const reason = `has changes in ${resolved}-wal that cannot be read here, because nothing can be written beside it`
    throw new SqliteFileError(resolved, 'unreadableLog', reason, error)
  }
}
