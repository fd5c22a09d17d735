// What whoever runs the sandbox can do about webhooks.
import {ControlError} from '../control-refused.ts'
import {runOperation} from '../operation.ts'
import type {SandboxEnvironment, RequestContext} from '../request-context.ts'
import {
  type DeliveriesQuery,
  deliveriesBy,
  deliveryById,
  eventExists,
  insertDelivery,
  type WebhookDelivery,
} from './delivery-store.ts'
import {
  deleteEndpoint,
  enabledEndpoints,
  endpointOf,
  endpointRow,
  endpointRows,
  insertEndpoint,
  type NewEndpoint,
  type WebhookEndpoint,
} from './endpoint-store.ts'

export interface WebhookControls {
  // Shows the secret, which the endpoint needs.
  add(endpoint: NewEndpoint): WebhookEndpoint
  list(options?: {showSecrets?: boolean | undefined}): WebhookEndpoint[]
  remove(endpointId: string): WebhookEndpoint
  deliveries(query?: DeliveriesQuery): {deliveries: WebhookDelivery[]; more: boolean}
  // An event again to every endpoint, or a delivery again to its own: the same id and the same bytes.
  resend(eventOrDeliveryId: string): WebhookDelivery[]
}

function remove({database}: RequestContext, endpointId: string) {
  const row = endpointRow(database, endpointId)
  deleteEndpoint(database, endpointId)
  return endpointOf(row, false)
}

function addressees({database}: RequestContext, id: string): {eventId: string; endpointIds: string[]} {
  const enabled = enabledEndpoints(database).map(({endpointId}) => endpointId)
  if (eventExists(database, id)) {
    if (enabled.length > 0) return {eventId: id, endpointIds: enabled}
    throw new ControlError('No webhook endpoint is enabled, so the event has nowhere to go')
  }
  const {eventId, endpointId} = deliveryById(database, id)
  if (enabled.includes(endpointId)) return {eventId, endpointIds: [endpointId]}
  throw new ControlError(`The webhook endpoint ${endpointId} is disabled: remove it and add it anew`)
}

function resend(turn: RequestContext, id: string) {
  const {eventId, endpointIds} = addressees(turn, id)
  const ids = endpointIds.map((endpointId) => insertDelivery(turn, eventId, endpointId, turn.now))
  return ids.map((deliveryId) => deliveryById(turn.database, deliveryId))
}

function deliveries({database}: RequestContext, query: DeliveriesQuery) {
  if (query.endpointId !== undefined) endpointRow(database, query.endpointId)
  return deliveriesBy(database, query)
}

export const webhookControls = (house: SandboxEnvironment): WebhookControls => ({
  add: (endpoint) => runOperation(house, (turn) => endpointOf(insertEndpoint(turn, endpoint), true)),
  list: ({showSecrets = false} = {}) =>
    runOperation(house, ({database}) => endpointRows(database).map((row) => endpointOf(row, showSecrets))),
  remove: (endpointId) => runOperation(house, (turn) => remove(turn, endpointId)),
  deliveries: (query = {}) => runOperation(house, (turn) => deliveries(turn, query)),
  resend: (id) => runOperation(house, (turn) => resend(turn, id)),
})
