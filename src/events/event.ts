// Parses the body of an event. The interface does not show its shape, so a bare customer and an envelope with it in `data` are both
// accepted (docs/assumptions.md, W10).
import {createHash} from 'node:crypto'
import type {LooseCustomer} from '../contract/loose.ts'
import {customerUpdatedAlsoWritten, customerUpdatedName} from '../contract/vocabulary.ts'
import {parseJson} from '../values/json.ts'
import {isRecord} from '../values/records.ts'
import {toInstantMs} from '../values/time.ts'

type JsonObject = Readonly<Record<string, unknown>>

// The one event that the interface names, in both of its spellings.
export const eventTypes: readonly string[] = [customerUpdatedName, ...customerUpdatedAlsoWritten]

// The type of an event that has none and holds no customer.
export const untypedEvent = '(no type)'

const findText = (item: JsonObject | undefined, ...names: string[]) =>
  names.map((name) => item?.[name]).find((value): value is string => typeof value === 'string' && value !== '')

function parseBody(body: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', {fatal: true}).decode(body))
  } catch {
    return undefined
  }
}

export type ParsedEvent = NonNullable<ReturnType<typeof parseEvent>>

// Undefined if the body is not a JSON object. Only an envelope has an event id: an id in a bare customer is the customer's.
export function parseEvent(body: Uint8Array) {
  const event = parseBody(body)
  if (!isRecord(event)) return undefined
  const data = event['data']
  const envelope = isRecord(data) ? event : undefined
  const about = isRecord(data) ? data : event
  const customerId = findText(about, 'customerId')
  const name = findText(event, 'type', 'event')
  const isUpdate = name === undefined ? customerId !== undefined : eventTypes.includes(name.toLowerCase())
  return {
    type: isUpdate ? customerUpdatedName : (name ?? untypedEvent),
    // The event id in the body, if there is one.
    bodyId: findText(envelope, 'id'),
    // When it happened according to the envelope, in milliseconds.
    eventAt: toInstantMs(envelope?.['timestamp']),
    customer: customerId === undefined ? undefined : (about as LooseCustomer),
    customerId,
    customerStatus: findText(about, 'customerStatus'),
    updatedAt: findText(about, 'updatedAt'),
    // The whole body.
    event,
  }
}

// The id in the webhook-id header, else the one in the body, else a digest of the body, so that equal bodies are one event.
export const deriveEventId = (
  headerId: string | undefined,
  parsed: ParsedEvent | undefined,
  body: Uint8Array,
): string => headerId || parsed?.bodyId || `sha256_${createHash('sha256').update(body).digest('hex')}`
