// Events and their outcomes as lines of text and as JSON. The text contains no personal data.
import type {ForwardOutcome} from './forward.ts'
import type {HandlerResponse} from './post-event.ts'
import type {Rejection} from './receiver.ts'
import type {RecordedEvent} from './record.ts'
import type {VerificationResult} from './verify.ts'
import {cleanText} from '../cli/output/clean.ts'
import type {Painter} from '../cli/output/colour.ts'
import type {View} from '../cli/output/view.ts'
import {isMadeUpEvent} from '../values/event-ids.ts'
import {toIso} from '../values/time.ts'

// A live log only needs the time of day, in UTC.
const formatTime = (ms: number) => toIso(ms).slice('2026-11-15T'.length, '2026-11-15T12:00:00'.length)

const cleanOptional = (text: string | undefined) => (text === undefined ? undefined : cleanText(text))

// How lines are laid out: colours, and the width of the terminal, if there is one.
export interface LineStyle {
  painter: Painter
  width: number | undefined
}

// On a narrower terminal the lines of one event would not fit with whole ids.
const wholeIdsWidthMin = 120
const idCharactersShown = 8

// The beginning of an id, long enough to stand for it in other commands.
function formatId(id: string, {width}: LineStyle): string {
  if (width === undefined || width >= wholeIdsWidthMin) return cleanText(id)
  const [kind = ''] = /^[a-z0-9]{1,8}_/i.exec(id) ?? []
  return cleanText(id.slice(0, kind.length + idCharactersShown))
}

const layOutLine = (ms: number, {painter}: LineStyle, ...parts: Array<string | undefined>): string =>
  `${painter.dim(formatTime(ms))}  ${parts.filter((part) => part !== undefined).join('  ')}\n`

export function formatEvent(recorded: RecordedEvent, style: LineStyle): string {
  const {id, receivedAt, type, parsed, verified, duplicate, resent} = recorded
  const {painter} = style
  const status = cleanOptional(parsed?.customerStatus)
  return layOutLine(
    receivedAt,
    style,
    formatId(id, style),
    cleanText(type),
    parsed?.customerId === undefined ? undefined : formatId(parsed.customerId, style),
    status && painter.status(status),
    verified ? 'verified' : 'unverified',
    isMadeUpEvent(id) ? painter.dim('made up') : undefined,
    resent ? painter.dim('sent again on request') : duplicate ? painter.dim('duplicate') : undefined,
  )
}

export const toEventJson = ({id, receivedAt, type, verified, duplicate, resent, parsed}: RecordedEvent) => ({
  id,
  receivedAt: toIso(receivedAt),
  type,
  ...(parsed?.customerId !== undefined && {customerId: parsed.customerId}),
  ...(parsed?.customerStatus !== undefined && {customerStatus: parsed.customerStatus}),
  ...(parsed?.updatedAt !== undefined && {updatedAt: parsed.updatedAt}),
  verified,
  ...(isMadeUpEvent(id) && {madeUp: true}),
  duplicate,
  ...(resent && {resend: true}),
  event: parsed?.event ?? null,
})

export const formatRejection = ({status, reason}: Rejection, style: LineStyle) =>
  layOutLine(Date.now(), style, style.painter.alarm(`rejected with ${status}`), cleanText(reason))

export const toRejectionJson = ({status, reason}: Rejection) => ({
  refused: reason,
  statusCode: status,
  at: toIso(Date.now()),
})

const responseLinesMax = 20

// What a handler answered, below the line of its event.
function formatResponse({body, cut}: HandlerResponse, painter: Painter): string {
  const lines = body.trimEnd().split('\n')
  const shown = lines.slice(0, responseLinesMax).map(cleanText)
  if (body.trim() === '') shown.splice(0, shown.length, '(an empty answer)')
  if (cut || lines.length > responseLinesMax) shown.push('…')
  return shown.map((line) => `          ${painter.dim('│')} ${line}\n`).join('')
}

export function formatForward(outcome: ForwardOutcome, shownTarget: string, style: LineStyle): string {
  const {painter} = style
  const {id, forward, outcome: what, attempts, nextAttemptAt, response} = outcome
  const ends = {
    delivered: undefined,
    retrying: `again at ${formatTime(nextAttemptAt ?? 0)}`,
    failed: painter.alarm(`given up after ${attempts} attempts; --replay sends it again`),
  }
  const line = layOutLine(Date.now(), style, `${formatId(id, style)} → ${shownTarget}`, what, ends[forward])
  return response ? line + formatResponse(response, painter) : line
}

export const toForwardJson = ({id, target, forward, outcome, attempts, nextAttemptAt, response}: ForwardOutcome) => ({
  forward,
  id,
  target,
  outcome,
  attempts,
  nextAttemptAt: nextAttemptAt === undefined ? undefined : toIso(nextAttemptAt),
  response,
})

export const verificationView: View<VerificationResult> = {
  singular: 'event',
  plural: 'events',
  columns: [
    {name: 'id', header: 'ID', value: (c) => c.id, rank: 0, kind: 'text'},
    {name: 'type', header: 'TYPE', value: (c) => c.type, rank: 3},
    {name: 'receivedAt', header: 'RECEIVED', value: (c) => c.receivedAt, rank: 2},
    {name: 'verified', header: 'VERIFIED', value: (c) => c.verified, format: (is) => (is ? 'yes' : 'no'), rank: 0},
    {name: 'reason', header: 'WHY NOT', value: (c) => c.reason, rank: 1, kind: 'sentence'},
    {name: 'headers', header: 'HEADERS', value: (c) => c.headers, rank: 4, shown: 'onRequest'},
    {name: 'body', header: 'BODY', value: (c) => c.body, rank: 5, shown: 'onRequest'},
  ],
}
