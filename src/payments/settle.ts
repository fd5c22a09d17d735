// Settles a payment of which nobody knows whether it was made: by the service's list, and by sending the same bytes again.
import {SvcError} from '../errors.ts'
import {classifyFailure, classifyReply, type SendOutcome} from './send-outcome.ts'
import {readContent, isContentKnown} from './payment-content.ts'
import {describeDifferences, findMatches, pickSingleMatch, getPaymentIds} from './find-transaction.ts'
import {outcomeUnknown} from './payment-errors.ts'
import {type Attempt, getLastAttempt} from './payment.ts'
import type {Fields} from './service.ts'
import {type LeasedPayment, commitChange, renewLease, updateLastAttempt} from './context.ts'

// How long the service may take to show a transaction in its list; longer than a quote lives (docs/assumptions.md, P4).
export const listLagMaxMs = 6 * 60_000
// With less life left than this a quote is not sent: it could expire on the way.
export const quoteLifeMinMs = 15_000
// The service may have several machines, whose clocks differ a little.
const clockToleranceMs = 2_000
const resendsMax = 4
const pauseFirstMs = 1_000
const pauseMaxMs = 15_000

// Sends the very bytes of the latest attempt, and says what came of it.
export async function transmit({context, payment}: LeasedPayment): Promise<SendOutcome> {
  const {bytes, idempotencyKey} = getLastAttempt(payment) ?? {}
  if (bytes === undefined || idempotencyKey === undefined) throw new Error(`nothing is armed for ${payment.key}`)
  try {
    return classifyReply(await context.service.send(bytes, idempotencyKey), getPaymentIds(payment))
  } catch (error) {
    return classifyFailure(error)
  }
}

export function recordCreated(leased: LeasedPayment, transaction: Fields, what: 'CREATED' | 'ADOPTED'): LeasedPayment {
  const transactionId = String(transaction['transactionId'])
  const madeAt = Date.parse(String(transaction['createdAt']))
  const [difference] = describeDifferences(leased.payment, transaction)
  const detail = {transactionId, ...(difference && {difference})}
  const {content} = leased.payment
  const change = {
    state: 'CREATED',
    transactionId,
    content: isContentKnown(content) ? content : readContent(transaction),
    ...(!Number.isNaN(madeAt) && {madeAt}),
  } as const
  return {...commitChange(leased, change, {what, detail}), transaction}
}

// What is left of the quote's life, at the least.
export const getQuoteLifeLeft = ({context, payment}: LeasedPayment) =>
  (getLastAttempt(payment)?.quoteExpiresAt ?? 0) - context.clock.latest()

// Whatever a second sending is answered, only a transaction of ours settles it: a refusal may mean that the first one won.
async function resend(leased: LeasedPayment): Promise<LeasedPayment> {
  const {context} = leased
  const {sends = 0} = getLastAttempt(leased.payment) ?? {}
  const again = commitChange(leased, {attempts: updateLastAttempt(leased, {sends: sends + 1})}, {what: 'RESENDING'})
  context.checkpoint('resending')
  renewLease(again)
  if (getQuoteLifeLeft(again) < quoteLifeMinMs) return again
  const outcome = await transmit(again)
  context.checkpoint('reanswered')
  if (outcome.kind === 'created') {
    const made = recordCreated(again, outcome.transaction, 'CREATED')
    context.checkpoint('created')
    return made
  }
  const reason = outcome.kind === 'ambiguous' ? outcome.reason : outcome.error.message
  return commitChange(again, {attempts: updateLastAttempt(again, {reason})}, {what: 'UNKNOWN', detail: {reason}})
}

// Past the quote's life and the list's lag, two complete lists without it, that far apart, prove that it was never made.
function checkAbsence(leased: LeasedPayment, attempt: Attempt, scannedFromMs: number): LeasedPayment {
  const {context} = leased
  if (scannedFromMs < attempt.quoteExpiresAt + listLagMaxMs + clockToleranceMs) return leased
  if (attempt.clearSince === undefined) {
    const clearSince = context.clock.latest()
    const seen = commitChange(leased, {attempts: updateLastAttempt(leased, {clearSince})}, {what: 'NOT_FOUND'})
    context.checkpoint('cleared')
    return seen
  }
  if (scannedFromMs < attempt.clearSince + listLagMaxMs + clockToleranceMs) return leased
  const gone = commitChange(leased, {state: 'ABANDONED'}, {what: 'ABANDONED'})
  context.checkpoint('abandoned')
  return gone
}

// The list could not be read now, and may be in a while.
class ListUnavailable extends Error {
  override name = 'Unlisted'
}

async function scanList(leased: LeasedPayment): Promise<Fields[]> {
  try {
    return await findMatches(leased.context, leased.payment)
  } catch (error) {
    // Without the list nothing is sent again, and nothing is known.
    if (!(error instanceof SvcError) || error.kind === 'unknownOutcome') throw error
    const why = `its transactions cannot be listed (${error.message})`
    if (error.kind === 'unreachable') throw new ListUnavailable(why, {cause: error})
    throw outcomeUnknown(leased.payment, why, error)
  }
}

// One look at the list, and what follows from it.
async function runRound(leased: LeasedPayment, mayResend: boolean): Promise<LeasedPayment> {
  const {context} = leased
  const {clock} = context
  const attempt = getLastAttempt(leased.payment)
  if (!attempt) throw new Error(`nothing to settle for ${leased.payment.key}`)
  const beganAt = clock.ticks()
  const match = pickSingleMatch(leased.payment, await scanList(leased))
  // The service's clock may be known only since the list was read, so the start of it is counted back.
  const scannedFromMs = clock.earliest() - Math.ceil(clock.ticks() - beganAt)
  context.checkpoint('scanned')
  if (match) {
    const adopted = recordCreated(leased, match, 'ADOPTED')
    context.checkpoint('adopted')
    return adopted
  }
  if (mayResend && getQuoteLifeLeft(leased) > quoteLifeMinMs) return resend(leased)
  return checkAbsence(leased, attempt, scannedFromMs)
}

// An armed payment that is found is one whose sender is gone.
function markUnknown(leased: LeasedPayment): LeasedPayment {
  if (leased.payment.state === 'UNKNOWN') return leased
  const reason = 'the process that sent it ended before it had an answer'
  const attempts = updateLastAttempt(leased, {reason})
  const unknown = commitChange(leased, {state: 'UNKNOWN', attempts}, {what: 'UNKNOWN', detail: {reason}})
  leased.context.checkpoint('unknown')
  return unknown
}

// Goes on until it is known, or until this run's patience ends: then it stays UNKNOWN, which the error says.
export async function settleUnknown(start: LeasedPayment): Promise<LeasedPayment> {
  const {context} = start
  context.clock.assumeOffset(getLastAttempt(start.payment)?.serverAheadMs)
  let leased = markUnknown(start)
  const sendsBefore = getLastAttempt(leased.payment)?.sends ?? 0
  for (let round = 0; ; round++) {
    renewLease(leased)
    const {sends = 0, reason = 'the service did not say'} = getLastAttempt(leased.payment) ?? {}
    let why = reason
    try {
      leased = await runRound(leased, context.mayResend && sends - sendsBefore < resendsMax)
    } catch (error) {
      if (!(error instanceof ListUnavailable)) throw error
      why = error.message
    }
    if (leased.payment.state !== 'UNKNOWN') return leased
    const pauseMs = Math.min(pauseMaxMs, pauseFirstMs * 2 ** round)
    if (context.remainingMs() < pauseMs) throw outcomeUnknown(leased.payment, why)
    await context.pause(pauseMs)
  }
}
