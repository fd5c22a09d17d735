// Parses the body of an event. The interface does not show its shape, so a bare customer and an envelope are both accepted.
import {createHash} from 'node:crypto'
import type {LooseCustomer} from '../contract/loose.ts'
import {parseJson} from '../values/json.ts'
import {toInstantMs} from '../values/time.ts'
import {isRecord} from '../values/records.ts'

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

const findText = (item: JsonObject | undefined, ...names: string[]) =>
  names.map((name) => item?.[name]).find((value): value is string => typeof value === 'string' && value !== '')

// Where envelopes keep what the event is about: data, data.object, payload.customer and so on.
const wrapperNames = ['data', 'payload', 'customer', 'object', 'resource', 'attributes', 'after', 'body', 'detail']
const wrapperDepthMax = 3

// The event and the objects that it wraps, from the outside in.
function listNestedObjects(fields: JsonObject, depth = 0): JsonObject[] {
  if (depth === wrapperDepthMax) return [fields]
  const inner = wrapperNames.map((name) => (Object.hasOwn(fields, name) ? fields[name] : undefined)).filter(isRecord)
  return [fields, ...inner.flatMap((wrapped) => listNestedObjects(wrapped, depth + 1))]
}

// Any customer has one of these, and no envelope does.
const isCustomer = (fields: JsonObject) => 'customerStatus' in fields || 'customerType' in fields

interface FoundCustomer {
  customerId?: string | undefined
  customer?: JsonObject | undefined
}

// The customer by itself if possible. Some envelopes have its id outside, and its state inside.
function findCustomer(event: JsonObject): FoundCustomer {
  const wrapped = listNestedObjects(event)
  const named = wrapped.filter((fields) => findText(fields, 'customerId') !== undefined)
  const whole = named.find(isCustomer)
  const [first] = named
  const customerId = findText(whole ?? first, 'customerId')
  if (whole || !first) return {customerId, customer: whole}
  const state = wrapped.find(isCustomer)
  if (state) return {customerId, customer: {...state, customerId}}
  return {customerId, customer: first === event && wrapped.length > 1 ? undefined : first}
}

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
  if (!isRecord(event)) return undefined
  const name = findText(event, 'type', 'event', 'eventType', 'event_type', 'eventName', 'topic')
  const hasWrapper = wrapperNames.some((wrapper) => isRecord(event[wrapper]))
  const isEnvelope =
    isRecord(event['data']) || (hasWrapper && !isCustomer(event)) || (name !== undefined && !('customerId' in event))
  const {customerId, customer} = findCustomer(event)
  return {
    type:
      name === undefined ? (customer ? customerUpdated : untypedEvent) : (spellings.get(name.toLowerCase()) ?? name),
    bodyId: isEnvelope ? findText(event, 'id', 'eventId', 'event_id') : undefined,
    eventAt: isEnvelope ? toInstantMs(event['timestamp'] ?? event['createdAt'] ?? event['occurredAt']) : undefined,
    customer: customer as LooseCustomer | undefined,
    customerId,
    customerStatus: findText(customer, 'customerStatus'),
    updatedAt: findText(customer, 'updatedAt'),
    event,
  }
}

// The id in the webhook-id header, else the one in the body, else a digest of the body, so that equal bodies are one event.
export const deriveEventId = (
  headerId: string | undefined,
  parsed: ParsedEvent | undefined,
  body: Uint8Array,
): string => headerId || parsed?.bodyId || `sha256_${createHash('sha256').update(body).digest('hex')}`
