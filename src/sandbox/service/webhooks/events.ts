// Stores and lists events and their deliveries. A customer that changes makes one while an endpoint is enabled, and an operator can add others.
import {customerUpdatedName} from '../../../contract/vocabulary.ts'
import {ControlError} from '../../operations/control-error.ts'
import type {Result} from '../../../sandbox-results.ts'
import type {Database} from '../../store/database.ts'
import {createOpaqueId} from '../../store/ids.ts'
import {toTimestamp} from '../../time/clock.ts'
import {enqueue} from '../../time/queue.ts'
import {getCustomerRow, toCustomer} from '../customers/customer-store.ts'
import type {RequestContext} from '../request-context.ts'
import {toMadeUpEventId} from '../../../values/event-ids.ts'
import {listEnabledEndpoints} from './endpoints.ts'

interface EventsQuery {
  customerId?: string | undefined
  limit?: number | undefined
}

export interface NewEvent {
  type: string
  // Whether somebody made it up, instead of a change of the customer.
  isMadeUp: boolean
  customerId: string
  body: string
}

export function insertEvent({database, now}: RequestContext, {isMadeUp, ...event}: NewEvent): string {
  const id = createOpaqueId(database, 'evt')
  const eventId = isMadeUp ? toMadeUpEventId(id) : id
  database.insertRow('webhookEvents', {eventId, ...event, createdAt: now})
  return eventId
}

interface EventRow extends Omit<Result<'WebhookEvent'>, 'createdAt'> {
  createdAt: number
}

const selectEvents = `
  select e.eventId, e.type, e.customerId, e.createdAt, e.body,
    (select count(*) from webhookDeliveries d where d.eventId = e.eventId) as deliveries,
    (select count(*) from webhookDeliveries d where d.eventId = e.eventId and d.status = 'DELIVERED') as delivered
  from webhookEvents e`

const toEvent = ({createdAt, ...event}: EventRow): Result<'WebhookEvent'> => ({
  ...event,
  createdAt: toTimestamp(createdAt),
})

const eventsShownDefault = 20

// Newest first. One row more than the limit is read, to know whether there are more.
export function listEvents(context: RequestContext, {customerId, limit = eventsShownDefault}: EventsQuery = {}) {
  const rows = context.database.all<EventRow>(
    `${selectEvents} where ? is null or e.customerId = ? order by e.rowid desc limit ? + 0`,
    customerId ?? null,
    customerId ?? null,
    limit + 1,
  )
  return {events: rows.slice(0, limit).map(toEvent), more: rows.length > limit}
}

export function findEvent(context: RequestContext, eventId: string): Result<'WebhookEvent'> | undefined {
  const row = context.database.one<EventRow>(`${selectEvents} where e.eventId = ?`, eventId)
  return row && toEvent(row)
}

export const hasEvent = (database: Database, eventId: string) =>
  database.one('select 1 from webhookEvents where eventId = ?', eventId) !== undefined

type DeliveryStatus = Result<'WebhookDelivery'>['status']

interface DeliveryRow extends Omit<Result<'WebhookDelivery'>, 'createdAt' | 'resend' | LastAndNext> {
  lastOutcome: string | null
  lastAttemptAt: number | null
  nextAttemptAt: number | null
  isResend: number
  createdAt: number
}

type LastAndNext = 'lastOutcome' | 'lastAttemptAt' | 'nextAttemptAt'

export interface DeliveriesQuery {
  endpointId?: string | undefined
  eventId?: string | undefined
  status?: DeliveryStatus | undefined
  limit?: number | undefined
}

const deliveriesShownDefault = 20

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
  const row = {deliveryId, eventId, endpointId, isResend: isResend ? 1 : 0, createdAt: context.now}
  context.database.insertRow('webhookDeliveries', row)
  enqueue(context, 'webhook.attempt', {deliveryId, endpointId}, due)
  return deliveryId
}

const selectDeliveries = `
  select d.deliveryId, d.eventId, e.type, e.customerId, d.endpointId, p.url, d.status, d.attempts, d.lastOutcome,
    d.lastAttemptAt, d.isResend, d.createdAt,
    (select min(due) from queue where kind = 'webhook.attempt' and payload ->> 'deliveryId' = d.deliveryId)
      as nextAttemptAt
  from webhookDeliveries d join webhookEvents e using (eventId) join webhookEndpoints p using (endpointId)`

const filters = {endpointId: 'd.endpointId = ?', eventId: 'd.eventId = ?', status: 'd.status = ?'} as const

function toDelivery(row: DeliveryRow): Result<'WebhookDelivery'> {
  const {isResend, lastAttemptAt, nextAttemptAt, createdAt, lastOutcome, ...delivery} = row
  return {
    ...delivery,
    ...(lastOutcome !== null && {lastOutcome}),
    ...(lastAttemptAt !== null && {lastAttemptAt: toTimestamp(lastAttemptAt)}),
    ...(nextAttemptAt !== null && {nextAttemptAt: toTimestamp(nextAttemptAt)}),
    ...(isResend === 1 && {resend: true as const}),
    createdAt: toTimestamp(createdAt),
  }
}

// Newest first. One row more than the limit is read, to know whether there are more.
export function listDeliveries(database: Database, {limit = deliveriesShownDefault, ...query}: DeliveriesQuery) {
  const requested = (Object.keys(filters) as (keyof typeof filters)[]).filter((name) => query[name] !== undefined)
  const where = requested.length === 0 ? '' : `where ${requested.map((name) => filters[name]).join(' and ')}`
  const values = requested.map((name) => query[name] as string)
  const rows = database.all<DeliveryRow>(
    `${selectDeliveries} ${where} order by d.seq desc limit ? + 0`,
    ...values,
    limit + 1,
  )
  return {deliveries: rows.slice(0, limit).map(toDelivery), more: rows.length > limit}
}

export function getDelivery(database: Database, deliveryId: string): Result<'WebhookDelivery'> {
  const row = database.one<DeliveryRow>(`${selectDeliveries} where d.deliveryId = ?`, deliveryId)
  if (row) return toDelivery(row)
  throw new ControlError(`There is no event and no delivery ${deliveryId}`, {notFound: true})
}

function insertCustomerUpdated(context: RequestContext, customerId: string): string {
  const data = toCustomer(context, getCustomerRow(context.database, customerId))
  const body = JSON.stringify({type: customerUpdatedName, timestamp: toTimestamp(context.now), data})
  return insertEvent(context, {type: customerUpdatedName, customerId, body, isMadeUp: false})
}

// Call this after the change, in the same transaction. Without endpoints, no event is stored unless the sandbox keeps events.
export function emitCustomerUpdated(context: RequestContext, customerId: string): void {
  const endpoints = listEnabledEndpoints(context.database)
  if (endpoints.length === 0 && !context.keepsEvents) return
  const eventId = insertCustomerUpdated(context, customerId)
  for (const {endpointId, copies} of endpoints) {
    for (let copy = 0; copy < copies; copy++) insertDelivery(context, {eventId, endpointId}, context.now)
  }
}
