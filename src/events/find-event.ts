// Finds a known event by its id or the beginning of its id; in a terminal also by its customer, or in a list.
import type {FindableKind, Finder, Reference} from '../cli/ids/finder.ts'
import {matchId, matchWords, takeCertainMatch, takeWordMatch} from '../cli/ids/match.ts'
import {formatMinute} from '../cli/output/format-values.ts'
import {joinParts} from '../cli/output/view.ts'
import {badUsage} from '../errors.ts'
import {type EventSources, type KnownEvent, createNotKnownError, isKnownEvent, listKnownEvents} from './history.ts'

const eventsSearchedMax = 10_000

const formatEventTime = ({receivedAt, createdAt}: KnownEvent) => formatMinute(receivedAt ?? createdAt)

const eventKind: FindableKind<KnownEvent> = {
  singular: 'event',
  plural: 'events',
  getId: ({eventId}) => eventId,
  describe: (event) => joinParts(formatEventTime(event), event.type, event.customerStatus, event.name),
  outline: (event) => joinParts(event.eventId, formatEventTime(event), event.type, event.customerStatus),
  getSearchText: (event) => joinParts(event.type, event.customerStatus, event.name, event.customerId),
}

export const toEventReference = (text: string | undefined): Reference => ({what: 'The event id', name: 'EVENT', text})

// The beginning of an id counts only among all events.
function listSearched(sources: EventSources): KnownEvent[] {
  const {events, more} = listKnownEvents(sources, {customerId: undefined, limit: eventsSearchedMax})
  if (!more) return events
  throw badUsage(`There are more than ${eventsSearchedMax} events, too many to search all of them`, 'Use the whole id')
}

export async function findEventId(finder: Finder, sources: EventSources, reference: Reference): Promise<string> {
  const {text} = reference
  if (text === undefined) {
    if (!finder.isInteractive) finder.rejectMissing(reference.name)
    const {pickFromAll} = await import('../cli/ids/pick-item.ts')
    return eventKind.getId(await pickFromAll(listSearched(sources), eventKind))
  }
  if (isKnownEvent(sources, text)) return text
  const events = listSearched(sources)
  const matches = matchId(events, text, eventKind)
  if (matches.length > 0) return eventKind.getId(await takeCertainMatch(matches, reference, eventKind, finder))
  const found = finder.isInteractive && text.trim() !== '' ? matchWords(events, text, eventKind) : []
  if (found.length === 0) throw createNotKnownError(text)
  return eventKind.getId(await takeWordMatch(found, reference, eventKind, finder))
}
