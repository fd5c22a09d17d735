// What came of each try, from its replies and from the service's list. A result is never guessed: a lost reply, a list that
// was not read again, or a rejection that may have had another cause leaves it unknown.
import {isRecord} from '../values/records.ts'
import {randomUUID} from 'node:crypto'
import type {ObservedReply} from '../client/connection.ts'
import type {SecondRequestOutcome} from '../contract/observed-service.ts'
import {SvcError} from '../errors.ts'
import type {ProbeContext} from './context.ts'
import {
  type ErrorSample,
  type ListedTransaction,
  type ProbeState,
  type SentTry,
  isOrdinary,
  isPlain,
} from './probe-state.ts'

export type TryOutcome = {outcome: SecondRequestOutcome} | {unknown: string}

// A list that showed a transaction after so long may take longer for another.
const listLagFactor = 3
const listMarginMinMs = 5_000

// How long after a reply the list must be read to show that no transaction was made. Undefined if no transaction was listed
// yet, so that an empty list shows nothing.
export const getListMargin = ({listLagMs}: ProbeState): number | undefined =>
  listLagMs === undefined ? undefined : Math.max(listMarginMinMs, listLagFactor * listLagMs)

const readReplyIds = ({replies}: SentTry): string[] =>
  replies.flatMap((reply) => (reply.kind === 'transaction' ? [reply.transactionId] : []))

const isSameRequest = (one: SentTry, another: SentTry) => one.correlationId === another.correlationId

// A service may leave the correlationId out of its list. Then a transaction belongs to every try with its quote, unless a
// reply says which.
function belongsTo(
  state: ProbeState,
  sent: SentTry,
  {correlationId, quoteId, transactionId}: ListedTransaction,
): boolean {
  if (correlationId !== undefined) return correlationId === sent.correlationId
  if (quoteId !== sent.quoteId) return false
  return !state.tries.some((other) => !isSameRequest(other, sent) && readReplyIds(other).includes(transactionId))
}

const findListedIds = (state: ProbeState, sent: SentTry): string[] =>
  state.listed.filter((listed) => belongsTo(state, sent, listed)).map(({transactionId}) => transactionId)

// The transaction of a try that had the right to one.
export const findTransactionId = (state: ProbeState, sent: SentTry): string | undefined =>
  readReplyIds(sent)[0] ?? findListedIds(state, sent)[0]

// The latest time at which the key of a first transaction can have been used first. Without a reply, the service may have
// carried the request out at any time until the list showed it.
export function getFirstUse(state: ProbeState, first: SentTry): number {
  if (readReplyIds(first).length > 0) return first.armedAt
  const seen = state.listed.filter((listed) => belongsTo(state, first, listed)).map(({seenAt}) => seenAt)
  return Math.max(first.armedAt, ...seen)
}

// All transactions that a request made, however often it was sent.
export function findRequestIds(state: ProbeState, sent: SentTry): string[] {
  const replied = state.tries.filter((other) => isSameRequest(other, sent)).flatMap(readReplyIds)
  return [...new Set([...replied, ...findListedIds(state, sent)])]
}

// The transactions that exist because of this try. A reply with another transaction than the first counts as well: the key
// no longer leads to the first one.
function findCreatedIds(state: ProbeState, sent: SentTry): string[] {
  const first = state.tries[sent.first]
  const firstId = first && findTransactionId(state, first)
  if (first && first !== sent && isSameRequest(first, sent)) {
    const own = readReplyIds(sent).filter((id) => id !== firstId)
    if (own.length > 0) return own
    // Which of the sends made it is not known, so it counts for each of them.
    const replied = new Set(state.tries.flatMap(readReplyIds))
    return findListedIds(state, sent).filter((id) => id !== firstId && !replied.has(id))
  }
  const ids = [...new Set([...readReplyIds(sent), ...findListedIds(state, sent)])]
  return first === sent ? ids : ids.filter((id) => id !== firstId)
}

// An ordinary transaction that was made later shows that neither money nor a limit was the reason of a rejection.
const isControlled = (state: ProbeState, sent: SentTry) =>
  state.tries
    .slice(state.tries.indexOf(sent) + 1)
    .some((later) => isOrdinary(later.name) && findCreatedIds(state, later).length > 0)

