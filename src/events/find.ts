// Finds a stored event by its id or the beginning of its id; in a terminal also by its customer, or in a list.
import type {FindableKind, Finder, Reference} from '../cli/ids/finder.ts'
import {matchId, matchWords, takeCertainMatch, takeWordMatch} from '../cli/ids/match.ts'
import {formatMinute, joinParts} from '../cli/output/view.ts'
import {badUsage} from '../errors.ts'
import type {CallOperation, OperationOutput} from '../sandbox-control.ts'
import {type ListedEvent, createNotKnownError, isStoredEvent, listEvents} from './history.ts'

const searchedMax = 10_000

// The beginning of an id counts only among all of them.
function rejectCut(isCut: boolean, plural: string): void {
  if (isCut)
    throw badUsage(`There are more than ${searchedMax} ${plural}, too many to search all of them`, 'Use the whole id')
}

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
  const list = async () => {
    const {events, more} = listEvents(storeFile, {customerId: undefined, limit: searchedMax})
    rejectCut(more, 'events')
    return events
  }
  const found = await findItem(finder, list, reference, eventKind)
  if (found) return found.eventId
  throw createNotKnownError(text ?? '')
}

// Finds an endpoint, an event or a delivery of the sandbox by its id or the beginning of its id; in a terminal also by its
// address or type, or in a list. What is not found is left to the sandbox, which says so.
async function findItem<T>(
  finder: Finder,
  list: () => Promise<readonly T[]>,
  reference: Reference,
  kind: FindableKind<T>,
): Promise<T | undefined> {
  const {text} = reference
  if (text === undefined) {
    if (!finder.isInteractive) finder.rejectMissing(reference.name)
    const {pickFromAll} = await import('../cli/ids/pick-item.ts')
    return pickFromAll(await list(), kind)
  }
  const items = await list()
  const matches = matchId(items, text, kind)
  if (matches.length > 0) return takeCertainMatch(matches, reference, kind, finder)
  const found = finder.isInteractive && text.trim() !== '' ? matchWords(items, text, kind) : []
  return found.length === 0 ? undefined : takeWordMatch(found, reference, kind, finder)
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

export async function findEndpointId(finder: Finder, call: CallOperation, reference: Reference): Promise<string> {
  const list = async () => (await call('webhooks.list', {})).endpoints
  const found = await findItem(finder, list, reference, endpointKind)
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
    const {events, more} = await call('webhooks.events', {limit: searchedMax})
    rejectCut(more, 'events')
    return events.map(({eventId, type, createdAt}) => ({id: eventId, noun, type, at: createdAt}))
  }
  const {deliveries, more} = await call('webhooks.deliveries', {limit: searchedMax})
  rejectCut(more, 'deliveries')
  return deliveries.map(({deliveryId, type, createdAt, url}) => ({id: deliveryId, noun, type, at: createdAt, url}))
}

const wholeId = /^(?:evt|dlv)_[\da-f]{24}(?:_made_up)?$/

// Returns the id of an event, or of a delivery if that is what is written.
export async function findSentId(finder: Finder, call: CallOperation, reference: Reference): Promise<string> {
  const {text} = reference
  if (text !== undefined && wholeId.test(text)) return text
  const list = () => listSent(call, text?.startsWith('dlv_') ? 'delivery' : 'event')
  const found = await findItem(finder, list, reference, sentKind)
  return found?.id ?? text ?? ''
}
