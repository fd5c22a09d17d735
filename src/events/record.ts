// Stores events, each one once, and reads them back.
import {type ParsedEvent, deriveEventId, parseEvent, untypedEvent} from './event.ts'
import {queueEvent} from './forward.ts'
import {type EventHeaders, resendHeader} from './signature.ts'
import {type EventStore, removeOldEvents} from './store.ts'
import type {ForwardableEvent} from './targets.ts'

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
  parsed: ParsedEvent | undefined
}

export interface StoredEvent extends ForwardableEvent {
  seq: number
  receivedAt: number
  type: string
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

const selectHeaders = 'select headers from events where id = ? and trust = ?'

const readSignedAt = (headers: EventHeaders) => Number(headers['webhook-timestamp'] ?? 0)

// The new signature is kept with the time of its arrival: a target rejects the first one when it is five minutes old.
const replaceMessage = 'update events set headers = ?, body = ?, receivedAt = ? where seq = ?'

// Call this inside a transaction. A duplicate is counted, and not forwarded again unless it was
// asked for.
export function recordEvent(store: EventStore, received: ReceivedEvent, targets: readonly string[]): RecordedEvent {
  const {rawHeaders, body, receivedAt, verified} = received
  removeOldEvents(store, receivedAt)
  const parsed = parseEvent(body)
  const named = toHeaders(rawHeaders)
  const id = deriveEventId(named['webhook-id'], parsed, body)
  const type = parsed?.type ?? untypedEvent
  const trust = Number(verified)
  const headers = JSON.stringify(rawHeaders)
  const row = store.one<{seq: number}>(insert, id, trust, receivedAt, type, parsed?.customerId ?? null, headers, body)
  const isResend = named[resendHeader] === 'true'
  const fields = {id, receivedAt, type, verified, resent: isResend, parsed}
  if (!row) {
    const known = store.one<{headers: string}>(selectHeaders, id, trust)
    // The signature does not cover the header. Whoever replays a message with it has no later
    // signature than the last try of the sender, which is kept.
    const knownHeaders = toHeaders(JSON.parse(known?.headers ?? '[]') as string[])
    const isSignedLater = verified && readSignedAt(named) > readSignedAt(knownHeaders)
    const resent = isResend && (!verified || isSignedLater)
    const {seq} = store.one<{seq: number}>(countDuplicate, resent ? 0 : 1, id, trust) ?? {seq: 0}
    if (resent || isSignedLater) store.run(replaceMessage, headers, body, receivedAt, seq)
    if (resent) queueEvent(store, seq, targets, receivedAt)
    return {...fields, seq, resent, duplicate: true}
  }
  queueEvent(store, row.seq, targets, receivedAt)
  return {...fields, seq: row.seq, duplicate: false}
}

const columns = 'seq, id, trust, receivedAt, type, headers, body'

export const findEvent = (store: EventStore, id: string) =>
  store.one<StoredEvent>(`select ${columns} from events where id = ? order by trust desc`, id)

const newest = `select ${columns} from events where ? is null or customerId = ? order by seq desc limit ?`

export const listNewestEvents = (store: EventStore, customerId: string | undefined, count: number) =>
  store.all<StoredEvent>(newest, customerId ?? null, customerId ?? null, count)

const pageSize = 100

// In pages, because a large store does not fit into memory.
export function* listEventPages(store: EventStore, afterSeq = 0): Generator<StoredEvent[]> {
  const nextPage = `select ${columns} from events where seq > ? order by seq limit ${pageSize}`
  let page: StoredEvent[]
  do {
    page = store.all<StoredEvent>(nextPage, afterSeq)
    afterSeq = page.at(-1)?.seq ?? afterSeq
    if (page.length > 0) yield page
  } while (page.length === pageSize)
}

export const toRecordedEvent = ({seq, id, trust, receivedAt, type, body}: StoredEvent): RecordedEvent => ({
  seq,
  id,
  receivedAt,
  type,
  verified: trust === 1,
  duplicate: false,
  resent: false,
  parsed: parseEvent(body),
})

export const readAnnouncedSeq = (store: EventStore) =>
  store.one<{announced: number}>('select announced from progress')?.announced ?? 0

export const writeAnnouncedSeq = (store: EventStore, seq: number) =>
  store.run('update progress set announced = ? where announced < ?', seq, seq)
