// Puts an event into the store, once, and takes it out again.
import {isLatest, saveCustomerState} from './customer-states.ts'
import {type ParsedEvent, parseEvent, deriveEventId, untypedEvent} from './event.ts'
import type {EventHeaders} from './signature.ts'
import type {EventStore} from './store.ts'

export interface ReceivedEvent {
  // Names and values in turn, as they came.
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
  // Whether it is the last known state of its customer; absent where there is none.
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

// Names in lower case. Of a name that came several times the first counts, as nobody signs two ids.
export function toHeaders(rawHeaders: readonly string[]): EventHeaders {
  const headers: Record<string, string> = {}
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers[String(rawHeaders[at]).toLowerCase()] ??= String(rawHeaders[at + 1])
  return headers
}

const insert = `
  insert into events (id, trust, receivedAt, type, customerId, headers, body) values (?, ?, ?, ?, ?, ?, ?)
  on conflict (id, trust) do nothing returning seq`

const countDuplicate = 'update events set duplicates = duplicates + 1 where id = ? and trust = ? returning seq'

const addDelivery = 'insert into deliveries (seq, target, due) values (?, ?, ?)'

// To be called inside a transaction. What was stored before is not stored, shown as new, or forwarded again.
export function recordEvent(store: EventStore, arrival: ReceivedEvent, targets: readonly string[]): RecordedEvent {
  const {rawHeaders, body, receivedAt, verified} = arrival
  const facts = parseEvent(body)
  const id = deriveEventId(toHeaders(rawHeaders)['webhook-id'], facts, body)
  const type = facts?.type ?? untypedEvent
  const trust = Number(verified)
  const headers = JSON.stringify(rawHeaders)
  const row = store.one<{seq: number}>(insert, id, trust, receivedAt, type, facts?.customerId ?? null, headers, body)
  const fields = {id, receivedAt, type, verified, parsed: facts}
  if (!row) {
    const {seq} = store.one<{seq: number}>(countDuplicate, id, trust) ?? {seq: 0}
    return {...fields, seq, duplicate: true, latest: undefined}
  }
  for (const target of targets) store.run(addDelivery, row.seq, target, receivedAt)
  return {...fields, seq: row.seq, duplicate: false, latest: saveState(store, id, verified, facts)}
}

function saveState(
  store: EventStore,
  eventId: string,
  isTrusted: boolean,
  facts: ParsedEvent | undefined,
): boolean | undefined {
  if (!facts?.customer || facts.customerId === undefined) return undefined
  const {customer: state, customerId, eventAt} = facts
  return saveCustomerState(store, {customerId, state, isTrusted, isFetched: false, eventAt, eventId})
}

const columns = 'seq, id, trust, receivedAt, type, headers, body'

export const findEvent = (store: EventStore, id: string) =>
  store.one<StoredEvent>(`select ${columns} from events where id = ? order by trust desc`, id)

// In pages, so that a long store is never in memory as a whole.
export const listEventsAfter = (store: EventStore, seq: number, count: number) =>
  store.all<StoredEvent>(`select ${columns} from events where seq > ? order by seq limit ?`, seq, count)

// What was stored but never shown, because svc was killed in between.
export function toRecordedEvent(
  store: EventStore,
  {seq, id, trust, receivedAt, type, body}: StoredEvent,
): RecordedEvent {
  const facts = parseEvent(body)
  const latest = facts?.customerId === undefined ? undefined : isLatest(store, facts.customerId, id)
  return {seq, id, receivedAt, type, verified: trust === 1, duplicate: false, latest, parsed: facts}
}

export const readAnnouncedSeq = (store: EventStore) =>
  store.one<{announced: number}>('select announced from progress')?.announced ?? 0

export const writeAnnouncedSeq = (store: EventStore, seq: number) =>
  store.run('update progress set announced = ? where announced < ?', seq, seq)
