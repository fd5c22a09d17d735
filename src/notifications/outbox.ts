// The outbox: notifications that wait for the notify command, in a file beside the journal. A
// delivered notification is remembered, so that the same event is not told again.
import path from 'node:path'
import {getStateFolder} from '../storage/folders.ts'
import {type JournalAddress, isDatabase} from '../storage/journal-address.ts'
import {SqliteConnection, type SqliteFormat, openSqliteFile} from '../storage/sqlite.ts'
import {dayMs, minuteMs} from '../values/time.ts'

// Notifications must not hold up a payment, so svc does not wait long for another process.
const busyWaitMs = 500
// After a failure, the command is tried again so much later for each try that failed, up to an
// hour.
const retryDelayMs = minuteMs
const retryDelaysMax = 60
const rememberedMs = 90 * dayMs

// `recipient` is the profile whose command is told. Several profiles may share a journal.
const schema = `
  create table notifications (
    id text not null,
    recipient text not null,
    body text not null,
    dueAt integer not null,
    attempts integer not null default 0,
    failure text,
    deliveredAt integer,
    primary key (recipient, id)
  ) strict, without rowid;
  create index notificationsDue on notifications (recipient, dueAt) where deliveredAt is null;
`

const outboxFormat: SqliteFormat = {
  // "svcn" in ASCII.
  applicationId: 0x7376636e,
  schemaVersion: 1,
  schema,
  description: 'an outbox of notifications',
}

// A journal in a database has its outbox in the state folder of this machine.
export function getOutboxFile(journal: JournalAddress): string {
  if (isDatabase(journal)) return path.join(getStateFolder(), 'notifications.sqlite')
  const {dir, name} = path.parse(path.resolve(journal.text))
  return path.join(dir, `${name}.notifications.sqlite`)
}

export class Outbox extends SqliteConnection {
  // Does nothing if it is in the outbox already, delivered or not.
  add(recipient: string, id: string, body: string, nowMs: number): void {
    this.transact(() => {
      this.run('delete from notifications where deliveredAt < ?', nowMs - rememberedMs)
      const text = 'insert or ignore into notifications (id, recipient, body, dueAt) values (?, ?, ?, ?)'
      this.run(text, id, recipient, body, nowMs)
    })
  }

  // Takes the next one that is due. Other processes leave it alone for `holdMs`, after which it is
  // due again, so a process that is killed while it delivers loses nothing.
  claim(recipient: string, nowMs: number, holdMs: number): {id: string; body: string} | undefined {
    return this.one(
      `update notifications set dueAt = ?, attempts = attempts + 1 where recipient = ? and id = (
        select id from notifications where recipient = ? and deliveredAt is null and dueAt <= ? order by dueAt, id limit 1)
      returning id, body`,
      nowMs + holdMs,
      recipient,
      recipient,
      nowMs,
    )
  }

  // Whether it was delivered, or why not.
  record(recipient: string, id: string, nowMs: number, failure: string | undefined): void {
    const delivered = 'deliveredAt = ?'
    const failed = `dueAt = ? + ${retryDelayMs} * min(attempts, ${retryDelaysMax})`
    const text = `update notifications set ${failure === undefined ? delivered : failed}, failure = ? where recipient = ? and id = ?`
    this.run(text, nowMs, failure ?? null, recipient, id)
  }

  // The number of notifications that wait, and why the one failed that was tried most often.
  describe(recipient: string): {waiting: number; failure: string | null; attempts: number} {
    const text = `select count(*) as waiting, failure, max(iif(failure is null, 0, attempts)) as attempts
      from notifications where recipient = ? and deliveredAt is null`
    return this.one(text, recipient) ?? {waiting: 0, failure: null, attempts: 0}
  }
}

export function openOutbox(file: string): Outbox {
  return openSqliteFile(file, outboxFormat, {connect: (resolved) => new Outbox(resolved, busyWaitMs)})
}
