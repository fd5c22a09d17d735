// One attempt to pay: request a quote, check the limits and arm, send, and settle if the outcome is unknown.
import type {LooseQuote} from '../../contract/loose.ts'
import {PolicyChanged} from '../../controls/decide.ts'
import {SvcError} from '../../errors.ts'
import {toInstantMs} from '../../values/time.ts'
import type {LeasedPayment, PaymentContext} from './context.ts'
import {fetchQuote, readPrice} from './fetch-quote.ts'
import {searchBeforeSend} from './find-transaction.ts'
import {LimitReached, buildDailyQuery, checkDailyLimit, checkPaymentLimits, checkPriceLimits} from './limits.ts'
import {adopt, rejectArmedElsewhere} from './key-use.ts'
import {type Attempt, deriveCorrelationId, deriveIdempotencyKey, getLastAttempt} from './payment.ts'
import {
  ApprovedQuoteExpired,
  quoteRejected,
  quotesExpired,
  rejectedByService,
  stoppedByLimit,
} from './payment-errors.ts'
import {readText} from '../../values/records.ts'
import {commitChange, recordQuoted, recordStopped, updateLastAttempt} from './record.ts'
import {hasRunOut, sendArmed} from './send.ts'
import {settleUnknown} from './settle.ts'

const unusableQuote = (what: string) =>
  new SvcError({
    error: 'QUOTE_UNREADABLE',
    kind: 'unreachable',
    message: `The service sent a quote ${what}, so nothing was paid`,
    hint: 'Tell the operator of the service',
  })

// A quote that a person approved is used as it is. If it has run out by now, another one must be approved.
async function obtainQuote(context: PaymentContext, leased: LeasedPayment): Promise<LooseQuote> {
  const {payment, isGuaranteed, approvedQuote} = leased
  if (approvedQuote) {
    if (hasRunOut(context, approvedQuote)) throw new ApprovedQuoteExpired(payment)
    return approvedQuote
  }
  return fetchQuote(context, payment.content, isGuaranteed).catch((error: unknown) => {
    throw error instanceof SvcError && error.kind === 'refused' ? quoteRejected(payment, error) : error
  })
}

async function requestQuote(context: PaymentContext, leased: LeasedPayment): Promise<LeasedPayment> {
  const {clock} = context
  const quote = await obtainQuote(context, leased)
  const quoteId = readText(quote.quoteId)
  const quoteExpiresAt = toInstantMs(quote.expiresAt)
  if (quoteId === '') throw unusableQuote('without an id')
  if (quoteExpiresAt === undefined) throw unusableQuote('without the time at which it expires')
  clock.observeQuote(quoteExpiresAt)
  const price = readPrice(quote)
  const attempt: Attempt = {quoteId, quoteExpiresAt, price, serverAheadMs: clock.aheadMs(), sends: 0}
  return recordQuoted(context, leased, attempt, {quoteId, ...price})
}

// What is sent to pay, and the idempotency key under which it is sent.
export interface PaymentRequest {
  bytes: string
  idempotencyKey: string
}

function buildRequest({payment: {serviceId, key}}: LeasedPayment, quoteId: string): PaymentRequest {
  return {
    bytes: JSON.stringify({quoteId, correlationId: deriveCorrelationId(serviceId, key)}),
    idempotencyKey: deriveIdempotencyKey(serviceId, key),
  }
}

// Checks the limits against the quote, and writes the exact bytes to the journal before any of them is sent. The daily limit
// is checked in the transaction that arms the payment, so that two processes cannot both use what is left of it.
async function arm(context: PaymentContext, leased: LeasedPayment, request?: PaymentRequest): Promise<LeasedPayment> {
  const {clock, controls} = context
  const {spending = {}, binding} = controls
  const {payment, limits, isGuaranteed, lease} = leased
  const {content} = payment
  const attempt = getLastAttempt(payment)
  if (!attempt) throw new Error(`nothing is quoted for ${payment.key}`)
  const armedAt = clock.latest()
  const attempts = updateLastAttempt(leased, {
    ...(request ?? buildRequest(leased, attempt.quoteId)),
    armedAt,
    armedLocallyAt: clock.wall(),
    sends: 1,
    isGuaranteed,
    limits,
  })
  const entry = {what: 'ARMED', detail: {attempt: payment.attempts.length, epoch: lease.epoch}}
  try {
    checkPriceLimits(limits, content, attempt.price)
    checkPaymentLimits(spending, content)
    const armed = await commitChange(context, leased, {state: 'ARMED', attempts}, entry, {
      spending: buildDailyQuery(spending, content, armedAt),
      readsPolicyMark: binding !== undefined,
      judge(found) {
        if (binding && found.policyMark !== binding.mark) throw new PolicyChanged(payment.key)
        rejectArmedElsewhere(context, payment, found)
        checkDailyLimit(spending, content, found.spentAmounts)
      },
    })
    context.checkpoint('armed')
    return armed
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error
    await recordStopped(context, leased, error.message)
    throw stoppedByLimit(payment, error.message)
  }
}

// A search that is more recent than this is not repeated before the payment is armed.
const searchAgeMaxMs = 2_000

// Another host may have paid since the list was searched. Where keys are not known to be honoured, only the list shows it.
async function lookAgainIfNeeded(context: PaymentContext, quoted: LeasedPayment): Promise<LeasedPayment> {
  const {clock, areKeysHonoured, lookAgain} = context
  const {payment, searchedTicks} = quoted
  if (areKeysHonoured || searchedTicks === undefined) return quoted
  if (!lookAgain && clock.ticks() - searchedTicks <= searchAgeMaxMs) return quoted
  const {match} = await searchBeforeSend(context, payment, lookAgain)
  context.checkpoint('searched')
  return match ? adopt(context, quoted, match) : quoted
}

// Pays the quote of the last attempt. The payment is CREATED afterwards, or ABANDONED if this quote created nothing.
export async function payWithQuote(
  context: PaymentContext,
  quoted: LeasedPayment,
  request?: PaymentRequest,
): Promise<LeasedPayment> {
  const unpaid = await lookAgainIfNeeded(context, quoted)
  if (unpaid.payment.state === 'CREATED') return unpaid
  const sent = await sendArmed(context, await arm(context, unpaid, request))
  if (sent.payment.state !== 'UNKNOWN') return sent
  const outcome = await settleUnknown(context, sent)
  if (outcome.payment.state === 'REJECTED') {
    throw rejectedByService(outcome.payment, sent.rejection?.message)
  }
  return outcome
}

const attemptsPerRunMax = 3

// Tries until the payment is created, rejected, stopped or unknown. A quote that expired before it was sent is replaced,
// unless a person approved it.
export async function attemptPayment(context: PaymentContext, start: LeasedPayment): Promise<LeasedPayment> {
  let leased = start
  const objection = await leased.findObjection?.(context, leased.payment)
  if (objection) throw objection
  for (let tries = 0; tries < attemptsPerRunMax; tries++) {
    leased = await payWithQuote(context, await requestQuote(context, leased))
    if (leased.payment.state !== 'ABANDONED') return leased
    if (leased.approvedQuote) throw new ApprovedQuoteExpired(leased.payment)
  }
  throw quotesExpired(leased.payment)
}
