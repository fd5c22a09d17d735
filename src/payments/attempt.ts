// One attempt at a payment: a quote, the limits, and then the one request that pays.
import {SvcError} from '../errors.ts'
import {readErrorCode, describeFailure} from './send-outcome.ts'
import {type PaymentContent, deriveCorrelationId, deriveIdempotencyKey} from './payment-content.ts'
import {LimitReached, checkDailyLimit, checkPaymentLimits, checkPriceLimits} from './limits.ts'
import {quoteRejected, quotesExpired, rejectedByService, stoppedByLimit} from './payment-errors.ts'
import {type Attempt, type Price, getLastAttempt} from './payment.ts'
import type {Fields} from './service.ts'
import {recordCreated, getQuoteLifeLeft, quoteLifeMinMs, transmit, settleUnknown} from './settle.ts'
import {askedToWaitCode} from './retry-after.ts'
import {type LeasedPayment, type PaymentContext, commitChange, renewLease, updateLastAttempt} from './context.ts'

const quoteTriesMax = 4
const quotePauseFirstMs = 500

const toText = (value: unknown) => (typeof value === 'string' ? value : '')
const toFields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})

export function readPrice(quote: Fields): Price {
  const fees = toFields(quote['fees'])
  return {
    rate: toText(quote['estimatedExchangeRate']),
    received: toText(quote['destinationAmount']),
    svcFee: toText(toFields(fees['svcFee'])['feeAmount']),
    developerFee: toText(toFields(fees['developerFee'])['feeAmount']),
    feeCurrency: toText(toFields(fees['feeCurrency'])['label']),
  }
}

const unusableQuote = (what: string) =>
  new SvcError({
    error: 'QUOTE_UNREADABLE',
    kind: 'unreachable',
    message: `The service sent a quote ${what}, so nothing was paid`,
    hint: 'Tell whoever runs the service',
  })

// A quote moves nothing, so one whose answer was lost is simply asked for again.
export async function fetchQuote(
  context: Pick<PaymentContext, 'service' | 'pause'>,
  content: PaymentContent,
  isGuaranteed: boolean,
): Promise<Fields> {
  for (let tried = 1; ; tried++) {
    try {
      return await context.service.quote(content, isGuaranteed)
    } catch (error) {
      const isMissed = error instanceof SvcError && (error.kind === 'unreachable' || error.kind === 'unknownOutcome')
      if (!isMissed) throw error
      if (tried === quoteTriesMax || isPermanent(error)) throw quoteUnavailable(error)
      await context.pause(quotePauseFirstMs * 2 ** (tried - 1))
    }
  }
}

// What would only be answered the same way: a redirect, or a service that asks to be left alone for longer than is waited.
const isPermanent = ({error, statusCode = 0}: SvcError) =>
  error === askedToWaitCode || (statusCode >= 300 && statusCode < 400)

// Whether a quote was made after all is of no interest to whoever wants to pay.
const doubt = /^.*? may or may not have happened: /

const quoteUnavailable = (error: SvcError) =>
  new SvcError({
    error: error.error === 'OUTCOME_UNKNOWN' ? 'UNREACHABLE' : error.error,
    kind: 'unreachable',
    message: `No quote could be had: ${error.message.replace(doubt, '')}`,
    hint: 'Nothing was paid; try again later',
    statusCode: error.statusCode,
    cause: error,
  })

async function requestQuote(leased: LeasedPayment): Promise<LeasedPayment> {
  const {context, payment} = leased
  const quote = await fetchQuote(context, payment.content, leased.isGuaranteed).catch((error: unknown) => {
    throw error instanceof SvcError && error.kind === 'refused' ? quoteRejected(payment, error) : error
  })
  const quoteId = toText(quote['quoteId'])
  const quoteExpiresAt = Date.parse(toText(quote['expiresAt']))
  if (quoteId === '') throw unusableQuote('without an id')
  if (Number.isNaN(quoteExpiresAt)) throw unusableQuote('without the time at which it expires')
  context.clock.observeQuote(quoteExpiresAt)
  const price = readPrice(quote)
  const attempt: Attempt = {quoteId, quoteExpiresAt, price, serverAheadMs: context.clock.aheadMs(), sends: 0}
  const detail = {quoteId, ...price}
  const next = commitChange(
    leased,
    {state: 'QUOTED', attempts: [...payment.attempts, attempt]},
    {what: 'QUOTED', detail},
  )
  context.checkpoint('quoted')
  return next
}

