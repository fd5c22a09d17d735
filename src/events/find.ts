// Finds a stored event by its id or the beginning of its id; in a terminal also by its customer, or in a list.
import fs from 'node:fs'
import type {FindableKind} from '../cli/ids/findable.ts'
import {type Finder, type Reference, findMeant, itemsSearchedMax, rejectLongList} from '../cli/ids/finder.ts'
import {formatMinute, joinParts} from '../cli/output/view.ts'
import {findOrUndefined} from '../errors.ts'
import type {CallOperation, OperationOutput} from '../sandbox-control.ts'
import {type ListedEvent, createNotKnownError, isStoredEvent, listEvents} from './history.ts'

const eventKind: FindableKind<ListedEvent> = {
  singular: 'event',
  plural: 'events',
  getId: ({eventId}) => eventId,
  describe: (event) => joinParts(formatMinute(event.receivedAt), event.type, event.customerStatus, event.name),
  outline: (event) => joinParts(event.eventId, formatMinute(event.receivedAt), event.type, event.customerStatus),
  getSearchText: (event) => joinParts(event.type, event.customerStatus, event.name, event.customerId),
}

export const toEventReference = (text: string | undefined): Reference => ({what: 'The event id', name: 'EVENT', text})

export async function findEventId(finder: Finder, storeFile: string, reference: Reference): Promise<string> {
  const {text} = reference
  if (text !== undefined && isStoredEvent(storeFile, text)) return text
  const {events, more} = listEvents(storeFile, {customerId: undefined, limit: itemsSearchedMax})
  // The beginning of an id counts only among all of them.
  if (more) rejectLongList(eventKind.plural)
  const found = await findMeant(events, reference, eventKind, finder)
  if (found) return found.eventId
  throw createNotKnownError(text ?? '')
}

// A file, or an event by its id or the beginning of its id, as `svc events verify` takes it. Text
// that names neither stays as it was written.
export async function findEventOrFile(finder: Finder, storeFile: string, text: string): Promise<string> {
  if (text === '-' || fs.existsSync(text)) return text
  return (await findOrUndefined(findEventId(finder, storeFile, toEventReference(text)))) ?? text
}

type Endpoint = OperationOutput<'webhooks.list'>['endpoints'][number]

const endpointKind: FindableKind<Endpoint> = {
  singular: 'webhook endpoint',
  plural: 'webhook endpoints',
  getId: ({endpointId}) => endpointId,
  describe: ({url, status}) => joinParts(url, status),
  outline: ({endpointId, status}) => joinParts(endpointId, status),
  getSearchText: ({url}) => url,
}

// Finds an endpoint of the sandbox by its id or the beginning of its id; in a terminal also by its address, or in a list. What is not
// found is left to the sandbox, which says so.
export async function findEndpointId(finder: Finder, call: CallOperation, reference: Reference): Promise<string> {
  const {endpoints} = await call('webhooks.list', {})
  const found = await findMeant(endpoints, reference, endpointKind, finder)
  return found?.endpointId ?? reference.text ?? ''
}

// Something that can be sent again.
interface Sent {
  id: string
  noun: 'event' | 'delivery'
  type: string
  at: string
  url?: string
}

const sentKind: FindableKind<Sent> = {
  singular: 'event or delivery',
  plural: 'events and deliveries',
  getId: ({id}) => id,
  describe: ({noun, type, at, url}) =>
    joinParts(formatMinute(at), type, url === undefined ? noun : `${noun} to ${url}`),
  outline: ({id, noun, type, at}) => joinParts(id, noun, type, formatMinute(at)),
  getSearchText: ({noun, type, url}) => joinParts(noun, type, url),
}

async function listSent(call: CallOperation, noun: Sent['noun']): Promise<Sent[]> {
  if (noun === 'event') {
    const {events, more} = await call('webhooks.events', {limit: itemsSearchedMax})
    if (more) rejectLongList('events')
    return events.map(({eventId, type, createdAt}) => ({id: eventId, noun, type, at: createdAt}))
  }
  const {deliveries, more} = await call('webhooks.deliveries', {limit: itemsSearchedMax})
  if (more) rejectLongList('deliveries')
  return deliveries.map(({deliveryId, type, createdAt, url}) => ({id: deliveryId, noun, type, at: createdAt, url}))
}

const wholeId = /^(?:evt|dlv)_[\da-f]{24}(?:_made_up)?$/

// Returns the id of an event, or of a delivery if that is what is written.
export async function findSentId(finder: Finder, call: CallOperation, reference: Reference): Promise<string> {
  const {text} = reference
  if (text !== undefined && wholeId.test(text)) return text
  const sent = await listSent(call, text?.startsWith('dlv_') ? 'delivery' : 'event')
  const found = await findMeant(sent, reference, sentKind, finder)
  return found?.id ?? text ?? ''
}
