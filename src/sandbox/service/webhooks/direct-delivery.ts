// Deliveries that a command sends by itself, to see the outcome: it opens them, sends, and records what came back.
import type {RequestContext} from '../request-context.ts'
import {applyOutcome, sealBody} from './attempts.ts'
import {getDelivery, insertDelivery, type WebhookDelivery} from './delivery-store.ts'
import {getEndpointRow} from './endpoint-store.ts'
import type {Message, Outcome} from './send.ts'

export interface OpenDelivery extends Message {
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

export function openDelivery(
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

export function closeDelivery({database, now}: RequestContext, deliveryId: string, outcome: Outcome): WebhookDelivery {
  const {endpointId, attempts} = getDelivery(database, deliveryId)
  database.run(dropAttempts, deliveryId)
  applyOutcome(database, {deliveryId, endpointId, attempts}, outcome, now)
  return getDelivery(database, deliveryId)
}
