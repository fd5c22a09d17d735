// Turns the journal's writes into database transactions: one per write, or one for all writes of an event loop turn.
import type {DatabaseSync, StatementSync} from 'node:sqlite'
import {retryWhileBusy} from '../../../storage/sqlite-error.ts'
import {journalBusyWaitMs} from './file.ts'

export interface Transactions {
  // Writes all of the work or none of it. Nothing that it reads can change before it is written.
  run<T>(work: () => T): T
  // The same for work that makes its checks before its first write. If it still fails after a write, the file is at fault: the
  // whole transaction is undone, with the writes of other callers, and every later call fails.
  runUnguarded<T>(work: () => T): T
  // Commits the open transaction. Throws if any earlier write was lost.
  commit(): void
  // Commits like commit(), but ignores failures: callers that depend on a write have already waited for flush().
  finish(): void
}

interface TransactionHooks {
  // Writes what is written once in a transaction, whatever it consists of.
  beforeCommit: () => void
  // How many rows were changed so far.
  countChanges: () => number
}

// Ignores failures, because the error that led here is the one to report. A full disk may already have rolled back.
function execIfOpen(database: DatabaseSync, sql: string): void {
  try {
    if (database.isTransaction) database.exec(sql)
  } catch {
    return
  }
}

class SingleTransactions implements Transactions {
  readonly #database: DatabaseSync
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #beforeCommit: () => void

  constructor(database: DatabaseSync, {beforeCommit}: TransactionHooks) {
    this.#database = database
    this.#begin = database.prepare('begin immediate')
    this.#commit = database.prepare('commit')
    this.#beforeCommit = beforeCommit
  }

  run<T>(work: () => T): T {
    try {
      retryWhileBusy(journalBusyWaitMs, () => this.#begin.run())
      const result = work()
      this.#beforeCommit()
      this.#commit.run()
      return result
    } catch (error) {
      execIfOpen(this.#database, 'rollback')
      throw error
    }
  }

  runUnguarded<T>(work: () => T): T {
    return this.run(work)
  }

  commit(): void {}

  finish(): void {}
}

// All writes of one turn of the event loop share a transaction. Each can fail alone: it has its own savepoint, for which SQLite
// copies every page that it changes, or it needs none. The transaction never stays open across turns, so that no other process has
// to wait long for it.
class GroupedTransactions implements Transactions {
  readonly #database: DatabaseSync
  readonly #beginImmediate: StatementSync
  readonly #commit: StatementSync
  readonly #savepoint: StatementSync
  readonly #release: StatementSync
  readonly #beforeCommit: () => void
  readonly #countChanges: () => number
  // Once a write is lost that callers already relied on, every later call fails.
  #failure: {cause: unknown} | undefined

  constructor(database: DatabaseSync, {beforeCommit, countChanges}: TransactionHooks) {
    this.#database = database
    this.#beforeCommit = beforeCommit
    this.#countChanges = countChanges
    this.#beginImmediate = database.prepare('begin immediate')
    this.#commit = database.prepare('commit')
    this.#savepoint = database.prepare('savepoint one')
    this.#release = database.prepare('release one')
  }

  run<T>(work: () => T): T {
    this.#throwIfFailed()
    this.#begin()
    this.#savepoint.run()
    try {
      const result = work()
      this.#release.run()
      return result
    } catch (error) {
      execIfOpen(this.#database, 'rollback to one; release one')
      if (!this.#database.isTransaction) this.#failure = {cause: error}
      throw error
    }
  }

  runUnguarded<T>(work: () => T): T {
    this.#throwIfFailed()
    this.#begin()
    const before = this.#countChanges()
    try {
      return work()
    } catch (error) {
      if (this.#countChanges() !== before) execIfOpen(this.#database, 'rollback')
      if (!this.#database.isTransaction) this.#failure = {cause: error}
      throw error
    }
  }

  commit(): void {
    this.#throwIfFailed()
    if (!this.#database.isOpen || !this.#database.isTransaction) return
    try {
      this.#beforeCommit()
      this.#commit.run()
    } catch (cause) {
      this.#failure = {cause}
      execIfOpen(this.#database, 'rollback')
      throw cause
    }
  }

  finish(): void {
    try {
      this.commit()
    } catch {
      return
    }
  }

  #begin(): void {
    if (this.#database.isTransaction) return
    retryWhileBusy(journalBusyWaitMs, () => this.#beginImmediate.run())
    setImmediate(() => {
      try {
        this.commit()
      } catch {
        // #failure keeps the error, and every later call throws it.
        return
      }
    })
  }

  #throwIfFailed(): void {
    if (this.#failure) throw this.#failure.cause
  }
}

export const createTransactions = (
  database: DatabaseSync,
  isGrouped: boolean,
  {beforeCommit = () => {}, countChanges = () => 0}: Partial<TransactionHooks> = {},
): Transactions => {
  const hooks = {beforeCommit, countChanges}
  return isGrouped ? new GroupedTransactions(database, hooks) : new SingleTransactions(database, hooks)
}
