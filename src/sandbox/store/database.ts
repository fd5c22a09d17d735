// The database of a sandbox: one SQLite file that several processes may use at once.
import type {SQLInputValue} from 'node:sqlite'
import {createPrivateFile} from '../../storage/private-file.ts'
import {SqliteConnection, inMemory, openSqliteFile, overwriteDeleted} from '../../storage/sqlite.ts'
import {SqliteFileError} from '../../storage/sqlite-error.ts'
import {sandboxFormat} from './schema.ts'

// Reads JSON that a store wrote. The caller names its type beside the column that has it.
export const parseStored = <T>(text: string): T => JSON.parse(text) as T

type WithoutNull<T> = {[K in keyof T]: Exclude<T[K], null>}

// A row without its empty columns, as results have it.
export const omitNull = <T extends object>(row: T): Partial<WithoutNull<T>> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Partial<WithoutNull<T>>

// How long one process waits for another to finish its transaction.
const busyWaitMs = 10_000

// Seeding a hundred thousand customers writes into indexes all over the file. With SQLite's default of 2 MB the same pages
// would be read many times. The memory is only used as it is needed.
const cacheKilobytesMax = 64 * 1_024

// Pages that many commits change are copied from the log into the database less often with a longer log.
const walPagesMax = 8_000

// The file cannot be used as a sandbox by this svc. The message says why.
export class SandboxFileError extends Error {
  override name = 'SandboxFileError'
}

// An error that is itself the reply: the transaction is committed, and then the error is thrown.
export interface CommittingError extends Error {
  readonly commitsTransaction: true
}

const isCommittingError = (error: unknown): error is CommittingError =>
  error instanceof Error && 'commitsTransaction' in error

type Outcome<T> = {value: T} | {error: CommittingError}

function unwrap<T>(outcome: Outcome<T>): T {
  if ('error' in outcome) throw outcome.error
  return outcome.value
}

function runWhole<T>(work: () => T): Outcome<T> {
  try {
    return {value: work()}
  } catch (error) {
    if (isCommittingError(error)) return {error}
    throw error
  }
}

export class Database extends SqliteConnection {
  override transact<T>(work: () => T): T {
    return unwrap(super.transact(() => runWhole(work)))
  }

  // Reads that see the same state of the database, without keeping others from writing.
  read<T>(work: () => T): T {
    this.run('begin')
    try {
      return work()
    } finally {
      if (this.database.isTransaction) this.run('commit')
    }
  }

  // The same for reads that take their time, on a connection of their own. A database in memory has only one.
  async readAsync<T>(work: (database: Database) => Promise<T>): Promise<T> {
    if (this.file === inMemory) return work(this)
    const reader = new Database(this.file, busyWaitMs)
    try {
      reader.run('begin')
      reader.one('select 1 from sandbox')
      return await work(reader)
    } finally {
      reader.close()
    }
  }

  // A part of a transaction that is kept or undone by itself.
  savepoint<T>(work: () => T): T {
    this.run('savepoint step')
    let outcome: Outcome<T> | undefined
    try {
      outcome = runWhole(work)
    } finally {
      if (!outcome) this.run('rollback to step')
      this.run('release step')
    }
    return unwrap(outcome)
  }

  // A row that is always there.
  only<Row>(sql: string, ...values: SQLInputValue[]): Row {
    const row = this.one<Row>(sql, ...values)
    if (row === undefined) throw new Error(`No row for: ${sql}`)
    return row
  }

  // Inserts a row whose columns have the names of its fields. The rows of a numbered table count themselves in the column seq.
  insertRow(table: string, row: Readonly<Record<string, SQLInputValue>>, isNumbered = false): void {
    const names = Object.keys(row)
    const columns = names.join(', ')
    const [seq, nextSeq] = isNumbered ? ['seq, ', `(select coalesce(max(seq), 0) + 1 from ${table}), `] : ['', '']
    const marks = names.map(() => '?').join(', ')
    this.run(`insert into ${table} (${seq}${columns}) values (${nextSeq}${marks})`, ...Object.values(row))
  }

  // Lets the work read another database beside this one, under the name `saved`.
  withAttached<T>(file: string, work: () => T): T {
    this.database.prepare('attach database ? as saved').run(file)
    try {
      return work()
    } finally {
      this.forgetStatements()
      this.database.exec('detach database saved')
    }
  }

  // Empties the write-ahead log, which keeps what was deleted for as long as a process has the file
  // open. Waits for nobody: while another one reads, the log stays.
  emptyLog(): void {
    if (this.database.isTransaction) return
    const empty = 'pragma busy_timeout = 0; pragma wal_checkpoint(truncate)'
    this.database.exec(`${empty}; pragma busy_timeout = ${busyWaitMs}`)
  }

  // Writes a consistent copy of everything into a new file.
  copyTo(file: string): void {
    createPrivateFile(file)
    this.database.prepare('vacuum into ?').run(file)
  }
}

// `initialize` fills a new database, in the transaction that creates its tables.
export function openDatabase(file: string, initialize: (database: Database) => void): Database {
  try {
    return openSqliteFile(file, sandboxFormat, {
      connect: (path) => new Database(path, busyWaitMs),
      // Each request keeps its undo pages in a savepoint, which would otherwise be written to a temporary file.
      tuning: `pragma cache_size = -${cacheKilobytesMax}; pragma wal_autocheckpoint = ${walPagesMax}; pragma temp_store = memory; ${overwriteDeleted}`,
      initialize,
    })
  } catch (error) {
    if (!(error instanceof SqliteFileError)) throw error
    const advice = error.problem === 'newerSchema' ? ': update svc' : ''
    throw new SandboxFileError(`${error.message}${advice}`, {cause: error})
  }
}
