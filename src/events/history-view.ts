// Stored events and what became of sent ones, as tables and records.
import {type View, createColumn, formatMinute, formatYesNo, toText} from '../cli/output/view.ts'
import {countNoun} from '../values/text.ts'
import type {EventDetails, ListedEvent} from './history.ts'
import type {SentEvent} from './send-event.ts'
import type {VerificationResult} from './verify.ts'

const onRequest = {shown: 'onRequest'} as const

const formatShare = (counts: unknown) => {
  const {total, accepted} = (counts ?? {}) as {total?: number; accepted?: number}
  return total === undefined ? '' : `${accepted} of ${total}`
}

const listed = createColumn<ListedEvent>

const eventColumns = [
  listed('eventId', 0, {short: 'id', header: 'ID', kind: 'id'}),
  listed('customerStatus', 1, {
    short: 'status',
    header: 'STATUS',
    format: (status, {madeUp}) => (madeUp ? `${toText(status)} (made up)` : toText(status)),
    kind: 'status',
  }),
  listed('name', 2, {short: 'customer', header: 'CUSTOMER', kind: 'text'}),
  listed('receivedAt', 4, {short: 'received', header: 'RECEIVED (UTC)', format: formatMinute}),
  listed('verified', 6, {format: formatYesNo}),
  listed('forwarded', 3, {format: formatShare}),
  listed('type', 7, onRequest),
  listed('customerId', 8, {header: 'CUSTOMER ID', ...onRequest}),
]

export const eventView: View<ListedEvent> = {singular: 'event', plural: 'events', columns: eventColumns}

const formatForwards = (forwards: unknown) =>
  (forwards as EventDetails['forwards']).map(({url, status, attempts, outcome}) => {
    return `${url}  ${[status, outcome, countNoun(attempts, 'attempt')].filter(Boolean).join(', ')}`
  })

const formatHeaders = (headers: unknown) =>
  Object.entries((headers ?? {}) as Record<string, string>).map(([name, value]) => `${name}: ${value}`)

// Each line keeps its indentation: the record would otherwise shorten it.
const formatBody = (event: unknown) =>
  (typeof event === 'string' ? event : JSON.stringify(event, undefined, 2)).split('\n').map((line) => line.trimEnd())

const details = createColumn<EventDetails>

export const eventDetailsView: View<EventDetails> = {
  singular: 'event',
  plural: 'events',
  // The status says it.
  covers: ['madeUp'],
  columns: [
    ...eventColumns,
    details('duplicates', 10),
    details('forwards', 11, {header: 'FORWARDED TO', format: formatForwards}),
    details('headers', 12, {format: formatHeaders}),
    details('event', 13, {short: 'body', header: 'BODY', format: formatBody}),
  ],
}

const sent = createColumn<SentEvent>

export const sentEventView: View<SentEvent> = {
  singular: 'delivery',
  plural: 'deliveries',
  columns: [
    sent('eventId', 3, {short: 'id', header: 'EVENT', kind: 'id'}),
    sent('url', 0, {header: 'SENT TO', kind: 'text'}),
    sent('outcome', 0),
    sent('durationMs', 2, {short: 'ms', header: 'MS', kind: 'number'}),
    sent('type', 4, onRequest),
    sent('accepted', 5, onRequest),
    sent('nextAttemptAt', 6, {short: 'next', header: 'NEXT (UTC)', format: formatMinute, ...onRequest}),
  ],
}

const verified = createColumn<VerificationResult>

export const verificationView: View<VerificationResult> = {
  singular: 'event',
  plural: 'events',
  columns: [
    verified('id', 0, {kind: 'text'}),
    verified('type', 3),
    verified('receivedAt', 2, {header: 'RECEIVED (UTC)', format: formatMinute}),
    verified('verified', 0, {format: formatYesNo}),
    verified('reason', 1, {header: 'WHY NOT', kind: 'sentence'}),
    verified('headers', 4, onRequest),
    verified('body', 5, onRequest),
  ],
}
