// Events and what becomes of them, as lines for people and as objects for scripts. No line for people names a person.
import type {ForwardOutcome} from './forward.ts'
import type {Refusal} from './receive.ts'
import type {Recorded} from './record.ts'
import type {Fetched} from './refetch.ts'
import type {Checked} from './verify.ts'
import type {Sighting} from './watch.ts'
import {cleanText} from '../cli/output/clean.ts'
import type {Painter} from '../cli/output/colour.ts'
import type {View} from '../cli/output/view.ts'

const iso = (ms: number) => new Date(ms).toISOString()

// The time of day is enough in a live log; it is in UTC, as all times are.
const timeOf = (ms: number) => iso(ms).slice('2026-11-15T'.length, '2026-11-15T12:00:00'.length)

const lineOf = (...parts: Array<string | undefined>) => `${parts.filter((part) => part !== undefined).join('  ')}\n`

const clean = (text: string | undefined) => (text === undefined ? undefined : cleanText(text))

export function eventLine(recorded: Recorded, painter: Painter): string {
  const {receivedAt, type, facts, verified, duplicate, latest} = recorded
  const status = clean(facts?.customerStatus)
  return lineOf(
    painter.dim(timeOf(receivedAt)),
    cleanText(type),
    clean(facts?.customerId),
    status && painter.status(status),
    verified ? 'verified' : 'unverified',
    duplicate ? painter.dim('duplicate') : undefined,
    latest === false ? painter.dim('older than what is known') : undefined,
  )
}

export const eventObject = ({id, receivedAt, type, verified, duplicate, latest, facts}: Recorded) => ({
  id,
  receivedAt: iso(receivedAt),
  type,
  ...(facts?.customerId !== undefined && {customerId: facts.customerId}),
  ...(facts?.customerStatus !== undefined && {customerStatus: facts.customerStatus}),
  ...(facts?.updatedAt !== undefined && {updatedAt: facts.updatedAt}),
  verified,
  duplicate,
  ...(latest !== undefined && {latest}),
  event: facts?.event ?? null,
})

export const refusalLine = ({status, reason}: Refusal, painter: Painter) =>
  lineOf(painter.dim(timeOf(Date.now())), painter.alarm(`refused with ${status}`), cleanText(reason))

export const refusalObject = ({status, reason}: Refusal) => ({refused: reason, statusCode: status, at: iso(Date.now())})

export function forwardLine(outcome: ForwardOutcome, shownTarget: string, painter: Painter): string {
  const {id, forward, outcome: what, attempts, nextAttemptAt} = outcome
  const ends = {
    delivered: undefined,
    retrying: `again at ${timeOf(nextAttemptAt ?? 0)}`,
    failed: painter.alarm(`given up after ${attempts} attempts; --replay sends it again`),
  }
  return lineOf(painter.dim(timeOf(Date.now())), `${cleanText(id)} → ${shownTarget}`, what, ends[forward])
}

export const forwardObject = ({id, target, forward, outcome, attempts, nextAttemptAt}: ForwardOutcome) => ({
  forward,
  id,
  target,
  outcome,
  attempts,
  ...(nextAttemptAt !== undefined && {nextAttemptAt: iso(nextAttemptAt)}),
})

export function fetchedLine({customerId, fetched, failure}: Fetched, painter: Painter): string {
  const status = typeof fetched?.['customerStatus'] === 'string' ? cleanText(fetched['customerStatus']) : '(no status)'
  const told = failure === undefined ? painter.status(status) : painter.alarm(cleanText(failure))
  const what = failure === undefined ? 'the service says' : 'could not be read:'
  return lineOf(painter.dim(timeOf(Date.now())), `${cleanText(customerId)}  ${what}`, told)
}

export const fetchedObject = ({id, customerId, fetched, failure}: Fetched) => ({
  fetched: fetched ?? null,
  ...(failure !== undefined && {failure}),
  id,
  customerId,
})

export const checkedView: View<Checked> = {
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

export const sightingLine = ({seenAt, kind, itemId, status, id}: Sighting, painter: Painter) =>
  lineOf(
    painter.dim(timeOf(seenAt)),
    kind.padEnd('transaction'.length),
    cleanText(itemId),
    painter.status(cleanText(status)),
    painter.dim(id),
  )

export const sightingObject = ({seenAt, itemId, item, ...sighting}: Sighting) => ({
  id: sighting.id,
  kind: sighting.kind,
  [`${sighting.kind}Id`]: itemId,
  status: sighting.status,
  updatedAt: sighting.updatedAt,
  seenAt: iso(seenAt),
  item,
})
