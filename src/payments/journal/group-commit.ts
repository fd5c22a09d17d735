// How the journal's writes become transactions of its database: each one alone, or those of one moment together.
import type {DatabaseSync, StatementSync} from 'node:sqlite'
import {retryWhileBusy} from '../../storage/busy.ts'
import {journalBusyWaitMs} from './file.ts'

export interface Transactions {
  // All of the work is written, or nothing of it. What it reads cannot change before it is written.
  run<T>(work: () => T): T
  // Ends what is still open. Throws if anything that was run could not be kept.
  commit(): void
  // The same without a word: whoever had to know that something is kept has asked for it before.
  finish(): void
}

// A full disk may have undone it already, or may not let it be undone: what went wrong first is what is told.
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

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#begin = database.prepare('begin immediate')
    this.#commit = database.prepare('commit')
  }

  run<T>(work: () => T): T {
    try {
      retryWhileBusy(journalBusyWaitMs, () => this.#begin.run())
      const result = work()
      this.#commit.run()
      return result
    } catch (error) {
      execIfOpen(this.#database, 'rollback')
      throw error
    }
  }

  commit(): void {}

  finish(): void {}
}

// What many payments write in one turn of the event loop is one transaction, in which each is undone by itself if it fails.
// It is never left open while something is waited for, so that no other process waits for longer than a turn.
class GroupedTransactions implements Transactions {
  readonly #database: DatabaseSync
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #mark: StatementSync
  readonly #keep: StatementSync
  // Once something that was taken for written is lost, nothing later may be built on it.
  #failure: {cause: unknown} | undefined

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#begin = database.prepare('begin immediate')
    this.#commit = database.prepare('commit')
    this.#mark = database.prepare('savepoint one')
    this.#keep = database.prepare('release one')
  }

  run<T>(work: () => T): T {
    this.#refuseIfFailed()
    this.#open()
    this.#mark.run()
    try {
      const result = work()
      this.#keep.run()
      return result
    } catch (error) {
      execIfOpen(this.#database, 'rollback to one; release one')
      if (!this.#database.isTransaction) this.#failure = {cause: error}
      throw error
    }
  }

  commit(): void {
    this.#refuseIfFailed()
    if (!this.#database.isOpen || !this.#database.isTransaction) return
    try {
      this.#commit.run()
    } catch (cause) {
      this.#failure = {cause}
      execIfOpen(this.#database, 'rollback')
      throw cause
    }
  }

  finish(): void {
    if (!this.#failure) execIfOpen(this.#database, 'commit')
  }

  #open(): void {
    if (this.#database.isTransaction) return
    retryWhileBusy(journalBusyWaitMs, () => this.#begin.run())
    setImmediate(() => {
      try {
        this.commit()
      } catch {
        // Whoever builds on it hears of it: it is kept, and thrown from now on.
        return
      }
    })
  }

  #refuseIfFailed(): void {
    if (this.#failure) throw this.#failure.cause
  }
}

export const createTransactions = (database: DatabaseSync, isGrouped: boolean): Transactions =>
  isGrouped ? new GroupedTransactions(database) : new SingleTransactions(database)
