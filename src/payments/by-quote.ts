// Creates the transaction of an existing quote, once: uses the same journal with the quote as the
// key, and never another quote.
import {badUsage} from '../errors.ts'
import type {PaymentContext, PaymentResult} from './protocol/context.ts'
import {payOnce} from './protocol/drive.ts'
import {requireFreeKey} from './protocol/key-use.ts'
import {deriveIdempotencyKey, getLastAttempt, toQuoteKey, unknownContent, unsettledStates} from './protocol/payment.ts'

interface QuoteOrder {
  serviceId: string
  quoteId: string
  correlationId?: string | undefined
  idempotencyKey: string
}

// The same quote at the same service gives the same key on every run and host, so a repeated
// command sends the same request (docs/assumptions.md, M15).
export const deriveQuoteKey = (serviceId: string, quoteId: string) =>
  deriveIdempotencyKey(serviceId, toQuoteKey(quoteId))

// Chooses the idempotency key of the request: the one that the caller asked for, that of an earlier
// run, or the derived one. While the outcome is unknown, another key than before is rejected,
// because it could create a second transaction.
export async function chooseIdempotencyKey(
  {journal}: PaymentContext,
  serviceId: string,
  quoteId: string,
  requestedKey: string | undefined,
): Promise<string> {
  const payment = await journal.find(serviceId, toQuoteKey(quoteId))
  const earlierKey = payment && getLastAttempt(payment)?.armed?.idempotencyKey
  const isOtherKey = requestedKey !== undefined && earlierKey !== undefined && earlierKey !== requestedKey
  if (isOtherKey && payment && unsettledStates.includes(payment.state)) {
    throw badUsage(
      `The quote was sent under the idempotency key ${earlierKey}, and its outcome is not known yet`,
      'Leave --idempotency-key out to use the same key again; nothing was sent',
    )
  }
  return requestedKey ?? earlierKey ?? deriveQuoteKey(serviceId, quoteId)
}

export async function payQuote(context: PaymentContext, order: QuoteOrder): Promise<PaymentResult> {
  const {serviceId, quoteId, correlationId, idempotencyKey} = order
  const bytes = JSON.stringify({quoteId, ...(correlationId !== undefined && {correlationId})})
  const intent = {serviceId, key: toQuoteKey(quoteId), content: unknownContent}
  await requireFreeKey(context, intent)
  return payOnce(context, {intent, limits: {}, isGuaranteed: false, given: {quoteId, bytes, idempotencyKey}})
}

// Headers carry only printable ASCII, and lose spaces at either end.
export function parseIdempotencyKey(key: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key)) return key
  throw badUsage(
    '--idempotency-key must be printable ASCII, without a space at either end',
    'Use letters, digits and punctuation, such as invoice-2026-0042; nothing was sent',
  )
}
