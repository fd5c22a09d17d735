// Events and their outcomes as lines of text and as JSON. The text contains no personal data.
import type {ForwardOutcome} from './forward.ts'
import type {Rejection} from './receiver.ts'
import type {RecordedEvent} from './record.ts'
import {cleanText} from '../cli/output/clean.ts'
import type {Painter} from '../cli/output/colour.ts'
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

export function formatForward(outcome: ForwardOutcome, shownTarget: string, style: LineStyle): string {
  const {painter} = style
  const {id, forward, outcome: what, attempts, nextAttemptAt} = outcome
  const ends = {
    delivered: undefined,
    retrying: `again at ${formatTime(nextAttemptAt ?? 0)}`,
    failed: painter.alarm(`given up after ${attempts} attempts; --replay sends it again`),
  }
  return layOutLine(Date.now(), style, `${formatId(id, style)} → ${shownTarget}`, what, ends[forward])
}

export const toForwardJson = ({id, target, forward, outcome, attempts, nextAttemptAt}: ForwardOutcome) => ({
  forward,
  id,
  target,
  outcome,
  attempts,
  nextAttemptAt: nextAttemptAt === undefined ? undefined : toIso(nextAttemptAt),
})
