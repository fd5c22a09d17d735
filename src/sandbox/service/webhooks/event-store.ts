// Stores and lists events. A customer that changes makes one while an endpoint is enabled, and an operator can add others.
import type {RequestContext, SandboxEnvironment} from '../request-context.ts'
import type {Database} from '../../store/database.ts'
import {createOpaqueId} from '../../store/ids.ts'
import {toTimestamp} from '../../time/clock.ts'

export interface WebhookEvent {
  eventId: string
  type: string
  customerId: string
  createdAt: string
  deliveries: number
  delivered: number
  // The body as it was sent, or as it will be.
  body: string
}

export interface EventsQuery {
  customerId?: string | undefined
  limit?: number | undefined
}

export interface NewEvent {
  type: string
  customerId: string
  body: string
  // Whether the links in it have their address. Other links get it from the server that first sends the event.
  isSealed: boolean
}

const insert = `
  insert into webhookEvents (eventId, type, customerId, createdAt, body, isSealed) values (?, ?, ?, ?, ?, ?)`

export function insertEvent({database, now}: RequestContext, {type, customerId, body, isSealed}: NewEvent): string {
  const eventId = createOpaqueId(database, 'evt')
  database.run(insert, eventId, type, customerId, now, body, isSealed ? 1 : 0)
  return eventId
}

interface EventRow extends Omit<WebhookEvent, 'createdAt'> {
  createdAt: number
  isSealed: number
}

const select = `
  select e.eventId, e.type, e.customerId, e.createdAt, e.body, e.isSealed,
    (select count(*) from webhookDeliveries d where d.eventId = e.eventId) as deliveries,
    (select count(*) from webhookDeliveries d where d.eventId = e.eventId and d.status = 'DELIVERED') as delivered
  from webhookEvents e`

// The body is fixed when the event is first sent, so that a server with another address sends the same bytes again.
export function completeLinks(
  {formsUrl}: Pick<SandboxEnvironment, 'formsUrl'>,
  {body, isSealed}: {body: string; isSealed: number},
): string {
  if (isSealed === 1) return body
  const event = JSON.parse(body) as {data: {verificationLink: string}}
  event.data.verificationLink = formsUrl + event.data.verificationLink
  return JSON.stringify(event)
}

const toEvent = (environment: Pick<SandboxEnvironment, 'formsUrl'>, row: EventRow): WebhookEvent => {
  const {isSealed: _, createdAt, ...event} = row
  return {...event, createdAt: toTimestamp(createdAt), body: completeLinks(environment, row)}
}

const eventsShownDefault = 20

// Newest first. One row more than the limit is read, to know whether there are more.
export function listEvents(context: RequestContext, {customerId, limit = eventsShownDefault}: EventsQuery) {
  const rows = context.database.all<EventRow>(
    `${select} where ? is null or e.customerId = ? order by e.rowid desc limit ? + 0`,
    customerId ?? null,
    customerId ?? null,
    limit + 1,
  )
  return {events: rows.slice(0, limit).map((row) => toEvent(context, row)), more: rows.length > limit}
}

export function findEvent(context: RequestContext, eventId: string): WebhookEvent | undefined {
  const row = context.database.one<EventRow>(`${select} where e.eventId = ?`, eventId)
  return row && toEvent(context, row)
}

export const hasEvent = (database: Database, eventId: string) =>
  database.one('select 1 from webhookEvents where eventId = ?', eventId) !== undefined