function recordStopped(leased: LeasedPayment, why: string): never {
  commitChange(
    leased,
    {state: 'STOPPED', attempts: updateLastAttempt(leased, {reason: why})},
    {what: 'STOPPED', detail: {reason: why}},
  )
  leased.context.checkpoint('stopped')
  throw stoppedByLimit(leased.payment, why)
}

// The limits are judged on the quote; what a day may cost is judged in the same transaction that arms the payment.
export function arm(leased: LeasedPayment, wire?: {bytes: string; idempotencyKey: string}): LeasedPayment {
  const {context, payment, limits} = leased
  const {serviceId, key, content} = payment
  const attempt = getLastAttempt(payment)
  if (!attempt) throw new Error(`nothing is quoted for ${key}`)
  const own = {
    bytes: JSON.stringify({quoteId: attempt.quoteId, correlationId: deriveCorrelationId(serviceId, key)}),
    idempotencyKey: deriveIdempotencyKey(serviceId, key),
  }
  const arming = {...(wire ?? own), armedAt: context.clock.latest(), sends: 1}
  try {
    checkPriceLimits(limits, content, attempt.price)
    checkPaymentLimits(context.spending, content)
    const change = {state: 'ARMED', attempts: updateLastAttempt(leased, arming)} as const
    const entry = {what: 'ARMED', detail: {attempt: payment.attempts.length, epoch: leased.lease.epoch}}
    const next = commitChange(leased, change, entry, (spent) =>
      checkDailyLimit(context.spending, content, arming.armedAt, spent),
    )
    context.checkpoint('armed')
    return next
  } catch (error) {
    if (error instanceof LimitReached) return recordStopped(leased, error.message)
    throw error
  }
}

// Nothing left this machine, so this attempt made nothing.
function recordUnsent(leased: LeasedPayment, reason: string): LeasedPayment {
  const attempts = updateLastAttempt(leased, {reason, sends: 0})
  const next = commitChange(leased, {state: 'ABANDONED', attempts}, {what: 'ABANDONED', detail: {reason}})
  leased.context.checkpoint('abandoned')
  return next
}

// Sends what is armed, once. The lease and the life of the quote are looked at again just before the first byte.
export async function sendArmed(leased: LeasedPayment): Promise<LeasedPayment> {
  const {context} = leased
  renewLease(leased)
  if (getQuoteLifeLeft(leased) < quoteLifeMinMs) return recordUnsent(leased, 'the quote had too little life left')
  context.checkpoint('sending')
  const outcome = await transmit(leased)
  context.checkpoint('answered')
  if (outcome.kind === 'created') {
    const made = recordCreated(leased, outcome.transaction, 'CREATED')
    context.checkpoint('created')
    return made
  }
  if (outcome.kind === 'unsent') {
    recordUnsent(leased, outcome.error.message)
    throw outcome.error
  }
  if (outcome.kind === 'refused') return recordRejected(leased, outcome.error)
  const {reason, statusCode} = outcome
  const attempts = updateLastAttempt(leased, {reason, ...(statusCode !== undefined && {statusCode})})
  const unknown = commitChange(leased, {state: 'UNKNOWN', attempts}, {what: 'UNKNOWN', detail: {reason}})
  context.checkpoint('unknown')
  return settleUnknown(unknown)
}

function recordRejected(leased: LeasedPayment, error: SvcError): never {
  const {statusCode} = error
  const reason = describeFailure(error)
  const attempts = updateLastAttempt(leased, {
    reason,
    error: readErrorCode(error),
    ...(statusCode !== undefined && {statusCode}),
  })
  const {payment} = commitChange(leased, {state: 'REJECTED', attempts}, {what: 'REJECTED', detail: {reason}})
  leased.context.checkpoint('rejected')
  throw rejectedByService(payment, error.message)
}

const attemptsInARunMax = 3

// Tries until it is made, refused, stopped or unknown. A quote that ran out before it was sent is replaced.
export async function attemptPayment(start: LeasedPayment): Promise<LeasedPayment> {
  let leased = start
  for (let tries = 0; tries < attemptsInARunMax; tries++) {
    leased = await sendArmed(arm(await requestQuote(leased)))
    if (leased.payment.state !== 'ABANDONED') return leased
  }
  throw quotesExpired(leased.payment)
}
