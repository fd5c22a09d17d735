// Sends one try. It is reserved in the journal and written to the state before its first byte leaves.
import {randomUUID} from 'node:crypto'
import {LimitReached, buildDailyQuery, checkDailyLimit, checkPaymentLimits} from '../payments/protocol/limits.ts'
import {fetchQuote} from '../payments/protocol/fetch-quote.ts'
import {readText} from '../values/records.ts'
import {readErrorCode} from '../payments/protocol/send-outcome.ts'
import {createLimitError} from '../controls/limits.ts'
import {SvcError} from '../errors.ts'
import {toInstantMs} from '../values/time.ts'
import {type ProbeContext, requireTime} from './context.ts'
import {getFirstUse} from './outcomes.ts'
import {type SentTry, type TryKind, type TryReply, correlationPrefix} from './probe-state.ts'

interface ProbeQuote {
  quoteId: string
  // By the service's clock; absent if the service does not say.
  expiresAt?: number
}

export async function requestQuote(context: ProbeContext): Promise<ProbeQuote> {
  const {service, time, state, clock} = context
  const quote = await fetchQuote({service, pause: (ms) => time.sleep(ms)}, state.content, false)
  const quoteId = readText(quote.quoteId)
  if (quoteId === '') throw createUnreadableQuote()
  const expiresAt = toInstantMs(quote.expiresAt)
  if (expiresAt === undefined) return {quoteId}
  clock.observeQuote(expiresAt)
  return {quoteId, expiresAt}
}

const createUnreadableQuote = () =>
  new SvcError({
    error: 'QUOTE_UNREADABLE',
    kind: 'unreachable',
    message: 'The service sent a quote without an id, so nothing can be tried with it',
    hint: 'Tell the operator of the service',
  })

// With these statuses the request may have been carried out, or may still be.
const isInconclusive = (status: number) => status === 408 || status === 425 || status === 429 || status >= 500
const isRejection = (status: number) => status >= 400 && !isInconclusive(status)

// A credential that is refused would be refused for every other try too.
function toReply(error: unknown): TryReply {
  if (!(error instanceof SvcError)) throw error
  const {statusCode, kind} = error
  if (kind === 'unauthenticated') throw error
  if (statusCode !== undefined && isRejection(statusCode)) {
    return {kind: 'rejected', statusCode, error: readErrorCode(error)}
  }
  return {kind: 'lost', reason: statusCode === undefined ? 'no reply' : `HTTP_${statusCode}`}
}

async function send({service}: ProbeContext, bytes: string, key: string): Promise<TryReply> {
  try {
    const body = (await service.send(bytes, key)) as {transactionId?: unknown} | undefined
    const transactionId = readText(body?.transactionId)
    return transactionId === '' ? {kind: 'lost', reason: 'a reply without an id'} : {kind: 'transaction', transactionId}
  } catch (error) {
    return toReply(error)
  }
}

const formatId = ({state}: ProbeContext, suffix: string) => `${correlationPrefix}${state.run}_${suffix}`

const toReservationId = ({correlationId, name}: SentTry, index: number) => `${correlationId}/${name}/${index}`

// Checks the limits of the profile and counts the money of each send as spent.
async function reserve(context: ProbeContext, sent: SentTry): Promise<void> {
  const {journal, controls, state, clock} = context
  const {spending = {}} = controls
  const {serviceId, content} = state
  const {sourceCurrency: currency, sourceAmount: amount} = content.source
  try {
    checkPaymentLimits(spending, content)
    for (let index = 0; index < sent.sends; index++) {
      const reservation = {serviceId, id: toReservationId(sent, index), currency, amount}
      await journal.reserve(reservation, {
        spending: buildDailyQuery(spending, content, clock.latest()),
        judge: ({spentAmounts}) => checkDailyLimit(spending, content, spentAmounts),
      })
    }
  } catch (error) {
    await release(context, sent)
    if (!(error instanceof LimitReached)) throw error
    throw createLimitError(
      `The probe was stopped: ${error.message}`,
      'Raise the limit or try again tomorrow; `svc probe` continues where it stopped',
    )
  }
}

// For money that is known not to have been spent.
export async function release({journal, state}: ProbeContext, sent: SentTry): Promise<void> {
  for (let index = 0; index < sent.sends; index++) {
    await journal.cancelReservation(state.serviceId, toReservationId(sent, index))
  }
}

async function prepareTry(context: ProbeContext, kind: TryKind, firstIndex: number): Promise<SentTry> {
  const {state, time} = context
  const {name, uses, sends} = kind
  const index = state.tries.length
  const first = state.tries[firstIndex]
  const own = name === 'expired' ? state.oldQuote : undefined
  const quote =
    uses.quote && first
      ? {quoteId: first.quoteId, expiresAt: first.quoteExpiresAt}
      : (own ?? (await requestQuote(context)))
  const correlationId = uses.bytes && first ? first.correlationId : formatId(context, String(index))
  const bytes = JSON.stringify({quoteId: quote.quoteId, correlationId})
  return {
    name,
    first: first ? firstIndex : index,
    key: uses.key && first ? first.key : formatId(context, `key_${index}`),
    quoteId: quote.quoteId,
    ...(quote.expiresAt !== undefined && {quoteExpiresAt: quote.expiresAt}),
    correlationId,
    bytes,
    sends,
    armedAt: time.now(),
    ...(uses.key && first && {keyAgeMs: time.now() - getFirstUse(state, first)}),
    replies: [],
  }
}

// Sends a quote id that does not exist, under a new key, so that the first request of this key is rejected.
async function sendRejectedRequest(context: ProbeContext, sent: SentTry): Promise<void> {
  const bytes = JSON.stringify({quoteId: randomUUID(), correlationId: `${sent.correlationId}_rejected`})
  sent.rejection = await send(context, bytes, sent.key)
}

// Without a first transaction to refer to, `firstIndex` is -1.
export async function sendTry(context: ProbeContext, kind: TryKind, firstIndex: number): Promise<SentTry> {
  const {state, time, save, checkpoint, tried} = context
  requireTime(context)
  context.report(kind.words)
  tried.add(kind.name)
  const sent = await prepareTry(context, kind, firstIndex)
  await reserve(context, sent)
  state.tries.push(sent)
  save()
  checkpoint('armed')
  if (kind.name === 'after-rejection') await sendRejectedRequest(context, sent)
  if (sent.rejection?.kind !== 'lost') {
    const sends = Array.from({length: kind.sends}, () => send(context, sent.bytes, sent.key))
    sent.replies = await Promise.all(sends)
  }
  checkpoint('answered')
  sent.answeredAt = time.now()
  save()
  checkpoint('recorded')
  return sent
}
