// What an event says, read tolerantly: a bare customer or an envelope around one, since the interface shows neither.
import {createHash} from 'node:crypto'
import {parseJson} from '../validation/exact-json.ts'
import {toInstantMs} from '../validation/instants.ts'

export type Item = Readonly<Record<string, unknown>>

// The one event that the interface names, in both of its spellings (docs/assumptions.md, W10).
const customerUpdated = 'customer.updated'
const spellings = new Map([
  ['customer.update', customerUpdated],
  [customerUpdated, customerUpdated],
])

// An event that says neither what it is nor of which customer.
export const untyped = '(no type)'

export interface Facts {
  type: string
  // An id that the body itself carries.
  ownId: string | undefined
  // When it happened, by the event's own word, in milliseconds.
  eventAt: number | undefined
  customer: Item | undefined
  customerId: string | undefined
  customerStatus: string | undefined
  updatedAt: string | undefined
  // The whole of it, as it was read.
  event: Item
}

const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)

const textIn = (item: Item | undefined, ...names: string[]) =>
  names.map((name) => item?.[name]).find((value): value is string => typeof value === 'string' && value !== '')

function parsed(body: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', {fatal: true}).decode(body))
  } catch {
    return undefined
  }
}

// Undefined where the body is no JSON object. An id at the top of a bare customer would be the customer's, not the event's.
export function factsOf(body: Uint8Array): Facts | undefined {
  const event = parsed(body)
  if (!isItem(event)) return undefined
  const name = textIn(event, 'type', 'event')
  const isEnvelope = isItem(event['data']) || (name !== undefined && !('customerId' in event))
  const inner = isItem(event['data']) ? event['data'] : event
  const customer = textIn(inner, 'customerId') === undefined ? undefined : inner
  return {
    type: name === undefined ? (customer ? customerUpdated : untyped) : (spellings.get(name) ?? name),
    ownId: isEnvelope ? textIn(event, 'id', 'eventId') : undefined,
    eventAt: isEnvelope ? toInstantMs(event['timestamp'] ?? event['createdAt']) : undefined,
    customer,
    customerId: textIn(customer, 'customerId'),
    customerStatus: textIn(customer, 'customerStatus'),
    updatedAt: textIn(customer, 'updatedAt'),
    event,
  }
}

// The sender's id of it, else the body's own, else what it is by its content: the same bytes are the same event.
export const idOf = (headerId: string | undefined, facts: Facts | undefined, body: Uint8Array): string =>
  headerId || facts?.ownId || `sha256_${createHash('sha256').update(body).digest('hex')}`
