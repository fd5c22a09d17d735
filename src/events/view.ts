// Events and what becomes of them, as lines for people and as objects for scripts. No line for people names a person.
import type {ForwardOutcome} from './forward.ts'
import type {Rejection} from './receiver.ts'
import type {RecordedEvent} from './record.ts'
import type {FetchResult} from './refetch.ts'
import type {VerificationResult} from './verify.ts'
import type {ObservedState} from './watch.ts'
import {cleanText} from '../cli/output/clean.ts'
import type {Painter} from '../cli/output/colour.ts'
import type {View} from '../cli/output/view.ts'

const formatTimestamp = (ms: number) => new Date(ms).toISOString()

// The time of day is enough in a live log; it is in UTC, as all times are.
const formatTime = (ms: number) => formatTimestamp(ms).slice('2026-11-15T'.length, '2026-11-15T12:00:00'.length)

const joinLine = (...parts: Array<string | undefined>) => `${parts.filter((part) => part !== undefined).join('  ')}\n`

const cleanOptional = (text: string | undefined) => (text === undefined ? undefined : cleanText(text))

export function formatEvent(recorded: RecordedEvent, painter: Painter): string {
  const {receivedAt, type, parsed: facts, verified, duplicate, latest} = recorded
  const status = cleanOptional(facts?.customerStatus)
  return joinLine(
    painter.dim(formatTime(receivedAt)),
    cleanText(type),
    cleanOptional(facts?.customerId),
    status && painter.status(status),
    verified ? 'verified' : 'unverified',
    duplicate ? painter.dim('duplicate') : undefined,
    latest === false ? painter.dim('older than what is known') : undefined,
  )
}

export const toEventJson = ({id, receivedAt, type, verified, duplicate, latest, parsed: facts}: RecordedEvent) => ({
  id,
  receivedAt: formatTimestamp(receivedAt),
  type,
  ...(facts?.customerId !== undefined && {customerId: facts.customerId}),
  ...(facts?.customerStatus !== undefined && {customerStatus: facts.customerStatus}),
  ...(facts?.updatedAt !== undefined && {updatedAt: facts.updatedAt}),
  verified,
  duplicate,
  ...(latest !== undefined && {latest}),
  event: facts?.event ?? null,
})

export const formatRejection = ({status, reason}: Rejection, painter: Painter) =>
  joinLine(painter.dim(formatTime(Date.now())), painter.alarm(`refused with ${status}`), cleanText(reason))

export const toRejectionJson = ({status, reason}: Rejection) => ({
  refused: reason,
  statusCode: status,
  at: formatTimestamp(Date.now()),
})

export function formatForward(outcome: ForwardOutcome, shownTarget: string, painter: Painter): string {
  const {id, forward, outcome: what, attempts, nextAttemptAt} = outcome
  const ends = {
    delivered: undefined,
    retrying: `again at ${formatTime(nextAttemptAt ?? 0)}`,
    failed: painter.alarm(`given up after ${attempts} attempts; --replay sends it again`),
  }
  return joinLine(painter.dim(formatTime(Date.now())), `${cleanText(id)} → ${shownTarget}`, what, ends[forward])
}

export const toForwardJson = ({id, target, forward, outcome, attempts, nextAttemptAt}: ForwardOutcome) => ({
  forward,
  id,
  target,
  outcome,
  attempts,
  ...(nextAttemptAt !== undefined && {nextAttemptAt: formatTimestamp(nextAttemptAt)}),
})

export function formatFetch({customerId, fetched, failure}: FetchResult, painter: Painter): string {
  const status = typeof fetched?.['customerStatus'] === 'string' ? cleanText(fetched['customerStatus']) : '(no status)'
  const told = failure === undefined ? painter.status(status) : painter.alarm(cleanText(failure))
  const what = failure === undefined ? 'the service says' : 'could not be read:'
  return joinLine(painter.dim(formatTime(Date.now())), `${cleanText(customerId)}  ${what}`, told)
}

export const toFetchJson = ({id, customerId, fetched, failure}: FetchResult) => ({
  fetched: fetched ?? null,
  ...(failure !== undefined && {failure}),
  id,
  customerId,
})

export const verificationView: View<VerificationResult> = {
  singular: 'event',
  plural: 'events',
  columns: [
    {name: 'id', header: 'ID', value: (c) => c.id, rank: 0, widthGood: 32, widthMin: 12},
    {name: 'type', header: 'TYPE', value: (c) => c.type, rank: 3},
    {name: 'receivedAt', header: 'RECEIVED', value: (c) => c.receivedAt, rank: 2},
    {name: 'verified', header: 'VERIFIED', value: (c) => c.verified, format: (is) => (is ? 'yes' : 'no'), rank: 0},
    {name: 'reason', header: 'WHY NOT', value: (c) => c.reason, rank: 1, wraps: true, widthMin: 20},
    {name: 'headers', header: 'HEADERS', value: (c) => c.headers, rank: 4, onRequest: true},
    {name: 'body', header: 'BODY', value: (c) => c.body, rank: 5, onRequest: true},
  ],
}

export const formatObservedState = ({seenAt, kind, itemId, status, id}: ObservedState, painter: Painter) =>
  joinLine(
    painter.dim(formatTime(seenAt)),
    kind.padEnd('transaction'.length),
    cleanText(itemId),
    painter.status(cleanText(status)),
    painter.dim(id),
  )

export const toObservedStateJson = ({seenAt, itemId, item, ...sighting}: ObservedState) => ({
  id: sighting.id,
  kind: sighting.kind,
  [`${sighting.kind}Id`]: itemId,
  status: sighting.status,
  updatedAt: sighting.updatedAt,
  seenAt: formatTimestamp(seenAt),
  item,
})
