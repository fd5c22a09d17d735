// The events that `svc events listen` received and stored on this machine.
import fs from 'node:fs'
import {SvcError} from '../errors.ts'
import {isMadeUpEvent} from '../values/event-ids.ts'
import {svc} from '../values/text.ts'
import {stripQuery} from '../values/urls.ts'
import {parseEvent} from './event.ts'
import {type StoredEvent, findEvent, listNewestEvents, toHeaders} from './record.ts'
import {signatureHeaders} from './signature.ts'
import {type EventStore, openEventStore} from './store.ts'
import {parseRawHeaders} from './targets.ts'

export type ListedEvent = ReturnType<typeof toListedEvent>
export type EventDetails = NonNullable<ReturnType<typeof findDetails>>

const countForwards = `
  select count(*) as total, count(*) filter (where status = 'DELIVERED') as accepted from deliveries where seq = ?`

function toListedEvent(store: EventStore, {seq, id, type, trust, receivedAt, body}: StoredEvent) {
  const forwarded = store.one<{total: number; accepted: number}>(countForwards, seq)
  const parsed = parseEvent(body)
  const name = parsed?.customer?.name
  return {
    eventId: id,
    type,
    // Whether `svc events trigger` made it up.
    madeUp: isMadeUpEvent(id) || undefined,
    customerId: parsed?.customerId,
    name: typeof name === 'string' ? name : undefined,
    customerStatus: parsed?.customerStatus,
    // When it last arrived here.
    receivedAt: new Date(receivedAt).toISOString(),
    verified: trust === 1,
    // To how many targets it was forwarded, and how many accepted it.
    forwarded: forwarded && forwarded.total > 0 ? forwarded : undefined,
  }
}

export function withStore<T>(file: string, read: (store: EventStore) => T): T | undefined {
  if (!fs.existsSync(file)) return undefined
  const store = openEventStore(file)
  try {
    return read(store)
  } finally {
    store.close()
  }
}

// Newest first.
export function listEvents(
  storeFile: string,
  {customerId, limit}: {customerId: string | undefined; limit: number},
): {events: ListedEvent[]; more: boolean} {
  const events =
    withStore(storeFile, (store) =>
      listNewestEvents(store, customerId, limit + 1).map((event) => toListedEvent(store, event)),
    ) ?? []
  return {events: events.slice(0, limit), more: events.length > limit}
}

export function createNotKnownError(id: string): SvcError {
  return new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `There is no event ${id} here`,
    hint: `${svc`events list`} shows those that ${svc`events listen`} received, and \`svc sandbox webhooks deliveries\` those of the sandbox`,
  })
}

export const isStoredEvent = (storeFile: string, id: string): boolean =>
  withStore(storeFile, (store) => findEvent(store, id)) !== undefined

const selectForwards = 'select target as url, status, attempts, outcome from deliveries where seq = ? order by target'

function findDetails(store: EventStore, id: string) {
  const stored = findEvent(store, id)
  if (!stored) return undefined
  const named = toHeaders(parseRawHeaders(stored.headers))
  const counted = store.one<{duplicates: number}>('select duplicates from events where seq = ?', stored.seq)
  const forwards = store.all<{url: string; status: string; attempts: number; outcome: string | null}>(
    selectForwards,
    stored.seq,
  )
  return {
    ...toListedEvent(store, stored),
    duplicates: counted?.duplicates ?? 0,
    headers: Object.fromEntries(signatureHeaders.flatMap((name) => (named[name] ? [[name, named[name]]] : []))),
    forwards: forwards.map((each) => ({...each, url: stripQuery(each.url), outcome: each.outcome ?? undefined})),
    // The body, parsed, or as text if it is not JSON.
    event: parseEvent(stored.body)?.event ?? Buffer.from(stored.body).toString(),
  }
}

export function getEventDetails(storeFile: string, id: string): EventDetails {
  const details = withStore(storeFile, (store) => findDetails(store, id))
  if (!details) throw createNotKnownError(id)
  return details
}
