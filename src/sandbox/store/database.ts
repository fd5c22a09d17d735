// The database of a sandbox: one SQLite file that several processes may use at once.
import type {SQLInputValue} from 'node:sqlite'
import {createPrivateFile} from '../../storage/private-file.ts'
import {SqliteConnection, openSqliteFile} from '../../storage/sqlite.ts'
import {SqliteFileError} from '../../storage/sqlite-error.ts'
import {sandboxFormat} from './schema.ts'

// Reads JSON that a store wrote. The caller names its type beside the column that has it.
export const parseStored = <T>(text: string): T => JSON.parse(text) as T

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

// Thrown by Database.attempt().
export class HalfWrittenError extends Error {
  override name = 'HalfWrittenError'
}

// What a module keeps in memory during a transaction. It is written before the transaction ends, or forgotten with it.
export interface PendingWrites {
  // An error undoes the whole transaction.
  write(): void
  // Writes the rows that are not needed any more, to keep memory small.
  writeFinished?(): void
}

type CreatePending<T extends PendingWrites> = (database: Database) => T

type Scope = 'none' | 'transaction' | 'deferred'

export class Database extends SqliteConnection {
  readonly #pending = new Map<CreatePending<PendingWrites>, PendingWrites>()
  readonly #inserts = new Map<string, {columns: string; sql: string}>()
  #scope: Scope = 'none'
  #writeCount = 0

  override transact<T>(work: () => T): T {
    return unwrap(super.transact(() => this.#runScope('transaction', work)))
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

  // A part of a transaction that is kept or undone by itself.
  savepoint<T>(work: () => T): T {
    // What was written before is not part of it.
    this.writePending()
    this.run('savepoint step')
    let isKept = false
    try {
      const outcome = this.#runScope('transaction', work)
      isKept = true
      return unwrap(outcome)
    } finally {
      if (!isKept) this.run('rollback to step')
      this.run('release step')
    }
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
    let insert = this.#inserts.get(table)
    // To write the statement each time would take a fifth of the time of seeding.
    if (insert?.columns !== columns) {
      const [seq, nextSeq] = isNumbered ? ['seq, ', `(select coalesce(max(seq), 0) + 1 from ${table}), `] : ['', '']
      const marks = names.map(() => '?').join(', ')
      insert = {columns, sql: `insert into ${table} (${seq}${columns}) values (${nextSeq}${marks})`}
      this.#inserts.set(table, insert)
    }
    this.run(insert.sql, ...Object.values(row))
  }

  // Changes with every statement that may write something.
  get writeCount(): number {
    return this.#writeCount
  }

  // A part of a transaction that rarely fails after it has written something. If it does, the whole transaction has to be undone
  // and repeated with savepoints, for which SQLite copies each page that it changes.
  attempt<T>(work: () => T): T {
    this.writePending()
    const before = this.#writeCount
    try {
      return unwrap(this.#runScope('transaction', work))
    } catch (error) {
      if (this.#writeCount === before || isCommittingError(error)) throw error
      throw new HalfWrittenError('A part of a transaction failed after it had written something', {cause: error})
    }
  }

  override run(sql: string, ...values: SQLInputValue[]): void {
    this.#writeCount++
    super.run(sql, ...values)
  }

  override insert(sql: string, ...values: SQLInputValue[]): number {
    this.#writeCount++
    return super.insert(sql, ...values)
  }

  // Runs work whose rows modules may keep in memory and write at its end, because nothing reads their tables in between.
  deferWrites<T>(work: () => T): T {
    this.writePending()
    return unwrap(this.#runScope('deferred', work))
  }

  // What the current transaction keeps in memory for a module, created on first use. Undefined outside of transactions.
  getPending<T extends PendingWrites>(create: CreatePending<T>): T | undefined {
    return this.#scope === 'none' ? undefined : this.#findPending(create)
  }

  // The same, where writes are deferred.
  getDeferred<T extends PendingWrites>(create: CreatePending<T>): T | undefined {
    return this.#scope === 'deferred' ? this.#findPending(create) : undefined
  }

  writeFinished(): void {
    for (const pending of this.#pending.values()) pending.writeFinished?.()
  }

  // Writes what is kept in memory, and forgets it.
  writePending(): void {
    if (this.#pending.size === 0) return
    for (const pending of this.#pending.values()) pending.write()
    this.#pending.clear()
  }

  // Lets the work read another database beside this one, under a name.
  withAttached<T>(file: string, name: string, work: () => T): T {
    this.database.prepare(`attach database ? as ${name}`).run(file)
    try {
      return work()
    } finally {
      this.forgetStatements()
      this.database.exec(`detach database ${name}`)
    }
  }

  // Writes a consistent copy of everything into a new file.
  copyTo(file: string): void {
    createPrivateFile(file)
    this.database.prepare('vacuum into ?').run(file)
  }

  #findPending<T extends PendingWrites>(create: CreatePending<T>): T {
    const known = this.#pending.get(create)
    if (known) return known as T
    const pending = create(this)
    this.#pending.set(create, pending)
    return pending
  }

  #runScope<T>(scope: Scope, work: () => T): Outcome<T> {
    const outer = this.#scope
    this.#scope = scope
    try {
      const value = work()
      this.writePending()
      return {value}
    } catch (error) {
      if (!isCommittingError(error)) throw error
      this.writePending()
      return {error}
    } finally {
      this.#pending.clear()
      this.#scope = outer
    }
  }
}

// `initialize` fills a new database, in the transaction that creates its tables.
export function openDatabase(file: string, initialize: (database: Database) => void): Database {
  try {
    return openSqliteFile(file, sandboxFormat, {
      connect: (path) => new Database(path, busyWaitMs),
      tuning: `pragma cache_size = -${cacheKilobytesMax}; pragma wal_autocheckpoint = ${walPagesMax}`,
      initialize,
    })
  } catch (error) {
    if (!(error instanceof SqliteFileError)) throw error
    const advice = error.problem === 'newerSchema' ? ': update svc' : ''
    throw new SandboxFileError(`${error.message}${advice}`, {cause: error})
  }
}
