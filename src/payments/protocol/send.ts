// Sends the one request that pays, with exactly the bytes that were armed.
import type {LooseQuote} from '../../contract/loose.ts'
import {toInstantMs} from '../../values/time.ts'
import type {LeasedPayment, PaymentContext} from './context.ts'
import {getPaymentIds} from './find-transaction.ts'
import {renewLease} from './lease.ts'
import {getLastAttempt} from './payment.ts'
import {recordCreated, recordUnconfirmedRejection, recordUnknown, recordUnsent} from './record.ts'
import {type SendOutcome, classifyFailure, classifyReply} from './send-outcome.ts'

// A quote that is about to expire is not sent: it could expire on the way.
export const quoteLifeMinMs = 15_000

// How long the quote is still valid, at the least.
export const getQuoteLifeLeft = ({clock}: PaymentContext, {payment}: LeasedPayment): number =>
  (getLastAttempt(payment)?.quoteExpiresAt ?? 0) - clock.latest()

// Whether there is no time to send this quote. One whose expiry cannot be read is rejected elsewhere, with that reason.
export const hasRunOut = ({clock}: Pick<PaymentContext, 'clock'>, {expiresAt}: LooseQuote): boolean =>
  (toInstantMs(expiresAt) ?? Infinity) - clock.latest() < quoteLifeMinMs

export async function transmit({service}: PaymentContext, {payment}: LeasedPayment): Promise<SendOutcome> {
  const {bytes, idempotencyKey} = getLastAttempt(payment) ?? {}
  if (bytes === undefined || idempotencyKey === undefined) throw new Error(`nothing is armed for ${payment.key}`)
  try {
    return classifyReply(await service.send(bytes, idempotencyKey), getPaymentIds(payment))
  } catch (error) {
    return classifyFailure(error)
  }
}

// Sends an armed payment once. It is CREATED, UNKNOWN or, if nothing left this machine, ABANDONED afterwards. The lease and
// the life of the quote are checked again just before the first byte leaves.
export async function sendArmed(context: PaymentContext, leased: LeasedPayment): Promise<LeasedPayment> {
  await renewLease(context, leased)
  if (getQuoteLifeLeft(context, leased) < quoteLifeMinMs) {
    return recordUnsent(context, leased, 'the quote had too little life left')
  }
  context.checkpoint('sending')
  const outcome = await transmit(context, leased)
  context.checkpoint('answered')
  switch (outcome.kind) {
    case 'created':
      return recordCreated(context, leased, outcome.transaction, 'CREATED')
    case 'rejected':
      return recordUnconfirmedRejection(context, leased, outcome.error)
    case 'unsent':
      await recordUnsent(context, leased, outcome.error.message)
      throw outcome.error
    default:
      return recordUnknown(context, leased, outcome.reason, outcome.statusCode)
  }
}
