// Creates the event of a changed customer, and its deliveries to all enabled endpoints.
import {customerUpdatedName} from '../../../contract/event-names.ts'
import {toCustomer, getCustomerRow} from '../customers/customer-store.ts'
import {toTimestamp} from '../../time/clock.ts'
import {enqueue} from '../../time/queue.ts'
import type {RequestContext} from '../request-context.ts'
import {insertDelivery} from './delivery-store.ts'
import {listEnabledEndpoints, type EndpointRow} from './endpoint-store.ts'
import {insertEvent} from './event-store.ts'

// An endpoint with reordering gets the first of two events after the second, or after this time if no second one follows.
const holdBackMs = 30_000

// Links to forms get their address from the server that first sends the event. The process that changes a customer may be
// another one, which does not know it.
function insertCustomerUpdated(context: RequestContext, customerId: string): string {
  const data = toCustomer({...context, formsUrl: ''}, getCustomerRow(context.database, customerId))
  const body = JSON.stringify({type: customerUpdatedName, timestamp: toTimestamp(context.now), data})
  return insertEvent(context, {type: customerUpdatedName, customerId, body, isSealed: false})
}

interface Held {
  seq: number
  deliveryId: string
}

const heldQuery = `
  select q.seq, d.deliveryId from webhookDeliveries d
  join queue q on q.kind = 'webhook.attempt' and q.payload ->> 'deliveryId' = d.deliveryId
  where d.eventId = ? and d.endpointId = ? and d.attempts = 0 and q.due > ? order by q.seq`

// Deliveries that are still held back for this endpoint. They are sent when the time to hold them back is over.
const listHeldDeliveries = ({database, now}: RequestContext, {heldEventId, endpointId}: EndpointRow) =>
  heldEventId === null ? [] : database.all<Held>(heldQuery, heldEventId, endpointId, now)

function deliverAll(context: RequestContext, eventId: string, {endpointId, copies}: EndpointRow, due: number) {
  for (let copy = 0; copy < copies; copy++) insertDelivery(context, {eventId, endpointId}, due)
}

// Swaps pairs of events: the first is held back until the second was queued.
function deliverInPairs(context: RequestContext, eventId: string, endpoint: EndpointRow) {
  const {database, now} = context
  const {endpointId} = endpoint
  const first = listHeldDeliveries(context, endpoint)
  const isFirst = first.length === 0
  deliverAll(context, eventId, endpoint, isFirst ? now + holdBackMs : now)
  for (const {seq, deliveryId} of first) {
    database.run('delete from queue where seq = ?', seq)
    enqueue(context, 'webhook.attempt', {deliveryId, endpointId}, now)
  }
  database.run('update webhookEndpoints set heldEventId = ? where endpointId = ?', isFirst ? eventId : null, endpointId)
}

// Call this after the change, in the same transaction. Without endpoints, no event is stored unless the sandbox keeps events.
export function emitCustomerUpdated(context: RequestContext, customerId: string): void {
  const endpoints = listEnabledEndpoints(context.database)
  if (endpoints.length === 0 && !context.keepsEvents) return
  const eventId = insertCustomerUpdated(context, customerId)
  for (const endpoint of endpoints) {
    if (endpoint.reorders === 1) deliverInPairs(context, eventId, endpoint)
    else deliverAll(context, eventId, endpoint, context.now)
  }
}
