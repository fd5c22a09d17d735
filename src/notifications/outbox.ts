// The outbox: notifications that wait for the notify command, in a file beside the journal. One that was delivered is remembered,
// so that the same event is not told again.
import {createHash} from 'node:crypto'
import path from 'node:path'
import {getStateFolder} from '../storage/folders.ts'
import {type JournalAddress, isDatabase} from '../storage/journal-address.ts'
import {makePrivateFolder} from '../storage/private-file.ts'
import {SqliteConnection, type SqliteFormat, openSqliteFile} from '../storage/sqlite.ts'
import {minuteMs} from '../values/time.ts'

// Notifications must not hold up a payment, so svc does not wait long for another process.
const busyWaitMs = 500
// The command is tried again a minute after the first failure, and twice as late after each further one, up to about an hour.
const retryDelayMs = minuteMs
const retryDoublingsMax = 6
const rememberedMs = 90 * 24 * 60 * minuteMs

// `recipient` is the profile whose command is told. Several profiles may share a journal.
const schema = `
  create table notifications (
    id text not null,
    recipient text not null,
    body text not null,
    addedAt integer not null,
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

interface WaitingNotification {
  id: string
  body: string
}

interface OutboxState {
  waiting: number
  // The oldest failure of one that waits, with how often it was tried.
  failure?: string
  attempts?: number
}

export class Outbox extends SqliteConnection {
  // Does nothing if it is in the outbox already, delivered or not.
  add(recipient: string, notification: Notification, nowMs: number): void {
    this.transact(() => {
      this.run('delete from notifications where deliveredAt < ?', nowMs - rememberedMs)
      this.run(
        'insert or ignore into notifications (id, recipient, body, addedAt, dueAt) values (?, ?, ?, ?, ?)',
        notification.id,
        recipient,
        JSON.stringify(notification),
        nowMs,
        nowMs,
      )
    })
  }

  // Takes the next one that is due. Other processes leave it alone for `holdMs`, after which it is due again, so a process that
  // is killed while it delivers loses nothing.
  claim(recipient: string, nowMs: number, holdMs: number): WaitingNotification | undefined {
    return this.transact(() => {
      const next = this.one<WaitingNotification>(
        'select id, body from notifications where recipient = ? and deliveredAt is null and dueAt <= ? order by dueAt, id limit 1',
        recipient,
        nowMs,
      )
      if (!next) return undefined
      this.run(
        'update notifications set dueAt = ?, attempts = attempts + 1 where recipient = ? and id = ?',
        nowMs + holdMs,
        recipient,
        next.id,
      )
      return next
    })
  }

  recordDelivered(recipient: string, id: string, nowMs: number): void {
    this.run(
      'update notifications set deliveredAt = ?, failure = null where recipient = ? and id = ?',
      nowMs,
      recipient,
      id,
    )
  }

  recordFailed(recipient: string, id: string, failure: string, nowMs: number): void {
    this.run(
      'update notifications set failure = ?, dueAt = ? + ? * (1 << min(attempts - 1, ?)) where recipient = ? and id = ?',
      failure,
      nowMs,
      retryDelayMs,
      retryDoublingsMax,
      recipient,
      id,
    )
  }

  describe(recipient: string): OutboxState {
    const {waiting = 0} =
      this.one<{waiting: number}>(
        'select count(*) as waiting from notifications where recipient = ? and deliveredAt is null',
        recipient,
      ) ?? {}
    const failed = this.one<{failure: string; attempts: number}>(
      'select failure, attempts from notifications where recipient = ? and deliveredAt is null and failure is not null order by addedAt limit 1',
      recipient,
    )
    return {waiting, ...failed}
  }
}

export function openOutbox(file: string): Outbox {
  if (path.dirname(file) === path.resolve(getStateFolder())) makePrivateFolder(getStateFolder())
  return openSqliteFile(file, outboxFormat, {connect: (resolved) => new Outbox(resolved, busyWaitMs)})
}

// What a person is told about by the notify command: one JSON object per event, without secrets and personal data.

// Each needs a person: svc does not get further by itself.
type NotificationEvent =
  // The outcome of a payment has been unknown for longer than the profile allows.
  | 'payment.unknown'
  // A limit, a possible duplicate or a wrong clock stopped a payment (code 10).
  | 'payment.stopped'
  // A transaction FAILED, was CANCELLED or EXPIRED (code 11).
  | 'payment.ended'
  // Rows of a file or of a batch were stopped (code 10).
  | 'payouts.stopped'
  // A wallet has too little for a payment.
  | 'wallet.drained'
  // Somebody has to approve something before it can be paid.
  | 'approval.asked'
  // Somebody changed the policy, or proposed a change.
  | 'policy.changed'

// Ids, codes, amounts and svc's own sentences. Messages of the service may contain personal data and are left out.
type NotificationDetail = Readonly<Record<string, string | number | readonly string[] | undefined>>

export interface NewNotification {
  event: NotificationEvent
  // What makes it the same event again. The same facts have the same id on every host and in every run.
  facts: readonly string[]
  detail: NotificationDetail
}

// As it is given to the command.
export interface Notification extends Record<string, unknown> {
  id: string
  event: NotificationEvent
  at: string
  profile?: string
  service: string
}

const idLength = 32

export function deriveNotificationId(serviceId: string, {event, facts}: Omit<NewNotification, 'detail'>): string {
  const hash = createHash('sha256').update(JSON.stringify([event, serviceId, ...facts]))
  return `ntf_${hash.digest('hex').slice(0, idLength)}`
}
