// Stores events, each one once, and reads them back.
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {toInstantMs} from '../values/time.ts'
import {type ParsedEvent, deriveEventId, parseEvent, untypedEvent} from './event.ts'
import {queueAgain} from './forward.ts'
import {type EventHeaders, resendHeader} from './signature.ts'
import type {EventStore} from './store.ts'

export interface ReceivedEvent {
  // Names and values alternate, as they arrived.
  rawHeaders: readonly string[]
  body: Buffer
  receivedAt: number
  verified: boolean
}

export interface RecordedEvent {
  id: string
  seq: number
  receivedAt: number
  type: string
  verified: boolean
  duplicate: boolean
  // Whether its sender was asked to send it again. Then it is forwarded again, even if it is a duplicate.
  resent: boolean
  // Whether it holds the last known state of its customer; undefined for an event without a customer.
  latest: boolean | undefined
  parsed: ParsedEvent | undefined
}

export interface StoredEvent {
  seq: number
  id: string
  trust: number
  receivedAt: number
  type: string
  headers: string
  body: Uint8Array
}

// Names are in lower case. If a name occurs several times, the first value counts.
export function toHeaders(rawHeaders: readonly string[]): EventHeaders {
  // Without a prototype, whose names would count as headers.
  const headers: Record<string, string> = Object.create(null)
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers[String(rawHeaders[at]).toLowerCase()] ??= String(rawHeaders[at + 1])
  return headers
}

const insert = `
  insert into events (id, trust, receivedAt, type, customerId, headers, body) values (?, ?, ?, ?, ?, ?, ?)
  on conflict (id, trust) do nothing returning seq`

// An event that was asked for again is no duplicate of the sender's.
const countDuplicate = 'update events set duplicates = duplicates + ? where id = ? and trust = ? returning seq'

// The new signature is kept with the time of its arrival: a target rejects the first one when it is five minutes old.
const replaceMessage = 'update events set headers = ?, body = ?, receivedAt = ? where seq = ?'

const addDelivery = 'insert into deliveries (seq, target, due) values (?, ?, ?)'

// Call this inside a transaction. A duplicate is counted, and not stored or forwarded again unless it was asked for.
export function recordEvent(store: EventStore, received: ReceivedEvent, targets: readonly string[]): RecordedEvent {
  const {rawHeaders, body, receivedAt, verified} = received
  const parsed = parseEvent(body)
  const named = toHeaders(rawHeaders)
  const id = deriveEventId(named['webhook-id'], parsed, body)
  const resent = named[resendHeader] === 'true'
  const type = parsed?.type ?? untypedEvent
  const trust = Number(verified)
  const headers = JSON.stringify(rawHeaders)
  const row = store.one<{seq: number}>(insert, id, trust, receivedAt, type, parsed?.customerId ?? null, headers, body)
  const fields = {id, receivedAt, type, verified, resent, parsed}
  if (!row) {
    const {seq} = store.one<{seq: number}>(countDuplicate, resent ? 0 : 1, id, trust) ?? {seq: 0}
    if (resent) {
      store.run(replaceMessage, headers, body, receivedAt, seq)
      for (const target of targets) queueAgain(store, seq, target, receivedAt)
    }
    return {...fields, seq, duplicate: true, latest: undefined}
  }
  for (const target of targets) store.run(addDelivery, row.seq, target, receivedAt)
  return {...fields, seq: row.seq, duplicate: false, latest: saveState(store, id, verified, parsed)}
}

function saveState(
  store: EventStore,
  eventId: string,
  isTrusted: boolean,
  parsed: ParsedEvent | undefined,
): boolean | undefined {
  if (!parsed?.customer || parsed.customerId === undefined) return undefined
  const {customer: state, customerId, eventAt} = parsed
  return saveCustomerState(store, {customerId, state, isTrusted, isFetched: false, eventAt, eventId})
}

const columns = 'seq, id, trust, receivedAt, type, headers, body'

