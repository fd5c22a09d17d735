// Creates the transaction of an existing quote, once: uses the same journal with the quote as the key, and never another quote.
import {createHash} from 'node:crypto'
import type {LooseTransaction} from '../../contract/loose.ts'
import {badUsage} from '../../errors.ts'
import {type PaymentRequest, payWithQuote} from './attempt.ts'
import type {LeasedPayment, PaymentContext} from './context.ts'
import {readPrice} from './fetch-quote.ts'
import {pickSingleMatch} from './find-transaction.ts'
import {adopt, rejectPaidElsewhere} from './key-use.ts'
import {type PaymentResult, payOnce} from './pay.ts'
import {quotesExpired} from './payment-errors.ts'
import {type Attempt, getLastAttempt, toQuoteKey, unknownContent, unsettledStates} from './payment.ts'
import {recordQuoted} from './record.ts'
import {searchService} from './before-send.ts'
import {quoteLifetimeMs} from './service.ts'
import {settleUnknown} from './settle.ts'

interface QuoteOrder {
  serviceId: string
  quoteId: string
  correlationId?: string | undefined
  // The idempotency key that the caller asked for. Without one, the key of an earlier run is used, or else the derived key.
  requestedKey?: string | undefined
  derivedKey: string
}

// Chooses the idempotency key of the request. While the outcome is unknown, another key than before is rejected, because it
// could create a second transaction.
export async function chooseIdempotencyKey(
  {journal}: PaymentContext,
  {serviceId, quoteId, requestedKey, derivedKey}: QuoteOrder,
): Promise<string> {
  const payment = await journal.find(serviceId, toQuoteKey(quoteId))
  const earlierKey = payment && getLastAttempt(payment)?.idempotencyKey
  const isOtherKey = requestedKey !== undefined && earlierKey !== undefined && earlierKey !== requestedKey
  if (isOtherKey && payment && unsettledStates.includes(payment.state)) {
    throw badUsage(
      `The quote was sent under the idempotency key ${earlierKey}, and its outcome is not known yet`,
      'Leave --idempotency-key out to use the same key again; nothing was sent',
    )
  }
  return requestedKey ?? earlierKey ?? derivedKey
}

// Reads the newest page of the list before anything is sent. It may already show the transaction. Its Date header also gives
// the service's time, from which a quote of unknown age expires within five minutes.
async function checkNewestPage(
  context: PaymentContext,
  leased: LeasedPayment,
  {quoteId}: QuoteOrder,
): Promise<LeasedPayment> {
  const {payment} = leased
  const matches: LooseTransaction[] = []
  for await (const page of context.service.transactions(payment.content.customerId, {isFirstPageEnough: true})) {
    matches.push(...page.filter((transaction) => transaction.quoteId === quoteId && transaction.transactionId))
  }
  const match = pickSingleMatch(payment, matches)
  return match ? adopt(context, leased, match) : leased
}

function recordQuote(context: PaymentContext, leased: LeasedPayment, {quoteId}: QuoteOrder): Promise<LeasedPayment> {
  const {clock} = context
  const attempt: Attempt = {
    quoteId,
    quoteExpiresAt: clock.latest() + quoteLifetimeMs,
    price: readPrice({}),
    serverAheadMs: clock.aheadMs(),
    sends: 0,
  }
  return recordQuoted(context, leased, attempt)
}

async function driveQuotePayment(
  context: PaymentContext,
  start: LeasedPayment,
  order: QuoteOrder,
  request: PaymentRequest,
): Promise<LeasedPayment> {
  let leased = start
  const isUnsettled = unsettledStates.includes(leased.payment.state)
  if (isUnsettled) leased = await settleUnknown(context, leased)
  if (leased.payment.state === 'REJECTED') leased = await searchService(context, leased)
  else if (!isUnsettled && leased.payment.state !== 'CREATED') leased = await checkNewestPage(context, leased, order)
  if (leased.payment.state === 'CREATED') return leased
  leased = await payWithQuote(context, await recordQuote(context, leased, order), request)
  if (leased.payment.state === 'CREATED') return leased
  throw quotesExpired(leased.payment)
}

export async function payQuote(context: PaymentContext, order: QuoteOrder): Promise<PaymentResult> {
  const {serviceId, quoteId, correlationId} = order
  const request = {
    bytes: JSON.stringify({quoteId, ...(correlationId !== undefined && {correlationId})}),
    idempotencyKey: await chooseIdempotencyKey(context, order),
  }
  const paymentOrder = {
    intent: {serviceId, key: toQuoteKey(quoteId), content: unknownContent},
    limits: {},
    isGuaranteed: false,
  }
  await rejectPaidElsewhere(context, paymentOrder.intent)
  return payOnce(context, paymentOrder, (_, leased) => driveQuotePayment(context, leased, order, request))
}

// The idempotency key of a transaction that is created from a quote.
const keyDigestLength = 40

// The same quote at the same service gives the same key on every run and host, so a repeated command sends the same request
// (docs/assumptions.md, M15).
export function deriveIdempotencyKey(serviceId: string, quoteId: string): string {
  const digest = createHash('sha256').update(`svc transactions create\n${serviceId}\n${quoteId}`).digest('hex')
  return `svc-${digest.slice(0, keyDigestLength)}`
}

// Headers carry only printable ASCII, and lose spaces at either end.
export function parseIdempotencyKey(key: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key)) return key
  throw badUsage(
    '--idempotency-key must be printable ASCII, without a space at either end',
    'Use letters, digits and punctuation, such as invoice-2026-0042; nothing was sent',
  )
}
