// Sends the one request that pays, with exactly the bytes that were armed.
import type {LooseQuote} from '../../contract/loose.ts'
import {toInstantMs} from '../../values/time.ts'
import type {LeaseOwner} from '../journal/owner.ts'
import type {LeasedPayment, PaymentContext} from './context.ts'
import {getPaymentIds} from './find-transaction.ts'
import {renewLease} from './lease.ts'
import {type Attempt, type Payment, deriveCorrelationId, getLastAttempt} from './payment.ts'
import {journalWentBack} from './payment-errors.ts'
import {commitChange, recordCreated, recordUnconfirmedRejection, recordUnknown, recordUnsent} from './record.ts'
import {type SendOutcome, classifyFailure, classifyReply} from './send-outcome.ts'

// A quote that is about to expire is not sent: it could expire on the way.
export const quoteLifeMinMs = 15_000

// How long the quote is still valid, at the least.
export const getQuoteLifeLeft = ({clock}: PaymentContext, {payment}: Pick<LeasedPayment, 'payment'>): number =>
  (getLastAttempt(payment)?.quoteExpiresAt ?? 0) - clock.latest()

// Whether there is no time to send this quote. One whose expiry cannot be read is rejected elsewhere, with that reason.
export const hasRunOut = ({clock}: Pick<PaymentContext, 'clock'>, {expiresAt}: LooseQuote): boolean =>
  (toInstantMs(expiresAt) ?? Infinity) - clock.latest() < quoteLifeMinMs

export async function transmit({service, owner}: PaymentContext, {payment}: LeasedPayment): Promise<SendOutcome> {
  const attempt = getLastAttempt(payment)
  const {bytes, idempotencyKey} = attempt ?? {}
  if (!attempt || bytes === undefined || idempotencyKey === undefined) {
    throw new Error(`nothing is armed for ${payment.key}`)
  }
  const sent = noteSent(owner, payment, attempt)
  const outcome = await service
    .send(bytes, idempotencyKey)
    .then((body) => classifyReply(body, getPaymentIds(payment)), classifyFailure)
  if (outcome.kind === 'created') sent.transactionId = String(outcome.transaction.transactionId)
  return outcome
}

// What this process has sent for a payment last.
interface Sent {
  attempt: Attempt
  transactionId?: string
}

// By run, and by the correlationId of the payment. A journal can go back: a database fails over to a standby that lacks the last
// commits, or a backup is restored. The process that sent something then knows more than its journal.
const sentByRun = new WeakMap<LeaseOwner, Map<string, Sent>>()

function noteSent(owner: LeaseOwner, {serviceId, key}: Payment, attempt: Attempt): Sent {
  const sentHere = sentByRun.get(owner) ?? new Map<string, Sent>()
  sentByRun.set(owner, sentHere)
  const sent = {attempt}
  sentHere.set(deriveCorrelationId(serviceId, key), sent)
  return sent
}

// Throws if this process has sent something for the payment of which its journal knows nothing any more. What was sent is entered
// again, so that the next run settles it instead of paying.
export async function rejectForgotten(context: PaymentContext, leased: LeasedPayment): Promise<void> {
  const {serviceId, key, attempts} = leased.payment
  const sent = sentByRun.get(context.owner)?.get(deriveCorrelationId(serviceId, key))
  if (!sent || attempts.some(({quoteId, bytes}) => quoteId === sent.attempt.quoteId && bytes !== undefined)) return
  const {transactionId} = sent
  const reason = 'the journal went back to an earlier state'
  const others = attempts.filter(({quoteId}) => quoteId !== sent.attempt.quoteId)
  const change = {state: 'UNKNOWN' as const, attempts: [...others, {...sent.attempt, reason}]}
  const detail = {reason, ...(transactionId !== undefined && {transactionId})}
  await commitChange(context, leased, change, {what: 'UNKNOWN', detail})
  throw journalWentBack(leased.payment, transactionId)
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
