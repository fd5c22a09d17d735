// Parses the body of an event. The interface does not show its shape, so a bare customer and an envelope are both accepted.
import {createHash} from 'node:crypto'
import type {LooseCustomer} from '../contract/loose.ts'
import {parseJson} from '../validation/exact-json.ts'
import {toInstantMs} from '../validation/instants.ts'

type JsonObject = Readonly<Record<string, unknown>>

// The one event that the interface names, in both of its spellings (docs/assumptions.md, W10).
const customerUpdated = 'customer.updated'
const spellings = new Map([
  ['customer.update', customerUpdated],
  [customerUpdated, customerUpdated],
])

// The type of an event that has none and holds no customer.
export const untypedEvent = '(no type)'

export interface ParsedEvent {
  type: string
  // The event id in the body, if there is one.
  bodyId: string | undefined
  // When it happened according to the envelope, in milliseconds.
  eventAt: number | undefined
  customer: LooseCustomer | undefined
  customerId: string | undefined
  customerStatus: string | undefined
  updatedAt: string | undefined
  // The whole body.
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

// Undefined if the body is not a JSON object. Only an envelope has an event id: an id in a bare customer is the customer's.
export function parseEvent(body: Uint8Array): ParsedEvent | undefined {
  const event = parseBody(body)
  if (!isJsonObject(event)) return undefined
  const name = findText(event, 'type', 'event')
  const isEnvelope = isJsonObject(event['data']) || (name !== undefined && !('customerId' in event))
  const inner = isJsonObject(event['data']) ? event['data'] : event
  const customerId = findText(inner, 'customerId')
  const customer = customerId === undefined ? undefined : (inner as LooseCustomer)
  return {
    type: name === undefined ? (customer ? customerUpdated : untypedEvent) : (spellings.get(name) ?? name),
    bodyId: isEnvelope ? findText(event, 'id', 'eventId') : undefined,
    eventAt: isEnvelope ? toInstantMs(event['timestamp'] ?? event['createdAt']) : undefined,
    customer,
    customerId,
    customerStatus: customer && findText(inner, 'customerStatus'),
    updatedAt: customer && findText(inner, 'updatedAt'),
    event,
  }
}

// The id in the webhook-id header, else the one in the body, else a digest of the body, so that equal bodies are one event.
export const deriveEventId = (
  headerId: string | undefined,
  parsed: ParsedEvent | undefined,
  body: Uint8Array,
): string => headerId || parsed?.bodyId || `sha256_${createHash('sha256').update(body).digest('hex')}`
