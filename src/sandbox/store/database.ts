// The store: one SQLite file, which several processes may use at once without losing anything.
import {resolve} from 'node:path'
import {DatabaseSync, type SQLInputValue, type StatementSync} from 'node:sqlite'
import {createPrivateFile, ensurePrivateMode} from '../../storage/private-file.ts'
import {applicationId, schemaSteps, schemaVersion} from './schema.ts'

const inMemory = ':memory:'

// How long one process waits for another to finish its transaction.
const busyWaitMs = 10_000
const busyPauseMs = 20

// Seeding a hundred thousand customers writes into indexes all over the file; SQLite's own 2 MB would be read anew
// again and again. It is taken only as it is needed.
const cacheKilobytesMax = 64 * 1_024

// The pages that commits touch again and again are carried over into the database less often that way.
const walPagesMax = 8_000

// The low byte of an SQLite result code is its family; these two are stable for ever.
const resultFamily = 0xff
const resultBusy = 5
const resultNotADatabase = 26

// The file cannot be a sandbox for this svc: the sentence says why and what to do.
export class SandboxFileError extends Error {
  override name = 'SandboxUnusable'
}

const hasResult = (error: unknown, family: number) =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  (error.errcode & resultFamily) === family

// An error that is itself the answer: what was written before it was thrown stays, and the error goes on its way.
export interface CommittingError extends Error {
  readonly commitsTransaction: true
}

const isCommittingError = (error: unknown): error is CommittingError =>
  error instanceof Error && 'commitsTransaction' in error

export const isBusy = (error: unknown) => hasResult(error, resultBusy)

// SQLite's own timeout does not cover the moments in which another process opens, recovers or closes the file.
function patiently<T>(attempt: () => T): T {
  const deadline = performance.now() + busyWaitMs
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, busyPauseMs)
    }
  }
}

// A path that cannot be made or opened is as useless as a file that is none.
function opened(file: string): DatabaseSync {
  try {
    if (file !== inMemory) createPrivateFile(file)
    return new DatabaseSync(file, {timeout: busyWaitMs})
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new SandboxFileError(`${file} cannot be opened or made (${why})`, {cause: error})
  }
}

export class Database {
  readonly file: string
  readonly #connection: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #checks = new Map<string, () => void>()

  // `furnish` fills a database that is new, in the same transaction that creates its tables.
  constructor(file: string, initialize: (database: Database) => void) {
    this.file = file === inMemory ? file : resolve(file)
    this.#connection = opened(this.file)
    try {
      this.#prepare(initialize)
    } catch (error) {
      this.close()
      if (!hasResult(error, resultNotADatabase)) throw error
      throw new SandboxFileError(`${this.file} is not a database: name another file, or move this one away`, {
        cause: error,
      })
    }
  }

  // Rows come back as SQLite keeps them; the caller names their type beside the query that selects them.
  one<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values) as Row[]
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#statement(sql).run(...values)
  }

  // All or nothing. The write lock is taken at the start, so that what was read is still true when it is written.
  transact<T>(work: () => T): T {
    return this.#within('begin immediate', work)
  }

  // A part of a transaction that is whole or undone by itself, whatever becomes of the parts before and after it.
  step<T>(work: () => T): T {
    this.#connection.exec('savepoint step')
    let isKept = false
    const keep = () => {
      this.#check()
      isKept = true
    }
    try {
      const result = work()
      keep()
      return result
    } catch (error) {
      if (isCommittingError(error)) keep()
      throw error
    } finally {
      this.#checks.clear()
      this.#connection.exec(isKept ? 'release step' : 'rollback to step; release step')
    }
  }

  // Asks for a check of what this transaction has done, just before it is kept; once per name. A check that throws
  // undoes everything.
  beforeCommit(name: string, check: () => void): void {
    if (!this.#checks.has(name)) this.#checks.set(name, check)
  }

  // Lets work see another database beside this one, under a name; it is only read.
  withAttached<T>(file: string, name: string, work: () => T): T {
    this.#connection.prepare(`attach database ? as ${name}`).run(file)
    try {
      return work()
    } finally {
      this.#statements.clear()
      this.#connection.exec(`detach database ${name}`)
    }
  }

  // Writes a copy of everything, as it stands at one instant, into a new file.
  copyTo(file: string): void {
    createPrivateFile(file)
    this.#connection.prepare('vacuum into ?').run(file)
  }

  close(): void {
    this.#statements.clear()
    if (this.#connection.isOpen) this.#connection.close()
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#connection.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  #within<T>(begin: string, work: () => T): T {
    patiently(() => this.#connection.exec(begin))
    try {
      const result = work()
      this.#commit()
      return result
    } catch (error) {
      if (isCommittingError(error)) this.#commit()
      throw error
    } finally {
      this.#checks.clear()
      if (this.#connection.isTransaction) this.#connection.exec('rollback')
    }
  }

  #check() {
    for (const check of this.#checks.values()) check()
  }

  #commit() {
    this.#check()
    this.#connection.exec('commit')
  }

  #number(sql: string): number {
    return Number(Object.values(this.#connection.prepare(sql).get() ?? {})[0])
  }

  // Nothing is written, not even a mode, before it is sure that the file is ours and not from a newer svc. What says
  // so is read in one transaction, since another process may be creating the database at this very moment.
  #prepare(initialize: (database: Database) => void) {
    const version = patiently(() => this.#within('begin', () => this.#version()))
    if (this.file !== inMemory) {
      ensurePrivateMode(this.file)
      patiently(() => this.#connection.exec('pragma journal_mode = wal'))
    }
    this.#connection.exec(
      `pragma synchronous = full; pragma cache_size = -${cacheKilobytesMax}; pragma wal_autocheckpoint = ${walPagesMax}`,
    )
    if (version < schemaVersion) this.transact(() => this.#upgrade(initialize))
  }

  #version(): number {
    const version = this.#number('pragma user_version')
    const isOurs = this.#number('pragma application_id') === applicationId
    const isEmpty = this.#number('select count(*) from sqlite_schema') === 0
    if (!isOurs && !(isEmpty && version === 0)) {
      throw new SandboxFileError(`${this.file} is a database, but not a sandbox: name another file`)
    }
    if (version > schemaVersion) {
      throw new SandboxFileError(
        `${this.file} was written by a newer svc (schema ${version}; this svc knows ${schemaVersion}): ` +
          'update svc, or name another file',
      )
    }
    return version
  }

  // Another process may have done the same while this one waited for the lock, so the version is read again.
  #upgrade(initialize: (database: Database) => void) {
    const version = this.#version()
    for (const savepoint of schemaSteps.slice(version)) this.#connection.exec(savepoint)
    this.#connection.exec(`pragma application_id = ${applicationId}; pragma user_version = ${schemaVersion}`)
    if (version === 0) initialize(this)
  }
}
