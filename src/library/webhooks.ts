// Verifies and parses the events of the service, for the endpoint that receives them.
import {parseEvent} from '../events/event.ts'
import {WebhookSecrets, signatureHeaders} from '../events/signature.ts'
import {SvcError} from '../errors.ts'
import type {Customer} from './service-types.ts'

export {SvcError} from '../errors.ts'
export type * from './service-types.ts'

export interface WebhookEvent {
  /** The same for every delivery of one event, so that it is handled once. */
  id: string
  /** `customer.updated` is the only one that the interface names. */
  type: string
  /** When it happened, if the event says so. */
  at?: Date | undefined
  /** The customer of `customer.updated`. */
  customer?: Customer | undefined
  /** The whole body. */
  body: Record<string, unknown>
}

export interface Delivery {
  /** The headers as they arrived: a Headers object, or Node's `request.headers`. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The bytes as they arrived. A body that was parsed and written again has another signature. */
  body: string | Uint8Array
}

const readHeader = (headers: Delivery['headers'], name: string): string => {
  if (headers instanceof Headers) return headers.get(name) ?? ''
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : (found?.[0] ?? '')
}

const createRejection = (error: string, reason: string) =>
  new SvcError({error, kind: 'finding', message: `The event is not accepted: ${reason}`, reason})

/**
 * Returns the event of a delivery whose signature is right and not older than five minutes. Throws a SvcError otherwise, with the
 * error SIGNATURE_INVALID or EVENT_UNREADABLE; answer such a delivery with 400. Give both secrets while one replaces the other.
 */
export function verifyEvent(delivery: Delivery, secret: string | readonly string[]): WebhookEvent {
  const body = Buffer.from(delivery.body as Uint8Array)
  const headers = Object.fromEntries(signatureHeaders.map((name) => [name, readHeader(delivery.headers, name)]))
  const check = new WebhookSecrets([secret].flat(), 'The secret').verify(headers, body)
  if (!check.verified) throw createRejection('SIGNATURE_INVALID', check.reason)
  const parsed = parseEvent(body)
  if (!parsed) throw createRejection('EVENT_UNREADABLE', 'its body is not a JSON object')
  const {type, eventAt, customer, event} = parsed
  return {
    id: headers['webhook-id'] ?? '',
    type,
    at: eventAt === undefined ? undefined : new Date(eventAt),
    customer: customer as Customer | undefined,
    body: event,
  }
}
