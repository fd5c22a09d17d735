// One attempt at a payment: a quote, the limits, and then the one request that pays.
import {SvcError} from '../errors.ts'
import {codeOf, reasonOf} from './send-outcome.ts'
import {type Content, correlationIdOf, idempotencyKeyOf} from './payment-content.ts'
import {LimitReached, judgeDay, judgePayment, judgePrice} from './limits.ts'
import {quoteRefused, quotesRanOut, refusedByService, stoppedByLimit} from './outcomes.ts'
import {type Attempt, type Price, lastAttempt} from './payment.ts'
import type {Fields} from './service.ts'
import {created, lifeOf, quoteLifeMinMs, sent, settled} from './settle.ts'
import {askedToWait} from './retry-after.ts'
import {type LeasedPayment, type PaymentContext, committed, stillHeld, withAttempt} from './context.ts'

const quoteTriesMax = 4
const quotePauseFirstMs = 500

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})

export function priceOf(quote: Fields): Price {
  const fees = fieldsOf(quote['fees'])
  return {
    rate: textOf(quote['estimatedExchangeRate']),
    received: textOf(quote['destinationAmount']),
    svcFee: textOf(fieldsOf(fees['svcFee'])['feeAmount']),
    developerFee: textOf(fieldsOf(fees['developerFee'])['feeAmount']),
    feeCurrency: textOf(fieldsOf(fees['feeCurrency'])['label']),
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
export async function quoted(
  world: Pick<PaymentContext, 'service' | 'pause'>,
  content: Content,
  isGuaranteed: boolean,
): Promise<Fields> {
  for (let tried = 1; ; tried++) {
    try {
      return await world.service.quote(content, isGuaranteed)
    } catch (error) {
      const isMissed = error instanceof SvcError && (error.kind === 'unreachable' || error.kind === 'unknownOutcome')
      if (!isMissed) throw error
      if (tried === quoteTriesMax || isLasting(error)) throw nothingChanged(error)
      await world.pause(quotePauseFirstMs * 2 ** (tried - 1))
    }
  }
}

// What would only be answered the same way: a redirect, or a service that asks to be left alone for longer than is waited.
const isLasting = ({error, statusCode = 0}: SvcError) =>
  error === askedToWait || (statusCode >= 300 && statusCode < 400)

// Whether a quote was made after all is of no interest to whoever wants to pay.
const doubt = /^.*? may or may not have happened: /

const nothingChanged = (error: SvcError) =>
  new SvcError({
    error: error.error === 'OUTCOME_UNKNOWN' ? 'UNREACHABLE' : error.error,
    kind: 'unreachable',
    message: `No quote could be had: ${error.message.replace(doubt, '')}`,
    hint: 'Nothing was paid; try again later',
    statusCode: error.statusCode,
    cause: error,
  })

async function withQuote(hand: LeasedPayment): Promise<LeasedPayment> {
  const {world, payment} = hand
  const quote = await quoted(world, payment.content, hand.isGuaranteed).catch((error: unknown) => {
    throw error instanceof SvcError && error.kind === 'refused' ? quoteRefused(payment, error) : error
  })
  const quoteId = textOf(quote['quoteId'])
  const quoteExpiresAt = Date.parse(textOf(quote['expiresAt']))
  if (quoteId === '') throw unusableQuote('without an id')
  if (Number.isNaN(quoteExpiresAt)) throw unusableQuote('without the time at which it expires')
  world.clock.hearQuote(quoteExpiresAt)
  const price = priceOf(quote)
  const attempt: Attempt = {quoteId, quoteExpiresAt, price, serverAheadMs: world.clock.aheadMs(), sends: 0}
  const detail = {quoteId, ...price}
  const next = committed(hand, {state: 'QUOTED', attempts: [...payment.attempts, attempt]}, {what: 'QUOTED', detail})
  world.at('quoted')
  return next
}

function stopped(hand: LeasedPayment, why: string): never {
  committed(
    hand,
    {state: 'STOPPED', attempts: withAttempt(hand, {reason: why})},
    {what: 'STOPPED', detail: {reason: why}},
  )
  hand.world.at('stopped')
  throw stoppedByLimit(hand.payment, why)
}

// The limits are judged on the quote; what a day may cost is judged in the same transaction that arms the payment.
export function armed(hand: LeasedPayment, wire?: {bytes: string; idempotencyKey: string}): LeasedPayment {
  const {world, payment, limits} = hand
  const {place, key, content} = payment
  const attempt = lastAttempt(payment)
  if (!attempt) throw new Error(`nothing is quoted for ${key}`)
  const own = {
    bytes: JSON.stringify({quoteId: attempt.quoteId, correlationId: correlationIdOf(place, key)}),
    idempotencyKey: idempotencyKeyOf(place, key),
  }
  const arming = {...(wire ?? own), armedAt: world.clock.latest(), sends: 1}
  try {
    judgePrice(limits, content, attempt.price)
    judgePayment(world.spending, content)
    const change = {state: 'ARMED', attempts: withAttempt(hand, arming)} as const
    const entry = {what: 'ARMED', detail: {attempt: payment.attempts.length, epoch: hand.lease.epoch}}
    const next = committed(hand, change, entry, (spent) => judgeDay(world.spending, content, arming.armedAt, spent))
    world.at('armed')
    return next
  } catch (error) {
    if (error instanceof LimitReached) return stopped(hand, error.message)
    throw error
  }
}

// Nothing left this machine, so this attempt made nothing.
function unsent(hand: LeasedPayment, reason: string): LeasedPayment {
  const attempts = withAttempt(hand, {reason, sends: 0})
  const next = committed(hand, {state: 'ABANDONED', attempts}, {what: 'ABANDONED', detail: {reason}})
  hand.world.at('abandoned')
  return next
}

// Sends what is armed, once. The lease and the life of the quote are looked at again just before the first byte.
export async function fired(hand: LeasedPayment): Promise<LeasedPayment> {
  const {world} = hand
  stillHeld(hand)
  if (lifeOf(hand) < quoteLifeMinMs) return unsent(hand, 'the quote had too little life left')
  world.at('sending')
  const heard = await sent(hand)
  world.at('answered')
  if (heard.kind === 'created') {
    const made = created(hand, heard.transaction, 'CREATED')
    world.at('created')
    return made
  }
  if (heard.kind === 'unsent') {
    unsent(hand, heard.error.message)
    throw heard.error
  }
  if (heard.kind === 'refused') return rejected(hand, heard.error)
  const {reason, statusCode} = heard
  const attempts = withAttempt(hand, {reason, ...(statusCode !== undefined && {statusCode})})
  const unknown = committed(hand, {state: 'UNKNOWN', attempts}, {what: 'UNKNOWN', detail: {reason}})
  world.at('unknown')
  return settled(unknown)
}

function rejected(hand: LeasedPayment, error: SvcError): never {
  const {statusCode} = error
  const reason = reasonOf(error)
  const attempts = withAttempt(hand, {reason, error: codeOf(error), ...(statusCode !== undefined && {statusCode})})
  const {payment} = committed(hand, {state: 'REJECTED', attempts}, {what: 'REJECTED', detail: {reason}})
  hand.world.at('rejected')
  throw refusedByService(payment, error.message)
}

const attemptsInARunMax = 3

// Tries until it is made, refused, stopped or unknown. A quote that ran out before it was sent is replaced.
export async function attempted(start: LeasedPayment): Promise<LeasedPayment> {
  let hand = start
  for (let tries = 0; tries < attemptsInARunMax; tries++) {
    hand = await fired(armed(await withQuote(hand)))
    if (hand.payment.state !== 'ABANDONED') return hand
  }
  throw quotesRanOut(hand.payment)
}
