// The file of the journal: opened for its owner alone, checked before anyone relies on it, written through to the disk.
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {SvcError, badSettings, systemCode} from '../errors.ts'
import {fileMode, makePrivateFolder, privately} from '../profiles/folders.ts'

const applicationId = 0x73_76_63_6a
const schemaVersion = 1
const busyWaitMs = 10_000
// A larger file takes too long to be checked whole for every payment; damage in it shows when it is read.
const pagesCheckedMax = 4_000

const schema = `
create table payments (
  place text not null,
  key text not null,
  template text,
  slot text,
  state text not null,
  currency text not null,
  amount text not null,
  armedAt integer,
  createdAt integer not null,
  payment text not null,
  epoch integer not null default 0,
  owner text,
  renewedAt integer,
  primary key (place, key)
) strict, without rowid;
create index paymentsByState on payments (state);
create index paymentsByTemplate on payments (place, template) where template is not null;
create index paymentsByArming on payments (place, currency, armedAt) where armedAt is not null;
create table history (
  place text not null,
  key text not null,
  seq integer primary key,
  at integer not null,
  what text not null,
  detail text
) strict;
create index historyByKey on history (place, key, seq);
`

export const unusable = (file: string, why: string, cause?: unknown) =>
  badSettings(`The journal ${file} ${why}, so nothing is paid`, 'Mend it or name another with SVC_JOURNAL', cause)

function prepare(database: DatabaseSync, file: string): void {
  database.exec('pragma journal_mode = wal; pragma synchronous = full')
  const read = (name: string) => Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]
  if (read('schema_version') === 0) create(database)
  if (read('application_id') !== applicationId) throw unusable(file, 'is a database of something else')
  if (read('user_version') !== schemaVersion) throw unusable(file, 'was written by another version of svc')
  if (Number(read('page_count')) <= pagesCheckedMax && read('quick_check(1)') !== 'ok')
    throw unusable(file, 'is damaged')
}

// Two processes may come to a new file at once; the second finds it furnished.
function create(database: DatabaseSync): void {
  database.exec('begin immediate')
  const isNew = Object.values(database.prepare('pragma schema_version').get() ?? {})[0] === 0
  if (isNew) database.exec(`${schema} pragma application_id = ${applicationId}; pragma user_version = ${schemaVersion}`)
  database.exec('commit')
}

export function openJournalFile(file: string): DatabaseSync {
  makePrivateFolder(path.dirname(path.resolve(file)))
  let database: DatabaseSync | undefined
  try {
    database = privately(() => new DatabaseSync(file, {timeout: busyWaitMs}))
    fs.chmodSync(file, fileMode)
    prepare(database, file)
    return database
  } catch (cause) {
    database?.close()
    if (cause instanceof SvcError) throw cause
    throw unusable(file, `cannot be read or written (${systemCode(cause) ?? (cause as Error).message})`, cause)
  }
}
