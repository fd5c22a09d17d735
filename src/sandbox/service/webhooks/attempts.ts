// Claims attempts from the queue and records their outcomes. An attempt stays queued until its outcome is recorded, so each
// event is delivered at least once.
import {hourMs, minuteMs, secondMs} from '../../../values/time.ts'
import type {Database} from '../../store/database.ts'
import {readNow, toTimestamp} from '../../time/clock.ts'
import {enqueue} from '../../time/queue.ts'
import type {SandboxEnvironment} from '../request-context.ts'
import {type EndpointRow, disableEndpoint, isLeaseFree, leaseHolder, listEnabledEndpoints} from './endpoint-store.ts'
import {completeLinks} from './event-store.ts'

// What is sent to an endpoint.
export interface Message {
  eventId: string
  url: string
  secret: string
  body: string
  isResend: boolean
}

// An HTTP status, or the name of the failure.
export type Outcome = {status: number} | {failure: string}

export interface Attempt extends Message {
  seq: number
  payload: string
  deliveryId: string
  endpointId: string
  type: string
  attempts: number
  leaseUntil: number
}

export type Consequence = 'delivered' | 'disabled' | 'failed' | {nextAttemptAt: string}

// The schedule of Standard Webhooks: the pause before each attempt.
export const scheduleMs: readonly number[] = [
  0,
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
]

const statusGone = 410
const isDelivered = (outcome: Outcome) => 'status' in outcome && outcome.status >= 200 && outcome.status < 300

const firstDue = `
  select q.seq, q.payload, d.deliveryId, d.attempts, d.isResend, e.eventId, e.type, e.body, e.isSealed
  from queue q
  join webhookDeliveries d on d.deliveryId = q.payload ->> 'deliveryId'
  join webhookEvents e using (eventId)
  where q.kind = 'webhook.attempt' and q.payload ->> 'endpointId' = ? and q.due <= ?
  order by q.due, q.seq limit 1`

type DueRow = Pick<Attempt, 'seq' | 'payload' | 'deliveryId' | 'attempts' | 'eventId' | 'type' | 'body'> & {
  isResend: number
  isSealed: number
}

const findFirstDue = (database: Database, {endpointId}: EndpointRow) =>
  database.one<DueRow>(firstDue, endpointId, readNow(database))

// This only reads, so that an idle server does not take the write lock.
export const listEndpointsDue = ({database}: SandboxEnvironment) =>
  listEnabledEndpoints(database)
    .filter((endpoint) => isLeaseFree(endpoint) && findFirstDue(database, endpoint))
    .map(({endpointId}) => endpointId)

export function sealBody(
  environment: SandboxEnvironment,
  event: Pick<DueRow, 'eventId' | 'body' | 'isSealed'>,
): string {
  const text = completeLinks(environment, event)
  if (event.isSealed === 0) {
    environment.database.run('update webhookEvents set body = ?, isSealed = 1 where eventId = ?', text, event.eventId)
  }
  return text
}

// An endpoint gets one attempt at a time, so that events arrive in order unless one fails.
export function claimAttempt(
  environment: SandboxEnvironment,
  endpointId: string,
  leaseMs: number,
): Attempt | undefined {
  const {database} = environment
  return database.transact(() => {
    const endpoint = listEnabledEndpoints(database).find((each) => each.endpointId === endpointId)
    const row = endpoint && isLeaseFree(endpoint) ? findFirstDue(database, endpoint) : undefined
    if (!endpoint || !row) return undefined
    const leaseUntil = Date.now() + leaseMs
    database.run(
      'update webhookEndpoints set leaseHolder = ?, leaseUntil = ? where endpointId = ?',
      leaseHolder,
      leaseUntil,
      endpointId,
    )
    const {isSealed: _, isResend, ...due} = row
    return {
      ...due,
      body: sealBody(environment, row),
      endpointId,
      url: endpoint.url,
      secret: endpoint.secret,
      isResend: isResend === 1,
      leaseUntil,
    }
  })
}

// Returns whether the lease was still held. Without it, the outcome must not be recorded.
const releaseLease = (database: Database, {endpointId, leaseUntil}: Attempt) =>
  database.one(
    `update webhookEndpoints set leaseHolder = null, leaseUntil = null
     where endpointId = ? and leaseHolder = ? and leaseUntil = ? returning endpointId`,
    endpointId,
    leaseHolder,
    leaseUntil,
  ) !== undefined

// A stopped attempt stays in the queue and is made again.
export function releaseAttempt({database}: SandboxEnvironment, attempt: Attempt) {
  database.transact(() => releaseLease(database, attempt))
}

export function applyOutcome(
  database: Database,
  attempt: Pick<Attempt, 'deliveryId' | 'endpointId' | 'attempts'>,
  outcome: Outcome,
  at: number,
): Consequence {
  const {deliveryId, endpointId} = attempt
  database.run(
    'update webhookDeliveries set attempts = attempts + 1, lastOutcome = ?, lastAttemptAt = ? where deliveryId = ?',
    'status' in outcome ? String(outcome.status) : outcome.failure,
    at,
    deliveryId,
  )
  const setStatus = (status: string) =>
    database.run('update webhookDeliveries set status = ? where deliveryId = ?', status, deliveryId)
  if (isDelivered(outcome)) {
    setStatus('DELIVERED')
    return 'delivered'
  }
  if ('status' in outcome && outcome.status === statusGone) {
    disableEndpoint(database, endpointId)
    return 'disabled'
  }
  // The endpoint may have been removed or disabled while the event was under way.
  const isEnabled = listEnabledEndpoints(database).some((endpoint) => endpoint.endpointId === endpointId)
  const waitMs = isEnabled ? scheduleMs[attempt.attempts + 1] : undefined
  if (waitMs === undefined) {
    setStatus('FAILED')
    return 'failed'
  }
  enqueue({database, now: at}, 'webhook.attempt', {deliveryId, endpointId}, at + waitMs)
  return {nextAttemptAt: toTimestamp(at + waitMs)}
}

// Times are those of the virtual clock. Nothing is written if the lease was lost or the endpoint was deleted.
export function recordOutcome(
  {database}: SandboxEnvironment,
  attempt: Attempt,
  outcome: Outcome,
): Consequence | undefined {
  return database.transact(() => {
    if (!releaseLease(database, attempt)) return undefined
    const at = readNow(database)
    database.run('delete from queue where seq = ? and payload = ?', attempt.seq, attempt.payload)
    return applyOutcome(database, attempt, outcome, at)
  })
}
