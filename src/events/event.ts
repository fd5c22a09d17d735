// What an event says, read tolerantly: a bare customer or an envelope around one, since the interface shows neither.
import {createHash} from 'node:crypto'
import {parseJson} from '../validation/exact-json.ts'
import {toInstantMs} from '../validation/instants.ts'

export type JsonObject = Readonly<Record<string, unknown>>

// The one event that the interface names, in both of its spellings (docs/assumptions.md, W10).
const customerUpdated = 'customer.updated'
const spellings = new Map([
  ['customer.update', customerUpdated],
  [customerUpdated, customerUpdated],
])

// An event that says neither what it is nor of which customer.
export const untypedEvent = '(no type)'

export interface ParsedEvent {
  type: string
  // An id that the body itself carries.
  bodyId: string | undefined
  // When it happened, by the event's own word, in milliseconds.
  eventAt: number | undefined
  customer: JsonObject | undefined
  customerId: string | undefined
  customerStatus: string | undefined
  updatedAt: string | undefined
  // The whole of it, as it was read.
  event: JsonObject
}

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)

const findText = (item: JsonObject | undefined, ...names: string[]) =>
  names.map((name) => item?.[name]).find((value): value is string => typeof value === 'string' && value !== '')

function parseBody(body: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', {fatal: true}).decode(body))
  } catch {
    return undefined
  }
}

// Undefined where the body is no JSON object. An id at the top of a bare customer would be the customer's, not the event's.
export function parseEvent(body: Uint8Array): ParsedEvent | undefined {
  const event = parseBody(body)
  if (!isJsonObject(event)) return undefined
  const name = findText(event, 'type', 'event')
  const isEnvelope = isJsonObject(event['data']) || (name !== undefined && !('customerId' in event))
  const inner = isJsonObject(event['data']) ? event['data'] : event
  const customer = findText(inner, 'customerId') === undefined ? undefined : inner
  return {
    type: name === undefined ? (customer ? customerUpdated : untypedEvent) : (spellings.get(name) ?? name),
    bodyId: isEnvelope ? findText(event, 'id', 'eventId') : undefined,
    eventAt: isEnvelope ? toInstantMs(event['timestamp'] ?? event['createdAt']) : undefined,
    customer,
    customerId: findText(customer, 'customerId'),
    customerStatus: findText(customer, 'customerStatus'),
    updatedAt: findText(customer, 'updatedAt'),
    event,
  }
}

// The sender's id of it, else the body's own, else what it is by its content: the same bytes are the same event.
export const deriveEventId = (headerId: string | undefined, facts: ParsedEvent | undefined, body: Uint8Array): string =>
  headerId || facts?.bodyId || `sha256_${createHash('sha256').update(body).digest('hex')}`
