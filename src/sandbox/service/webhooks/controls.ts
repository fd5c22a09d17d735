// The controls of webhooks.
import {ControlError} from '../../operations/control-error.ts'
import type {RequestContext} from '../request-context.ts'
import {type Message, type Outcome, applyOutcome} from './deliver.ts'
import {
  type DeliveriesQuery,
  type NewEvent,
  getDelivery,
  hasEvent,
  insertDelivery,
  insertEvent,
  listDeliveries,
  listEvents,
} from './events.ts'
import {
  type NewEndpoint,
  getEndpointRow,
  insertEndpoint,
  listEnabledEndpoints,
  listEndpointRows,
  removeEndpoint,
  toEndpoint,
  deriveListenerSecret,
} from './endpoints.ts'

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
  const {eventId, endpointId} = getDelivery(database, id)
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

function openEvent(context: RequestContext, event: Omit<NewEvent, 'isMadeUp'>) {
  const endpoints = listEnabledEndpoints(context.database)
  if (endpoints.length === 0) throw new ControlError(noEndpoint)
  const eventId = insertEvent(context, {...event, isMadeUp: true})
  return endpoints.map(({endpointId}) => openDelivery(context, {eventId, endpointId, isResend: false}))
}

function queryDeliveries({database}: RequestContext, query: DeliveriesQuery = {}) {
  if (query.endpointId !== undefined) getEndpointRow(database, query.endpointId)
  return listDeliveries(database, query)
}

// Deliveries that a command sends by itself, to see the outcome: it opens them, sends, and records what came back.
interface OpenDelivery extends Message {
  deliveryId: string
  type: string
}

// If the command dies before it records an outcome, a server sends the delivery after this time of the virtual clock.
const fallbackMs = 30_000

const selectEvent = 'select eventId, type, body from webhookEvents where eventId = ?'

function openDelivery(
  context: RequestContext,
  target: {eventId: string; endpointId: string; isResend: boolean},
): OpenDelivery {
  const {database, now} = context
  const deliveryId = insertDelivery(context, target, now + fallbackMs)
  const event = database.only<Pick<OpenDelivery, 'eventId' | 'type' | 'body'>>(selectEvent, target.eventId)
  const {url, secret} = getEndpointRow(database, target.endpointId)
  return {deliveryId, ...event, url, secret, isResend: target.isResend}
}

const dropAttempts = "delete from queue where kind = 'webhook.attempt' and payload ->> 'deliveryId' = ?"

// Returns when it is tried next, if it is tried again. Nothing is recorded if its endpoint was removed meanwhile.
function closeDelivery(
  {database, now}: RequestContext,
  deliveryId: string,
  outcome: Outcome,
): {nextAttemptAt?: string} {
  const delivery = database.one<{endpointId: string; attempts: number}>(
    'select endpointId, attempts from webhookDeliveries where deliveryId = ?',
    deliveryId,
  )
  if (!delivery) return {}
  database.run(dropAttempts, deliveryId)
  const consequence = applyOutcome(database, {deliveryId, ...delivery}, outcome, now)
  return typeof consequence === 'object' ? consequence : {}
}

export const webhookControls = {
  // The result contains the secret, which the endpoint needs.
  add: (context: RequestContext, endpoint: NewEndpoint) => toEndpoint(insertEndpoint(context, endpoint), true),
  list: ({database}: RequestContext, {showSecrets = false}: {showSecrets?: boolean | undefined} = {}) =>
    listEndpointRows(database).map((row) => toEndpoint(row, showSecrets)),
  // Every secret that an event of this sandbox may be signed with.
  listSecrets: ({database}: RequestContext) => [
    ...new Set([deriveListenerSecret(database), ...listEndpointRows(database).map(({secret}) => secret)]),
  ],
  remove,
  deliveries: queryDeliveries,
  // Sends an event to every endpoint again, or a delivery to its own, with the same id and bytes.
  resend,
  events: listEvents,
  // Stores an event of the operator's own for every enabled endpoint. The caller sends it and closes each delivery.
  openEvent,
  closeDelivery,
}