// A list with neither quotes nor correlationIds does not show which try a transaction belongs to.
const canMatchList = ({listed, tries}: ProbeState) =>
  listed.some(({quoteId, correlationId}) =>
    tries.some((sent) => sent.correlationId === correlationId || sent.quoteId === quoteId),
  )

function isListRead(state: ProbeState, {answeredAt}: SentTry): boolean {
  const {listReadAt} = state
  const marginMs = getListMargin(state)
  if (listReadAt === undefined || answeredAt === undefined || marginMs === undefined) return false
  return listReadAt >= answeredAt + marginMs && canMatchList(state)
}

export function hasLostReply({replies, sends, rejection}: SentTry): boolean {
  return replies.length < sends || [...replies, ...(rejection ? [rejection] : [])].some(({kind}) => kind === 'lost')
}

// Whether the result of a rejection depends on an ordinary transaction that has not been made yet.
export const needsControl = (state: ProbeState, sent: SentTry): boolean =>
  !isPlain(sent.name) &&
  !isOrdinaryAndMade(state, sent) &&
  sent.replies.some(({kind}) => kind === 'rejected') &&
  !isControlled(state, sent)

const isOrdinaryAndMade = (state: ProbeState, sent: SentTry) =>
  isOrdinary(sent.name) && findCreatedIds(state, sent).length > 0

export function classifyTry(state: ProbeState, sent: SentTry): TryOutcome {
  // Sent twice at the same moment, a request may make one transaction.
  const allowed = sent.name === 'at-once' ? 1 : 0
  const created = findCreatedIds(state, sent)
  if (created.length > allowed) return {outcome: 'created'}
  if (sent.rejection && sent.rejection.kind === 'transaction') {
    return {unknown: 'a request with a quote that does not exist was accepted'}
  }
  if (hasLostReply(sent)) return {unknown: 'a reply was lost'}
  if (sent.name === 'at-once' && created.length === 0) return {unknown: 'neither of the two requests was accepted'}
  if (!isListRead(state, sent)) return {unknown: 'the list did not show it in time'}
  if (needsControl(state, sent)) return {unknown: 'an ordinary transaction was rejected as well'}
  return {outcome: sent.replies.some(({kind}) => kind === 'rejected') ? 'rejected' : 'replayed'}
}

// Whether the money of this try is known not to have been spent.
export function hasSpentNothing(state: ProbeState, sent: SentTry): boolean {
  const result = classifyTry(state, sent)
  return sent.name !== 'at-once' && 'outcome' in result && result.outcome !== 'created'
}

// Looks at the form of errors: a few reads and a quote that every service rejects, and every rejection of the probe itself.

// Enough to see the form of each kind of error, without a file that grows.
const samplesMax = 20

const isDocumented = (text: string, statusCode: number): boolean => {
  try {
    const body: unknown = JSON.parse(text)
    if (!isRecord(body)) return false
    const {error, message, statusCode: stated} = body
    return typeof error === 'string' && error !== '' && typeof message === 'string' && stated === statusCode
  } catch {
    return false
  }
}

// The interface documents a body for errors, of any status from 400 on.
export function observeError(state: ProbeState, {method, path, status, text = ''}: ObservedReply): void {
  if (status < 400 || state.errors.length >= samplesMax) return
  const sample: ErrorSample = {
    request: `${method} ${path.replaceAll(/[0-9a-f-]{36}/g, '{id}')}`,
    statusCode: status,
    isDocumented: isDocumented(text, status),
    bytes: Buffer.byteLength(text),
  }
  const isKnown = state.errors.some(
    (known) => known.request === sample.request && known.statusCode === status && known.bytes === sample.bytes,
  )
  if (!isKnown) state.errors.push(sample)
}

// None of these changes anything. What they answer is observed like every reply.
export async function provokeErrors({client, state, save, report}: ProbeContext): Promise<void> {
  if (state.hasErrorSamples) return
  report('the form of errors')
  const {customerId} = state.content
  const requests = [
    {method: 'GET', path: `/customers/${randomUUID()}`},
    {method: 'GET', path: '/transactions', query: {customerId, pageSize: 0}},
    {method: 'GET', path: '/transactions', query: {customerId, pageToken: `probe-${randomUUID()}`}},
    {method: 'POST', path: '/quotes', body: JSON.stringify({customerId})},
  ]
  for (const request of requests) {
    await client.raw(request).catch((error: unknown) => {
      if (!(error instanceof SvcError)) throw error
    })
  }
  state.hasErrorSamples = true
  save()
}
