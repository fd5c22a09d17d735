// The store of events: one SQLite file that only its owner can read, in which everything is on the disk before it is answered.
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync, type SQLInputValue, type StatementSync} from 'node:sqlite'
import {SvcError, badSettings, getSystemCode} from '../errors.ts'
import {fileMode, makePrivateFolder, withPrivateUmask, stateFolder} from '../storage/folders.ts'

// Marks the file as ours: "svce" in ASCII.
const applicationId = 0x73766365
const schemaVersion = 1

// A sender is answered within a second, so another process may hold the file for less than that.
const busyWaitMs = 500

// `trust` is 1 for what was verified: an event that anybody could have sent never stands in the way of a true one.
// The state of a customer carries by what it was ranked (see customers.ts). `announced` is the last event that was shown.
const schema = `
  create table events (
    seq integer primary key autoincrement,
    id text not null,
    trust integer not null,
    receivedAt integer not null,
    type text not null,
    customerId text,
    headers text not null,
    body blob not null,
    duplicates integer not null default 0,
    unique (id, trust)
  ) strict;
  create index eventsByTime on events (receivedAt);

  create table customers (
    customerId text not null primary key,
    trust integer not null,
    updatedAtMs integer not null,
    isFetched integer not null,
    eventAt integer not null,
    stage integer not null,
    eventId text not null,
    state text not null
  ) strict;

  create table deliveries (
    seq integer not null references events (seq),
    target text not null,
    status text not null default 'PENDING',
    attempts integer not null default 0,
    due integer not null,
    outcome text,
    primary key (seq, target)
  ) strict;
  create index deliveriesDue on deliveries (target, due, seq) where status = 'PENDING';

  create table progress (announced integer not null) strict;
  insert into progress values (0);
`

export const getEventStoreFile = () => process.env['SVC_EVENTS'] || path.join(stateFolder(), 'events.sqlite')

function createPrivately(file: string) {
  if (path.dirname(file) === path.resolve(stateFolder())) makePrivateFolder(stateFolder())
  withPrivateUmask(() => fs.closeSync(fs.openSync(file, 'a', fileMode)))
  fs.chmodSync(file, fileMode)
}

const unusable = (file: string, why: string, cause?: unknown) =>
  badSettings(`The store ${file} ${why}`, 'Name another with --store or SVC_EVENTS, or move this one away', cause)

export class EventStore {
  readonly file: string
  readonly #connection: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #lock: DatabaseSync | undefined

  // `mustExist` is for those who only read: they make no store.
  constructor(file: string, {mustExist = false} = {}) {
    this.file = file === ':memory:' ? file : path.resolve(file)
    if (mustExist && !fs.existsSync(this.file)) {
      throw new SvcError({
        error: 'NOT_FOUND',
        kind: 'notFound',
        message: `There is no store of events at ${this.file}`,
        hint: '`svc events listen` makes one; --store or SVC_EVENTS names another',
      })
    }
    try {
      if (this.file !== ':memory:') createPrivately(this.file)
      this.#connection = new DatabaseSync(this.file, {timeout: busyWaitMs})
      this.#prepare()
    } catch (cause) {
      if (cause instanceof SvcError) throw cause
      throw unusable(this.file, `cannot be opened or made (${getSystemCode(cause) ?? String(cause)})`, cause)
    }
  }

  one<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values) as Row[]
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#statement(sql).run(...values)
  }

  // All or nothing, and on the disk when it returns.
  transact<T>(work: () => T): T {
    this.#connection.exec('begin immediate')
    try {
      const result = work()
      this.#connection.exec('commit')
      return result
    } finally {
      if (this.#connection.isTransaction) this.#connection.exec('rollback')
    }
  }

  // One listener at a store: two would show and forward everything twice. The operating system frees it with its holder.
  lock(): void {
    const file = `${this.file}-listener`
    createPrivately(file)
    this.#lock = new DatabaseSync(file, {timeout: busyWaitMs})
    try {
      this.#lock.exec('begin exclusive')
    } catch (cause) {
      throw unusable(this.file, 'is in use by another `svc events listen`', cause)
    }
  }

  close(): void {
    this.#statements.clear()
    if (this.#connection.isOpen) this.#connection.close()
    if (this.#lock?.isOpen) this.#lock.close()
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#connection.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  #number(sql: string): number {
    return Number(Object.values(this.#connection.prepare(sql).get() ?? {})[0])
  }

  #prepare() {
    this.#version()
    this.#connection.exec('pragma journal_mode = wal; pragma synchronous = full')
    this.transact(() => {
      if (this.#version() === schemaVersion) return
      this.#connection.exec(schema)
      this.#connection.exec(`pragma application_id = ${applicationId}; pragma user_version = ${schemaVersion}`)
    })
  }

  // Nothing is written before it is sure that the file is ours and not from a newer svc.
  #version(): number {
    const version = this.#number('pragma user_version')
    const isEmpty = this.#number('select count(*) from sqlite_schema') === 0
    if (this.#number('pragma application_id') !== applicationId && !(isEmpty && version === 0)) {
      throw unusable(this.file, 'is a database, but not a store of events')
    }
    if (version > schemaVersion) {
      throw unusable(this.file, `was written by a newer svc (schema ${version}, this one knows ${schemaVersion})`)
    }
    return version
  }
}
