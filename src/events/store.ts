// The event store: one SQLite file that only its owner can read. An event is on disk before its sender gets a reply.
import fs from 'node:fs'
import path from 'node:path'
import {SvcError, badSettings} from '../errors.ts'
import {getStateFolder} from '../storage/folders.ts'
import {type HeldLock, holdLock} from '../storage/process-lock.ts'
import {SqliteFileError} from '../storage/sqlite-error.ts'
import {SqliteConnection, type SqliteFormat, inMemory, openSqliteFile, overwriteDeleted} from '../storage/sqlite.ts'
import {svc} from '../values/text.ts'
import {dayMs} from '../values/time.ts'

// Senders expect a reply within seconds, so svc does not wait long for another process that holds the file.
const busyWaitMs = 500
const keptMs = 30 * dayMs

// `trust` is 1 for a verified event. It is part of the key, so that a forged event never blocks a verified one of the same
// id. `announced` is the last event that was shown.
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

  create table deliveries (
    seq integer not null references events (seq) on delete cascade,
    target text not null,
    status text not null default 'PENDING',
    attempts integer not null default 0,
    due integer not null,
    outcome text,
    primary key (seq, target)
  ) strict;
  create index deliveriesPending on deliveries (target, seq) where status = 'PENDING';

  create table progress (announced integer not null) strict;
  insert into progress values (0);
`

const eventStoreFormat: SqliteFormat = {
  // "svce" in ASCII.
  applicationId: 0x73766365,
  schemaVersion: 1,
  schema,
  description: 'an event store',
}

export const getEventStoreFile = () => process.env['SVC_EVENTS'] || path.join(getStateFolder(), 'events.sqlite')

const createStoreError = (file: string, reason: string, cause?: unknown) =>
  badSettings(
    `The event store ${file} ${reason}`,
    'Name another with --store or SVC_EVENTS, or move this one away',
    cause,
  )

export class EventStore extends SqliteConnection {
  #lock: HeldLock | undefined

  // Two listeners on one store would show and forward every event twice.
  lock(): void {
    if (this.file === inMemory) return
    this.#lock = holdLock(`${this.file}-listener`, busyWaitMs)
    if (!this.#lock) throw createStoreError(this.file, `is in use by another ${svc`events listen`}`)
  }

  override close(): void {
    super.close()
    this.#lock?.release()
    this.#lock = undefined
  }
}

// Events hold personal data, so they have an end. Called whenever a store is opened, and with every event that is stored.
export function removeOldEvents(store: EventStore, now: number): void {
  store.run('delete from events where receivedAt < ?', now - keptMs)
}

// Creates the store if there is none, and its folder.
export function openEventStore(file: string): EventStore {
  const connect = (resolved: string) => new EventStore(resolved, busyWaitMs)
  try {
    const store = openSqliteFile(file, eventStoreFormat, {connect, tuning: overwriteDeleted})
    removeOldEvents(store, Date.now())
    return store
  } catch (error) {
    if (!(error instanceof SqliteFileError)) throw error
    throw createStoreError(path.resolve(file), error.reason, error)
  }
}

// For commands that only read.
export function openExistingEventStore(file: string): EventStore {
  if (fs.existsSync(file)) return openEventStore(file)
  throw new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `There is no event store at ${path.resolve(file)}`,
    hint: `${svc`events listen`} creates one; --store or SVC_EVENTS names another`,
  })
}
