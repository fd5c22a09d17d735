// Stored events and what became of sent ones, as tables and records.
import {type Column, type View, formatMinute, formatYesNo, toText} from '../cli/output/view.ts'
import type {EventDetails, ListedEvent} from './history.ts'
import type {SentEvent} from './send-event.ts'

const formatShare = (counts: unknown) => {
  const {total, accepted} = (counts ?? {}) as {total?: number; accepted?: number}
  return total === undefined ? '' : `${accepted} of ${total}`
}

const eventColumns: ReadonlyArray<Column<ListedEvent>> = [
  {name: 'eventId', short: 'id', header: 'ID', value: (e) => e.eventId, rank: 0, kind: 'id'},
  {
    name: 'customerStatus',
    short: 'status',
    header: 'STATUS',
    value: (e) => e.customerStatus,
    format: (status, {madeUp}) => (madeUp ? `${toText(status)} (made up)` : toText(status)),
    rank: 1,
    kind: 'status',
  },
  {name: 'name', short: 'customer', header: 'CUSTOMER', value: (e) => e.name, rank: 2, kind: 'text'},
  {
    name: 'receivedAt',
    short: 'received',
    header: 'RECEIVED (UTC)',
    value: (e) => e.receivedAt,
    format: formatMinute,
    rank: 4,
  },
  {name: 'verified', header: 'VERIFIED', value: (e) => e.verified, format: formatYesNo, rank: 6},
  {name: 'forwarded', header: 'FORWARDED', value: (e) => e.forwarded, format: formatShare, rank: 3},
  {name: 'type', header: 'TYPE', value: (e) => e.type, rank: 7, shown: 'onRequest'},
  {name: 'customerId', header: 'CUSTOMER ID', value: (e) => e.customerId, rank: 8, shown: 'onRequest'},
]

export const eventView: View<ListedEvent> = {singular: 'event', plural: 'events', columns: eventColumns}

const formatForwards = (forwards: unknown) =>
  (forwards as EventDetails['forwards']).map(({url, status, attempts, outcome}) => {
    const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
    return `${url}  ${[status, outcome, tries].filter(Boolean).join(', ')}`
  })

// Each line keeps its indentation: the record would otherwise shorten it.
const formatBody = (event: unknown) =>
  (typeof event === 'string' ? event : JSON.stringify(event, undefined, 2)).split('\n').map((line) => line.trimEnd())

export const eventDetailsView: View<EventDetails> = {
  singular: 'event',
  plural: 'events',
  columns: [
    ...eventColumns,
    {name: 'duplicates', header: 'DUPLICATES', value: (e) => e.duplicates, rank: 10},
    {name: 'forwards', header: 'FORWARDED TO', value: (e) => e.forwards, format: formatForwards, rank: 11},
    {
      name: 'headers',
      header: 'HEADERS',
      value: (e) => e.headers,
      format: (headers) =>
        Object.entries((headers ?? {}) as Record<string, string>).map(([name, value]) => `${name}: ${value}`),
      rank: 12,
    },
    {name: 'event', short: 'body', header: 'BODY', value: (e) => e.event, format: formatBody, rank: 13},
  ],
}

const formatResponse = (response: unknown) => {
  const {body = '', cut} = (response ?? {}) as Partial<NonNullable<SentEvent['response']>>
  return response === undefined ? '' : body.trim() === '' ? '(empty)' : `${body.trim()}${cut ? ' …' : ''}`
}

export const sentEventView: View<SentEvent> = {
  singular: 'delivery',
  plural: 'deliveries',
  columns: [
    {name: 'eventId', short: 'id', header: 'EVENT', value: (s) => s.eventId, rank: 3, kind: 'id'},
    {name: 'url', header: 'SENT TO', value: (s) => s.url, rank: 0, kind: 'text'},
    {name: 'outcome', header: 'OUTCOME', value: (s) => s.outcome, rank: 0},
    {name: 'durationMs', short: 'ms', header: 'MS', value: (s) => s.durationMs, rank: 2, kind: 'number'},
    {
      name: 'response',
      header: 'RESPONSE',
      value: (s) => s.response,
      format: formatResponse,
      rank: 1,
      kind: 'sentence',
    },
    {name: 'type', header: 'TYPE', value: (s) => s.type, rank: 4, shown: 'onRequest'},
    {name: 'accepted', header: 'ACCEPTED', value: (s) => s.accepted, rank: 5, shown: 'onRequest'},
    {
      name: 'nextAttemptAt',
      short: 'next',
      header: 'NEXT (UTC)',
      value: (s) => s.nextAttemptAt,
      format: formatMinute,
      rank: 6,
      shown: 'onRequest',
    },
  ],
}

// Without --print-response there is no answer to show.
export const briefSentEventView: View<SentEvent> = {
  ...sentEventView,
  columns: sentEventView.columns.filter(({name}) => name !== 'response'),
}
