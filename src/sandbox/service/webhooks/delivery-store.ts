// Stores and lists the deliveries of events.
import {ControlError} from '../../operations/control-error.ts'
import {createOpaqueId} from '../../store/ids.ts'
import type {Database} from '../../store/database.ts'
import {toTimestamp} from '../../time/clock.ts'
import {enqueue} from '../../time/queue.ts'
import type {RequestContext} from '../request-context.ts'

type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED'

export interface WebhookDelivery {
  deliveryId: string
  eventId: string
  type: string
  customerId: string
  endpointId: string
  url: string
  // Whether the endpoint is gone, so that only the history of the delivery is left.
  endpointRemoved?: true
  status: DeliveryStatus
  attempts: number
  // The outcome of the last attempt: an HTTP status, or the name of the failure.
  lastOutcome?: string
  lastAttemptAt?: string
  nextAttemptAt?: string
  // Whether somebody asked for the event once more.
  resend?: true
  createdAt: string
}

interface DeliveryRow {
  deliveryId: string
  eventId: string
  type: string
  customerId: string
  endpointId: string
  url: string
  isRemoved: number
  status: DeliveryStatus
  attempts: number
  lastOutcome: string | null
  lastAttemptAt: number | null
  nextAttemptAt: number | null
  isResend: number
  createdAt: number
}

export interface DeliveriesQuery {
  endpointId?: string | undefined
  eventId?: string | undefined
  status?: DeliveryStatus | undefined
  limit?: number | undefined
}

const deliveriesShownDefault = 20

const insert =
  'insert into webhookDeliveries (deliveryId, eventId, endpointId, isResend, createdAt) values (?, ?, ?, ?, ?)'

interface NewDelivery {
  eventId: string
  endpointId: string
  isResend?: boolean
}

// Adds a delivery and queues its first attempt.
export function insertDelivery(
  context: RequestContext,
  {eventId, endpointId, isResend = false}: NewDelivery,
  due: number,
): string {
  const deliveryId = createOpaqueId(context.database, 'dlv')
  context.database.run(insert, deliveryId, eventId, endpointId, isResend ? 1 : 0, context.now)
  enqueue(context, 'webhook.attempt', {deliveryId, endpointId}, due)
  return deliveryId
}

const select = `
  select d.deliveryId, d.eventId, e.type, e.customerId, d.endpointId, p.url, p.secret = '' as isRemoved, d.status, d.attempts, d.lastOutcome,
    d.lastAttemptAt, d.isResend, d.createdAt,
    (select min(due) from queue where kind = 'webhook.attempt' and payload ->> 'deliveryId' = d.deliveryId)
      as nextAttemptAt
  from webhookDeliveries d join webhookEvents e using (eventId) join webhookEndpoints p using (endpointId)`

const filters = {endpointId: 'd.endpointId = ?', eventId: 'd.eventId = ?', status: 'd.status = ?'} as const

const toDelivery = (row: DeliveryRow): WebhookDelivery => ({
  deliveryId: row.deliveryId,
  eventId: row.eventId,
  type: row.type,
  customerId: row.customerId,
  endpointId: row.endpointId,
  url: row.url,
  ...(row.isRemoved === 1 && {endpointRemoved: true as const}),
  status: row.status,
  attempts: row.attempts,
  ...(row.lastOutcome !== null && {lastOutcome: row.lastOutcome}),
  ...(row.lastAttemptAt !== null && {lastAttemptAt: toTimestamp(row.lastAttemptAt)}),
  ...(row.nextAttemptAt !== null && {nextAttemptAt: toTimestamp(row.nextAttemptAt)}),
  ...(row.isResend === 1 && {resend: true as const}),
  createdAt: toTimestamp(row.createdAt),
})

// Newest first. One row more than the limit is read, to know whether there are more.
export function listDeliveries(database: Database, {limit = deliveriesShownDefault, ...query}: DeliveriesQuery) {
  const requested = (Object.keys(filters) as (keyof typeof filters)[]).filter((name) => query[name] !== undefined)
  const where = requested.length === 0 ? '' : `where ${requested.map((name) => filters[name]).join(' and ')}`
  const values = requested.map((name) => query[name] as string)
  const rows = database.all<DeliveryRow>(`${select} ${where} order by d.seq desc limit ? + 0`, ...values, limit + 1)
  return {deliveries: rows.slice(0, limit).map(toDelivery), more: rows.length > limit}
}

export function getDelivery(database: Database, deliveryId: string): WebhookDelivery {
  const row = database.one<DeliveryRow>(`${select} where d.deliveryId = ?`, deliveryId)
  if (row) return toDelivery(row)
  throw new ControlError(`There is no event and no delivery ${deliveryId}`, {notFound: true})
}
