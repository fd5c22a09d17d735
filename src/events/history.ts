// The events that are known here: those that the sandbox made, and those that `svc events listen` received and stored.
import fs from 'node:fs'
import {SvcError} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import {type Sandbox, findSandbox} from '../transport.ts'
import {toInstantMs} from '../values/time.ts'
import {parseEvent} from './event.ts'
import {type StoredEvent, findEvent, listNewestEvents, toHeaders} from './record.ts'
import {signatureHeaders} from './signature.ts'
import {type EventStore, getEventStoreFile, openEventStore} from './store.ts'
import {isMadeUpEvent} from '../values/event-ids.ts'
import {stripQuery} from '../values/urls.ts'
import {parseRawHeaders} from './targets.ts'

export interface KnownEvent {
  eventId: string
  type: string
  customerId?: string
  name?: string
  customerStatus?: string
  // When the sandbox made it, on its own clock.
  createdAt?: string
  // When it last arrived here.
  receivedAt?: string
  verified?: boolean
  // Whether `svc events trigger` made it up.
  madeUp?: true
  // To how many endpoints the sandbox sent it, and how many accepted it.
  sent?: {total: number; accepted: number}
  // The same for the targets that it was forwarded to.
  forwarded?: {total: number; accepted: number}
}

interface EventRoute {
  from: 'sandbox' | 'listener'
  url: string
  status: string
  attempts: number
  outcome?: string
  // Whether the endpoint is gone.
  endpointRemoved?: true
}

export interface KnownEventDetails extends KnownEvent {
  duplicates?: number
  headers?: Record<string, string>
  routes: EventRoute[]
  // The body, parsed, or as text if it is not JSON.
  event: unknown
}

// Without a caller, or with one whose service is not the sandbox of this machine, only stored events are known.
export async function findEventSources(
  caller: Caller | undefined,
  storeFile: string | undefined,
): Promise<EventSources> {
  return {sandbox: caller && (await findSandbox(caller)), storeFile: storeFile ?? getEventStoreFile()}
}

export interface EventSources {
  // The sandbox of the caller, if the caller is one.
  sandbox: Sandbox | undefined
  // The file of the event store, which need not exist.
  storeFile: string
}

// What both sources know about an event follows from its body.
function describeBody(body: Uint8Array): Pick<KnownEvent, 'customerId' | 'name' | 'customerStatus'> {
  const parsed = parseEvent(body)
  const name = parsed?.customer?.name
  return {
    ...(parsed?.customerId !== undefined && {customerId: parsed.customerId}),
    ...(typeof name === 'string' && {name}),
    ...(parsed?.customerStatus !== undefined && {customerStatus: parsed.customerStatus}),
  }
}

const describeOrigin = (eventId: string): Pick<KnownEvent, 'madeUp'> => (isMadeUpEvent(eventId) ? {madeUp: true} : {})

type SandboxEvent = ReturnType<Sandbox['webhooks']['events']>['events'][number]

const fromSandbox = ({eventId, type, createdAt, deliveries, delivered, body}: SandboxEvent): KnownEvent => ({
  eventId,
  type,
  ...describeOrigin(eventId),
  ...describeBody(Buffer.from(body)),
  createdAt,
  sent: {total: deliveries, accepted: delivered},
})

const countForwards = `
  select count(*) as total, count(*) filter (where status = 'DELIVERED') as accepted from deliveries where seq = ?`

