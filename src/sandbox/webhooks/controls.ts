// The controls of webhooks.
import {ControlError} from '../control-error.ts'
import {runOperation} from '../operation.ts'
import type {SandboxEnvironment, RequestContext} from '../request-context.ts'
import {
  type DeliveriesQuery,
  listDeliveries,
  getDelivery,
  hasEvent,
  insertDelivery,
  type WebhookDelivery,
} from './delivery-store.ts'
import {
  deleteEndpoint,
  listEnabledEndpoints,
  toEndpoint,
  getEndpointRow,
  listEndpointRows,
  insertEndpoint,
  type NewEndpoint,
  type WebhookEndpoint,
} from './endpoint-store.ts'

export interface WebhookControls {
  // The result contains the secret, which the endpoint needs.
  add(endpoint: NewEndpoint): WebhookEndpoint
  list(options?: {showSecrets?: boolean | undefined}): WebhookEndpoint[]
  remove(endpointId: string): WebhookEndpoint
  deliveries(query?: DeliveriesQuery): {deliveries: WebhookDelivery[]; more: boolean}
  // Sends an event to every endpoint again, or a delivery to its own, with the same id and bytes.
  resend(eventOrDeliveryId: string): WebhookDelivery[]
}

function removeEndpoint({database}: RequestContext, endpointId: string) {
  const row = getEndpointRow(database, endpointId)
  deleteEndpoint(database, endpointId)
  return toEndpoint(row, false)
}

function findRecipients({database}: RequestContext, id: string): {eventId: string; endpointIds: string[]} {
  const enabled = listEnabledEndpoints(database).map(({endpointId}) => endpointId)
  if (hasEvent(database, id)) {
    if (enabled.length > 0) return {eventId: id, endpointIds: enabled}
    throw new ControlError('No webhook endpoint is enabled, so the event cannot be sent')
  }
  const {eventId, endpointId} = getDelivery(database, id)
  if (enabled.includes(endpointId)) return {eventId, endpointIds: [endpointId]}
  throw new ControlError(`The webhook endpoint ${endpointId} is disabled: remove it and add it again`)
}

function resend(context: RequestContext, id: string) {
  const {eventId, endpointIds} = findRecipients(context, id)
  const ids = endpointIds.map((endpointId) => insertDelivery(context, eventId, endpointId, context.now))
  return ids.map((deliveryId) => getDelivery(context.database, deliveryId))
}

function queryDeliveries({database}: RequestContext, query: DeliveriesQuery) {
  if (query.endpointId !== undefined) getEndpointRow(database, query.endpointId)
  return listDeliveries(database, query)
}

export const createWebhookControls = (environment: SandboxEnvironment): WebhookControls => ({
  add: (endpoint) => runOperation(environment, (context) => toEndpoint(insertEndpoint(context, endpoint), true)),
  list: ({showSecrets = false} = {}) =>
    runOperation(environment, ({database}) => listEndpointRows(database).map((row) => toEndpoint(row, showSecrets))),
  remove: (endpointId) => runOperation(environment, (context) => removeEndpoint(context, endpointId)),
  deliveries: (query = {}) => runOperation(environment, (context) => queryDeliveries(context, query)),
  resend: (id) => runOperation(environment, (context) => resend(context, id)),
})
