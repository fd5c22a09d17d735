// A small store for the tests of what all stores share.
import {
  type SqliteFormat,
  type SqliteOpenOptions,
  SqliteConnection,
  openSqliteFile,
} from '../../../src/storage/sqlite.ts'

export const notesFormat: SqliteFormat = {
  applicationId: 0x6e6f7465,
  schemaVersion: 3,
  schema: 'create table notes (id integer primary key, text text not null) strict',
  description: 'a notebook',
}

const busyWaitMs = 5_000

export const openNotes = (file: string, options: Partial<SqliteOpenOptions<SqliteConnection>> = {}): SqliteConnection =>
  openSqliteFile(file, notesFormat, {connect: (resolved) => new SqliteConnection(resolved, busyWaitMs), ...options})
