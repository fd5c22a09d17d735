// Makes the transaction of a quote that is there already, once: with the same journal, keyed by the quote, and never with another quote.
import {limits as contractLimits} from '../contract/limits.ts'
import {badUsage} from '../errors.ts'
import {arm, sendArmed, readPrice} from './attempt.ts'
import {type PaymentContent, unknownContent} from './payment-content.ts'
import {pickSingleMatch} from './find-transaction.ts'
import {quotesExpired} from './payment-errors.ts'
import {type PaymentResult, payOnce} from './pay.ts'
import {type Attempt, type Payment, getLastAttempt, unsettledStates} from './payment.ts'
import type {Fields} from './service.ts'
import {recordCreated, settleUnknown} from './settle.ts'
import {type LeasedPayment, type PaymentContext, commitChange} from './context.ts'

const quoteLifetimeMs = contractLimits.quoteLifetimeSeconds * 1000

export interface QuoteOrder {
  serviceId: string
  quoteId: string
  correlationId?: string | undefined
  // The key that was asked for; without one, the kept key, or else the one that is derived from the quote.
  requestedKey?: string | undefined
  derivedKey: string
  // What was quoted and the quote itself, where it was made in this very run.
  content?: PaymentContent | undefined
  quote?: Fields | undefined
}

export const quoteKeyPrefix = 'quote:'
export const toQuoteKey = (quoteId: string) => `${quoteKeyPrefix}${quoteId}`

// While nobody knows whether it was made, another key could make it a second time.
function rejectOtherKey(payment: Payment | undefined, requestedKey: string | undefined): void {
  const keptKey = payment && getLastAttempt(payment)?.idempotencyKey
  if (requestedKey === undefined || keptKey === undefined || keptKey === requestedKey) return
  if (!payment || !unsettledStates.includes(payment.state)) return
  throw badUsage(
    `It was sent under the idempotency key ${keptKey}, and whether it was made is not known yet`,
    'Leave --idempotency-key out, so that the kept key is used; nothing was sent',
  )
}

// The key under which it is, or will be, sent.
export function chooseIdempotencyKey(
  context: PaymentContext,
  {serviceId, quoteId, requestedKey, derivedKey}: QuoteOrder,
): string {
  const payment = context.journal.find(serviceId, toQuoteKey(quoteId))
  rejectOtherKey(payment, requestedKey)
  const keptKey = payment && getLastAttempt(payment)?.idempotencyKey
  return requestedKey ?? keptKey ?? derivedKey
}

// The newest page of the list is looked at before anything is sent: it may show the transaction already, and its date says
// what time it is at the service, by which a quote of unknown age ends five minutes from now at the latest.
async function checkNewestPage(leased: LeasedPayment, {quoteId}: QuoteOrder): Promise<LeasedPayment> {
  const {context, payment} = leased
  const matches: Fields[] = []
  for await (const page of context.service.transactions(payment.content.customerId, {isFirstPageEnough: true})) {
    matches.push(...page.filter((one) => one['quoteId'] === quoteId && one['transactionId']))
  }
  const match = pickSingleMatch(payment, matches)
  return match ? recordCreated(leased, match, 'ADOPTED') : leased
}

function recordQuote(leased: LeasedPayment, {quoteId, quote = {}}: QuoteOrder): LeasedPayment {
  const {clock} = leased.context
  const endsAt = Date.parse(String(quote['expiresAt']))
  if (!Number.isNaN(endsAt)) clock.observeQuote(endsAt)
  const attempt: Attempt = {
    quoteId,
    quoteExpiresAt: Number.isNaN(endsAt) ? clock.latest() + quoteLifetimeMs : endsAt,
    price: readPrice(quote),
    serverAheadMs: clock.aheadMs(),
    sends: 0,
  }
  const attempts = [...leased.payment.attempts, attempt]
  return commitChange(leased, {state: 'QUOTED', attempts}, {what: 'QUOTED', detail: {quoteId}})
}

async function driveQuotePayment(
  order: QuoteOrder,
  idempotencyKey: string,
  start: LeasedPayment,
): Promise<LeasedPayment> {
  let leased = start
  if (unsettledStates.includes(leased.payment.state)) leased = await settleUnknown(leased)
  else if (leased.payment.state !== 'CREATED' && !order.quote) leased = await checkNewestPage(leased, order)
  if (leased.payment.state === 'CREATED') return leased
  const {quoteId, correlationId} = order
  const bytes = JSON.stringify({quoteId, ...(correlationId !== undefined && {correlationId})})
  leased = await sendArmed(arm(recordQuote(leased, order), {bytes, idempotencyKey}))
  if (leased.payment.state === 'CREATED') return leased
  throw quotesExpired(leased.payment)
}

export async function payQuote(context: PaymentContext, order: QuoteOrder): Promise<PaymentResult> {
  const {serviceId, quoteId, content = unknownContent} = order
  const idempotencyKey = chooseIdempotencyKey(context, order)
  const intent = {serviceId, key: toQuoteKey(quoteId), content}
  return payOnce(context, {intent, limits: {}, isGuaranteed: false}, (leased) =>
    driveQuotePayment(order, idempotencyKey, leased),
  )
}
