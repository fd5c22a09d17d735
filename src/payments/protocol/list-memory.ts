// Remembers which transactions of a customer were listed before, so that a later search reads only what is new. Used where a service
// is known to list by creation, newest first. It has ids alone, and can be deleted at any time: the next search reads the whole list.
import path from 'node:path'
import type {LooseTransaction} from '../../contract/loose.ts'
import {getStateFolder} from '../../storage/folders.ts'
import {makePrivateFolder} from '../../storage/private-file.ts'
import {SqliteFileError} from '../../storage/sqlite-error.ts'
import {SqliteConnection, type SqliteFormat, checkFileExists, openSqliteFile} from '../../storage/sqlite.ts'
import {readText} from '../../values/records.ts'
import {isDerivedCorrelationId} from './payment.ts'
import type {Coverage, ListRead} from './read-list.ts'

const format: SqliteFormat = {
  // "svcl" in ASCII.
  applicationId: 0x7376636c,
  schemaVersion: 1,
  schema: `
    create table lists (
      serviceId text not null,
      customerId text not null,
      startedMs integer not null,
      primary key (serviceId, customerId)
    ) strict, without rowid;
    create table listed (
      serviceId text not null,
      customerId text not null,
      id text not null,
      transactionId text not null,
      primary key (serviceId, customerId, id, transactionId)
    ) strict, without rowid;
  `,
  description: 'a memory of lists',
}

const busyWaitMs = 500

const getListMemoryFile = () => path.join(getStateFolder(), 'lists.sqlite')

// The ids by which a transaction is looked for: its own, and the correlationId of svc's or else the quote.
const listIds = ({transactionId, correlationId, quoteId}: LooseTransaction) =>
  [transactionId, isDerivedCorrelationId(correlationId) ? correlationId : quoteId].map(readText).filter(Boolean)

export class ListMemory {
  readonly #serviceId: string
  #connection: SqliteConnection | undefined
  // Those that were found to be remembered, and need not be written again.
  readonly #known = new Set<string>()

  constructor(serviceId: string) {
    this.#serviceId = serviceId
  }

  // What earlier searches have seen of the customer's list.
  recall(customerId: string): Coverage | undefined {
    const sql = 'select startedMs from lists where serviceId = ? and customerId = ?'
    const found = this.#use(false, (connection) =>
      connection.one<{startedMs: number}>(sql, this.#serviceId, customerId.toLowerCase()),
    )
    const knows = (transactionId: string) => this.#knows(customerId.toLowerCase(), transactionId)
    return found && {startedMs: found.startedMs, isNewestFirst: true, knows}
  }

  #knows(customerId: string, transactionId: string): boolean {
    const sql = 'select 1 from listed where serviceId = ? and customerId = ? and id = ?'
    const found = this.#use(false, (connection) => connection.one(sql, this.#serviceId, customerId, transactionId))
    if (found) this.#known.add(transactionId)
    return found !== undefined
  }

  // The transactions that had one of these ids.
  find(customerId: string, ids: readonly string[]): string[] {
    const sql = `select transactionId from listed where serviceId = ? and customerId = ? and id in (select value from json_each(?))`
    const rows = this.#use(false, (connection) =>
      connection.all<{transactionId: string}>(sql, this.#serviceId, customerId.toLowerCase(), JSON.stringify(ids)),
    )
    return [...new Set(rows?.map(({transactionId}) => transactionId))]
  }

  // A list that fits on a page is read as quickly as it is remembered.
  remember(customerId: string, {pages, startedMs, isNewestFirst}: ListRead, seen: readonly LooseTransaction[]): void {
    const place = [this.#serviceId, customerId.toLowerCase()] as const
    if (!isNewestFirst) {
      this.#use(false, (connection) => forget(connection, place))
      return
    }
    this.#use(pages > 1, (connection) =>
      connection.transact(() => {
        const insert = connection.prepare('insert or ignore into listed values (?, ?, ?, ?)')
        for (const transaction of seen.filter(({transactionId}) => !this.#known.has(readText(transactionId)))) {
          for (const id of listIds(transaction)) insert.run(...place, id, readText(transaction.transactionId))
        }
        connection.run('insert or replace into lists values (?, ?, ?)', ...place, startedMs)
      }),
    )
  }

  close(): void {
    this.#connection?.close()
    this.#connection = undefined
  }

  // Undefined if there is nothing to remember, or if the file cannot be used: then every search reads the whole list.
  #use<T>(isCreated: boolean, work: (connection: SqliteConnection) => T): T | undefined {
    const file = getListMemoryFile()
    try {
      if (!this.#connection && !isCreated && !checkFileExists(file)) return undefined
      if (!this.#connection) makePrivateFolder(path.dirname(file))
      this.#connection ??= openSqliteFile(file, format, {
        connect: (resolved) => new SqliteConnection(resolved, busyWaitMs),
        tuning: 'pragma synchronous = normal',
      })
      return work(this.#connection)
    } catch (error) {
      if (error instanceof SqliteFileError || isSqliteFailure(error)) return undefined
      throw error
    }
  }
}

// A list that has another order than before is remembered no longer.
function forget(connection: SqliteConnection, place: readonly [string, string]): void {
  connection.transact(() => {
    for (const table of ['lists', 'listed']) {
      connection.run(`delete from ${table} where serviceId = ? and customerId = ?`, ...place)
    }
  })
}

const isSqliteFailure = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'
