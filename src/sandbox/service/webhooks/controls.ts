// The controls of webhooks.
import {ControlError} from '../../operations/control-error.ts'
import type {Result} from '../../../sandbox-results.ts'
import {runOperation} from '../operation.ts'
import type {RequestContext, SandboxEnvironment} from '../request-context.ts'
import {type Message, type Outcome, applyOutcome, sealBody} from './attempts.ts'
import {
  type DeliveriesQuery,
  type EventsQuery,
  type NewEvent,
  findEvent,
  getDelivery,
  hasEvent,
  insertDelivery,
  insertEvent,
  listDeliveries,
  listEvents,
} from './event-store.ts'
import {
  type NewEndpoint,
  checkHasDeliveries,
  getEndpointRow,
  insertEndpoint,
  listEnabledEndpoints,
  listEndpointRows,
  removeEndpoint,
  removeLeftovers,
  toEndpoint,
} from './endpoint-store.ts'

export interface WebhookControls {
  // The result contains the secret, which the endpoint needs.
  add(endpoint: NewEndpoint): Result<'WebhookEndpoint'>
  list(options?: {showSecrets?: boolean | undefined}): Array<Result<'WebhookEndpoint'>>
  remove(endpointId: string): Result<'WebhookEndpoint'>
  // Removes the endpoints of processes that were killed before they could, and returns them.
  removeLeftovers(): Array<Result<'WebhookEndpoint'>>
  deliveries(query?: DeliveriesQuery): {deliveries: Array<Result<'WebhookDelivery'>>; more: boolean}
  // Sends an event to every endpoint again, or a delivery to its own, with the same id and bytes.
  resend(eventOrDeliveryId: string): Array<Result<'WebhookDelivery'>>
  events(query?: EventsQuery): {events: Array<Result<'WebhookEvent'>>; more: boolean}
  findEvent(eventId: string): Result<'WebhookEvent'> | undefined
  // Stores an event of the operator's own for every enabled endpoint. The caller sends it and closes each delivery.
  openEvent(event: Omit<NewEvent, 'isSealed'>): OpenDelivery[]
  // The same for a resend, as for `resend`.
  openResend(eventOrDeliveryId: string): OpenDelivery[]
  closeDelivery(deliveryId: string, outcome: Outcome): Result<'WebhookDelivery'>
}

const noEndpoint = 'No webhook endpoint is enabled, so the event cannot be sent'

function remove({database}: RequestContext, endpointId: string) {
  const row = getEndpointRow(database, endpointId)
  removeEndpoint(database, endpointId)
  return toEndpoint(row, false)
}

function findRecipients({database}: RequestContext, id: string): {eventId: string; endpointIds: string[]} {
  const enabled = listEnabledEndpoints(database).map(({endpointId}) => endpointId)
  if (hasEvent(database, id)) {
    if (enabled.length > 0) return {eventId: id, endpointIds: enabled}
    throw new ControlError(noEndpoint)
  }
  const {eventId, endpointId, endpointRemoved} = getDelivery(database, id)
  if (endpointRemoved) {
    throw new ControlError(`The webhook endpoint ${endpointId} was removed: resend the event ${eventId} instead`)
  }
  if (enabled.includes(endpointId)) return {eventId, endpointIds: [endpointId]}
  throw new ControlError(`The webhook endpoint ${endpointId} is disabled: remove it and add it again`)
}

function resend(context: RequestContext, id: string) {
  const {eventId, endpointIds} = findRecipients(context, id)
  const ids = endpointIds.map((endpointId) =>
    insertDelivery(context, {eventId, endpointId, isResend: true}, context.now),
  )
  return ids.map((deliveryId) => getDelivery(context.database, deliveryId))
}

function openResend(context: RequestContext, id: string) {
  const {eventId, endpointIds} = findRecipients(context, id)
  return endpointIds.map((endpointId) => openDelivery(context, {eventId, endpointId, isResend: true}))
}

function openEvent(context: RequestContext, event: Omit<NewEvent, 'isSealed'>) {
  const endpoints = listEnabledEndpoints(context.database)
  if (endpoints.length === 0) throw new ControlError(noEndpoint)
  const eventId = insertEvent(context, {...event, isSealed: true})
  return endpoints.map(({endpointId}) => openDelivery(context, {eventId, endpointId, isResend: false}))
}

function queryDeliveries({database}: RequestContext, query: DeliveriesQuery) {
  if (query.endpointId !== undefined) checkHasDeliveries(database, query.endpointId)
  return listDeliveries(database, query)
}

export const createWebhookControls = (environment: SandboxEnvironment): WebhookControls => ({
  add: (endpoint) => runOperation(environment, (context) => toEndpoint(insertEndpoint(context, endpoint), true)),
  list: ({showSecrets = false} = {}) =>
    runOperation(environment, ({database}) => listEndpointRows(database).map((row) => toEndpoint(row, showSecrets))),
  remove: (endpointId) => runOperation(environment, (context) => remove(context, endpointId)),
  deliveries: (query = {}) => runOperation(environment, (context) => queryDeliveries(context, query)),
  resend: (id) => runOperation(environment, (context) => resend(context, id)),
  removeLeftovers: () =>
    runOperation(environment, ({database}) => removeLeftovers(database).map((row) => toEndpoint(row, false))),
  events: (query = {}) => runOperation(environment, (context) => listEvents(context, query)),
  findEvent: (eventId) => runOperation(environment, (context) => findEvent(context, eventId)),
  openEvent: (event) => runOperation(environment, (context) => openEvent(context, event)),
  openResend: (id) => runOperation(environment, (context) => openResend(context, id)),
  closeDelivery: (deliveryId, outcome) =>
    runOperation(environment, (context) => closeDelivery(context, deliveryId, outcome)),
})

// Deliveries that a command sends by itself, to see the outcome: it opens them, sends, and records what came back.
interface OpenDelivery extends Message {
  deliveryId: string
  type: string
}

// If the command dies before it records an outcome, a server sends the delivery after this time of the virtual clock.
const fallbackMs = 30_000

const selectEvent = 'select eventId, type, body, isSealed from webhookEvents where eventId = ?'

interface EventRow {
  eventId: string
  type: string
  body: string
  isSealed: number
}

function openDelivery(
  context: RequestContext,
  target: {eventId: string; endpointId: string; isResend: boolean},
): OpenDelivery {
  const {database, now} = context
  const deliveryId = insertDelivery(context, target, now + fallbackMs)
  const {eventId, type, ...event} = database.one<EventRow>(selectEvent, target.eventId) as EventRow
  const {url, secret} = getEndpointRow(database, target.endpointId)
  const body = sealBody(context, {eventId, ...event})
  return {deliveryId, eventId, type, url, secret, body, isResend: target.isResend}
}

const dropAttempts = "delete from queue where kind = 'webhook.attempt' and payload ->> 'deliveryId' = ?"

function closeDelivery(
  {database, now}: RequestContext,
  deliveryId: string,
  outcome: Outcome,
): Result<'WebhookDelivery'> {
  const {endpointId, attempts} = getDelivery(database, deliveryId)
  database.run(dropAttempts, deliveryId)
  applyOutcome(database, {deliveryId, endpointId, attempts}, outcome, now)
  return getDelivery(database, deliveryId)
}
