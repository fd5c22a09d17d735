// Makes the transaction of a quote that is there already, once: with the same journal, keyed by the quote, and never with another quote.
import {limits as contractLimits} from '../contract/limits.ts'
import {badUsage} from '../errors.ts'
import {armed, fired, priceOf} from './attempt.ts'
import {type Content, contentUnknown} from './payment-content.ts'
import {onlyMatch} from './find-transaction.ts'
import {quotesRanOut} from './outcomes.ts'
import {type Paid, payOnce} from './pay.ts'
import {type Attempt, type Payment, lastAttempt, unsettledStates} from './payment.ts'
import type {Fields} from './service.ts'
import {created, settled} from './settle.ts'
import {type LeasedPayment, type PaymentContext, committed} from './context.ts'

const quoteLifetimeMs = contractLimits.quoteLifetimeSeconds * 1000

export interface QuoteOrder {
  place: string
  quoteId: string
  correlationId?: string | undefined
  // The key that was asked for; without one, the kept key, or else the one that is derived from the quote.
  keyGiven?: string | undefined
  keyDerived: string
  // What was quoted and the quote itself, where it was made in this very run.
  content?: Content | undefined
  quote?: Fields | undefined
}

export const quoteKeyPrefix = 'quote:'
export const keyOfQuote = (quoteId: string) => `${quoteKeyPrefix}${quoteId}`

// While nobody knows whether it was made, another key could make it a second time.
function refuseOtherKey(payment: Payment | undefined, keyGiven: string | undefined): void {
  const kept = payment && lastAttempt(payment)?.idempotencyKey
  if (keyGiven === undefined || kept === undefined || kept === keyGiven) return
  if (!payment || !unsettledStates.includes(payment.state)) return
  throw badUsage(
    `It was sent under the idempotency key ${kept}, and whether it was made is not known yet`,
    'Leave --idempotency-key out, so that the kept key is used; nothing was sent',
  )
}

// The key under which it is, or will be, sent.
export function idempotencyKeyFor(world: PaymentContext, {place, quoteId, keyGiven, keyDerived}: QuoteOrder): string {
  const payment = world.journal.find(place, keyOfQuote(quoteId))
  refuseOtherKey(payment, keyGiven)
  const kept = payment && lastAttempt(payment)?.idempotencyKey
  return keyGiven ?? kept ?? keyDerived
}

// The newest page of the list is looked at before anything is sent: it may show the transaction already, and its date says
// what time it is at the service, by which a quote of unknown age ends five minutes from now at the latest.
async function lookedAtNewest(hand: LeasedPayment, {quoteId}: QuoteOrder): Promise<LeasedPayment> {
  const {world, payment} = hand
  const matches: Fields[] = []
  for await (const page of world.service.transactions(payment.content.customerId, {isFirstPageEnough: true})) {
    matches.push(...page.filter((one) => one['quoteId'] === quoteId && one['transactionId']))
  }
  const match = onlyMatch(payment, matches)
  return match ? created(hand, match, 'ADOPTED') : hand
}

function withGivenQuote(hand: LeasedPayment, {quoteId, quote = {}}: QuoteOrder): LeasedPayment {
  const {clock} = hand.world
  const endsAt = Date.parse(String(quote['expiresAt']))
  if (!Number.isNaN(endsAt)) clock.hearQuote(endsAt)
  const attempt: Attempt = {
    quoteId,
    quoteExpiresAt: Number.isNaN(endsAt) ? clock.latest() + quoteLifetimeMs : endsAt,
    price: priceOf(quote),
    serverAheadMs: clock.aheadMs(),
    sends: 0,
  }
  const attempts = [...hand.payment.attempts, attempt]
  return committed(hand, {state: 'QUOTED', attempts}, {what: 'QUOTED', detail: {quoteId}})
}

async function drivenBy(order: QuoteOrder, idempotencyKey: string, start: LeasedPayment): Promise<LeasedPayment> {
  let hand = start
  if (unsettledStates.includes(hand.payment.state)) hand = await settled(hand)
  else if (hand.payment.state !== 'CREATED' && !order.quote) hand = await lookedAtNewest(hand, order)
  if (hand.payment.state === 'CREATED') return hand
  const {quoteId, correlationId} = order
  const bytes = JSON.stringify({quoteId, ...(correlationId !== undefined && {correlationId})})
  hand = await fired(armed(withGivenQuote(hand, order), {bytes, idempotencyKey}))
  if (hand.payment.state === 'CREATED') return hand
  throw quotesRanOut(hand.payment)
}

export async function payQuote(world: PaymentContext, order: QuoteOrder): Promise<Paid> {
  const {place, quoteId, content = contentUnknown} = order
  const idempotencyKey = idempotencyKeyFor(world, order)
  const intent = {place, key: keyOfQuote(quoteId), content}
  return payOnce(world, {intent, limits: {}, isGuaranteed: false}, (hand) => drivenBy(order, idempotencyKey, hand))
}