export const findEvent = (store: EventStore, id: string) =>
  store.one<StoredEvent>(`select ${columns} from events where id = ? order by trust desc`, id)

const newest = `select ${columns} from events where ? is null or customerId = ? order by seq desc limit ?`

export const listNewestEvents = (store: EventStore, customerId: string | undefined, count: number) =>
  store.all<StoredEvent>(newest, customerId ?? null, customerId ?? null, count)

// In pages, because a large store does not fit into memory.
export const listEventsAfter = (store: EventStore, seq: number, count: number) =>
  store.all<StoredEvent>(`select ${columns} from events where seq > ? order by seq limit ?`, seq, count)

export function toRecordedEvent(
  store: EventStore,
  {seq, id, trust, receivedAt, type, body}: StoredEvent,
): RecordedEvent {
  const parsed = parseEvent(body)
  const latest = parsed?.customerId === undefined ? undefined : isLatest(store, parsed.customerId, id)
  return {seq, id, receivedAt, type, verified: trust === 1, duplicate: false, resent: false, latest, parsed}
}

export const readAnnouncedSeq = (store: EventStore) =>
  store.one<{announced: number}>('select announced from progress')?.announced ?? 0

export const writeAnnouncedSeq = (store: EventStore, seq: number) =>
  store.run('update progress set announced = ? where announced < ?', seq, seq)

// The last known state of each customer. It does not depend on the order in which events arrive, nor on how often.
interface CustomerStateUpdate {
  customerId: string
  state: LooseCustomer
  // Verified, or read from the service.
  isTrusted: boolean
  isFetched: boolean
  eventAt: number | undefined
  eventId: string
}

// If all times are equal, the later stage of verification counts as the later state (docs/assumptions.md, W11).
const stages = new Map(
  ['CREATED', 'UNDER_REVIEW', 'NEEDS_ADDITIONAL_INFORMATION', 'ACTIVE', 'REJECTED', 'DEACTIVATED'].map(
    (status, stage) => [status, stage],
  ),
)
const unknown = -1

// A state replaces the stored one if it compares higher: first by trust, then by when the customer changed, whether it was
// read from the service, when the event was created, the stage, and last the id, which makes the order total.
const upsert = `
  insert into customers (customerId, trust, updatedAtMs, isFetched, eventAt, stage, eventId, state)
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (customerId) do update set
    trust = excluded.trust, updatedAtMs = excluded.updatedAtMs, isFetched = excluded.isFetched,
    eventAt = excluded.eventAt, stage = excluded.stage, eventId = excluded.eventId, state = excluded.state
  where (excluded.trust, excluded.updatedAtMs, excluded.isFetched, excluded.eventAt, excluded.stage, excluded.eventId)
    > (customers.trust, customers.updatedAtMs, customers.isFetched, customers.eventAt, customers.stage, customers.eventId)
  returning 1`

// Returns whether this is now the last known state. Call it inside a transaction.
export function saveCustomerState(
  store: EventStore,
  {customerId, state, isTrusted, isFetched, eventAt, eventId}: CustomerStateUpdate,
): boolean {
  const {customerStatus, updatedAt} = state
  const stage = stages.get(readCode(customerStatus)) ?? unknown
  const row = store.one(
    upsert,
    customerId,
    Number(isTrusted),
    toInstantMs(updatedAt) ?? unknown,
    Number(isFetched),
    eventAt ?? unknown,
    stage,
    eventId,
    JSON.stringify(state),
  )
  return row !== undefined
}

export function findCustomerState(store: EventStore, customerId: string): LooseCustomer | undefined {
  const row = store.one<{state: string}>('select state from customers where customerId = ?', customerId)
  return row && (JSON.parse(row.state) as LooseCustomer)
}

// Whether the last known state of a customer came from this event.
const isLatest = (store: EventStore, customerId: string, eventId: string) =>
  store.one('select 1 from customers where customerId = ? and eventId = ?', customerId, eventId) !== undefined