function fromStore(store: EventStore, {seq, id, type, trust, receivedAt, body}: StoredEvent): KnownEvent {
  const forwarded = store.one<{total: number; accepted: number}>(countForwards, seq)
  return {
    eventId: id,
    type,
    ...describeOrigin(id),
    ...describeBody(body),
    receivedAt: new Date(receivedAt).toISOString(),
    verified: trust === 1,
    ...(forwarded && forwarded.total > 0 && {forwarded: {...forwarded}}),
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

const getTime = ({receivedAt, createdAt}: KnownEvent) => toInstantMs(receivedAt ?? createdAt) ?? 0

// Newest first. An event that both know is one.
export function listKnownEvents(
  {sandbox, storeFile}: EventSources,
  {customerId, limit}: {customerId: string | undefined; limit: number},
): {events: KnownEvent[]; more: boolean} {
  const made = sandbox?.webhooks.events({customerId, limit: limit + 1}).events.map(fromSandbox) ?? []
  const received =
    withStore(storeFile, (store) =>
      listNewestEvents(store, customerId, limit + 1).map((event) => fromStore(store, event)),
    ) ?? []
  const byId = new Map(received.map((event) => [event.eventId, event]))
  for (const event of made) byId.set(event.eventId, {...event, ...byId.get(event.eventId)})
  const events = [...byId.values()].toSorted((a, b) => getTime(b) - getTime(a))
  return {events: events.slice(0, limit), more: events.length > limit}
}

function parseBody(body: Uint8Array): unknown {
  return parseEvent(body)?.event ?? Buffer.from(body).toString()
}

type Source = Pick<KnownEventDetails, 'duplicates' | 'headers' | 'routes' | 'event'> & {known: KnownEvent}

function findInSandbox(sandbox: Sandbox, id: string): Source | undefined {
  const event = sandbox.webhooks.findEvent(id)
  if (!event) return undefined
  const {deliveries} = sandbox.webhooks.deliveries({eventId: id, limit: 100})
  const routes = deliveries.map(({url, status, attempts, lastOutcome, endpointRemoved}) => ({
    from: 'sandbox' as const,
    url: stripQuery(url),
    status,
    attempts,
    ...(lastOutcome !== undefined && {outcome: lastOutcome}),
    ...(endpointRemoved && {endpointRemoved}),
  }))
  return {known: fromSandbox(event), routes, event: parseBody(Buffer.from(event.body))}
}

interface ForwardRow {
  target: string
  status: string
  attempts: number
  outcome: string | null
}

const selectForwards = 'select target, status, attempts, outcome from deliveries where seq = ? order by target'

function findInStore(store: EventStore, id: string): Source | undefined {
  const stored = findEvent(store, id)
  if (!stored) return undefined
  const named = toHeaders(parseRawHeaders(stored.headers))
  const routes = store.all<ForwardRow>(selectForwards, stored.seq).map(({target, status, attempts, outcome}) => ({
    from: 'listener' as const,
    url: stripQuery(target),
    status,
    attempts,
    ...(outcome !== null && {outcome}),
  }))
  const {duplicates = 0} =
    store.one<{duplicates: number}>('select duplicates from events where seq = ?', stored.seq) ?? {}
  return {
    known: fromStore(store, stored),
    duplicates,
    headers: Object.fromEntries(signatureHeaders.flatMap((name) => (named[name] ? [[name, named[name]]] : []))),
    routes,
    event: parseBody(stored.body),
  }
}

export function createNotKnownError(id: string): SvcError {
  return new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `There is no event ${id} here`,
    hint: '`svc events list` shows what is known: a service cannot be asked for its events, so only the sandbox and stored events are',
  })
}

export const isKnownEvent = ({sandbox, storeFile}: EventSources, id: string): boolean =>
  sandbox?.webhooks.findEvent(id) !== undefined || withStore(storeFile, (store) => findEvent(store, id)) !== undefined

export function getKnownEvent({sandbox, storeFile}: EventSources, id: string): KnownEventDetails {
  const made = sandbox && findInSandbox(sandbox, id)
  const received = withStore(storeFile, (store) => findInStore(store, id))
  const first = received ?? made
  if (!first) throw createNotKnownError(id)
  return {
    ...made?.known,
    ...first.known,
    ...(received?.duplicates !== undefined && {duplicates: received.duplicates}),
    ...(received?.headers && {headers: received.headers}),
    routes: [...(made?.routes ?? []), ...(received?.routes ?? [])],
    event: first.event,
  }
}
