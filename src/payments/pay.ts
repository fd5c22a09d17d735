// Pays once for one key, whatever happened before: takes the payment, finds out what is known, and only then goes on.
import {SvcError} from '../errors.ts'
import {attemptPayment} from './attempt.ts'
import {isContentKnown, isSameContent} from './payment-content.ts'
import {type Intent, type Lease, LeaseLost, type AcquiredLease} from './journal/journal.ts'
import type {PriceLimits} from './limits.ts'
import {filterMatches, findMatches, pickSingleMatch, fetchTransaction} from './find-transaction.ts'
import {paymentInProgress, keyUsed, endedError} from './payment-errors.ts'
import {type Payment, unsettledStates} from './payment.ts'
import type {Fields} from './service.ts'
import {recordCreated, settleUnknown} from './settle.ts'
import type {LeasedPayment, PaymentContext} from './context.ts'

const leasePollMs = 200
// How often the holder of a lease says that it is still at work, in the middle of a long list too.
const heartbeatMs = 30_000

export interface PaymentOrder {
  intent: Intent
  limits: PriceLimits
  isGuaranteed: boolean
}

export interface PaymentResult {
  payment: Payment
  // The transaction as the service last showed it; absent where its list does not show it yet.
  transaction?: Fields
  // Why its present state could not be read, which changes nothing of its being made.
  readError?: SvcError
  // Whether it was made before this run, which then wrote nothing.
  wasMadeBefore: boolean
}

// The transaction of what was made, as the service shows it now, or why it cannot be shown.
async function readTransaction(
  context: PaymentContext,
  payment: Payment,
): Promise<Pick<PaymentResult, 'transaction' | 'readError'>> {
  try {
    const transaction = await fetchTransaction(context, payment)
    return transaction ? {transaction} : {}
  } catch (error) {
    if (error instanceof SvcError) return {readError: error}
    throw error
  }
}

// One process works on a payment; another waits for it, and reports what it came to.
export async function acquireLease(
  context: PaymentContext,
  payment: Payment,
): Promise<AcquiredLease & {waited: boolean}> {
  const {journal, owner} = context
  for (let waited = false; ; waited = true) {
    const taken = journal.acquireLease(payment.serviceId, payment.key, owner)
    if (!('heldBy' in taken)) return {...taken, waited}
    if (!waited) context.onHeld?.(payment, taken.heldBy)
    if (context.remainingMs() < leasePollMs) throw paymentInProgress(payment, taken.heldBy.pid, taken.heldBy.host)
    await context.pause(leasePollMs)
  }
}

// Another host, or a journal that was lost, may have paid it: the service's list says so.
async function searchService(leased: LeasedPayment): Promise<LeasedPayment> {
  const {context, payment} = leased
  const known = await context.findListed?.(payment)
  const match = pickSingleMatch(payment, known ? filterMatches(payment, known) : await findMatches(context, payment))
  context.checkpoint('looked')
  if (!match) return leased
  const adopted = recordCreated(leased, match, 'ADOPTED')
  context.checkpoint('adopted')
  return adopted
}

// How a payment that is held is brought to its end.
export type Drive = (leased: LeasedPayment) => Promise<LeasedPayment>

async function drivePayment(start: LeasedPayment): Promise<LeasedPayment> {
  let leased = start
  if (unsettledStates.includes(leased.payment.state)) leased = await settleUnknown(leased)
  else if (leased.payment.state !== 'CREATED') leased = await searchService(leased)
  return leased.payment.state === 'CREATED' ? leased : attemptPayment(leased)
}

// What one process came to while another waited for it: the other says the same, and does not begin anew by itself.
const endings = new Set(['STOPPED', 'REJECTED'])

// Works under a lease, and gives it back whatever comes of it. That it cannot be said, or given back, changes nothing of
// what was done: the next commit says that it was lost, and it ends with this process.
export async function withLease<T>({journal}: PaymentContext, lease: Lease, work: () => Promise<T>): Promise<T> {
  const quietly = (tell: () => void) => {
    try {
      tell()
    } catch {
      return
    }
  }
  const heartbeat = setInterval(() => quietly(() => journal.renewLease(lease)), heartbeatMs)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    quietly(() => journal.releaseLease(lease))
  }
}

async function runUnderLease(
  context: PaymentContext,
  {limits, isGuaranteed}: PaymentOrder,
  payment: Payment,
  drive: Drive,
): Promise<PaymentResult> {
  const {lease, payment: current, waited} = await acquireLease(context, payment)
  return withLease(context, lease, async () => {
    context.checkpoint('leased')
    if (waited && current.updatedAt !== payment.updatedAt && endings.has(current.state)) throw endedError(current)
    const wasMadeBefore = current.state === 'CREATED'
    const leased = await drive({context, lease, limits, isGuaranteed, payment: current})
    const present = leased.transaction
      ? {transaction: leased.transaction}
      : await readTransaction(context, leased.payment)
    return {payment: leased.payment, ...present, wasMadeBefore}
  })
}

export async function payOnce(
  context: PaymentContext,
  order: PaymentOrder,
  drive: Drive = drivePayment,
): Promise<PaymentResult> {
  const payment = context.journal.findOrCreate(order.intent)
  context.checkpoint('intended')
  const {content} = order.intent
  if (isContentKnown(content) && !isSameContent(payment.content, content)) throw keyUsed(payment)
  // What was made is answered from the journal, without taking it and without writing anything.
  if (payment.state === 'CREATED') {
    return {payment, ...(await readTransaction(context, payment)), wasMadeBefore: true}
  }
  try {
    return await runUnderLease(context, order, payment, drive)
  } catch (error) {
    // Another process took over; it is waited for like any other.
    if (error instanceof LeaseLost) return payOnce(context, order, drive)
    throw error
  }
}

// Settles a payment that may have been made: by the list, and by the same bytes while its quote lives; never by a new quote.
export async function settlePayment(context: PaymentContext, payment: Payment): Promise<Payment> {
  try {
    return await settleUnderLease(context, payment)
  } catch (error) {
    if (error instanceof LeaseLost) return settlePayment(context, payment)
    throw error
  }
}

async function settleUnderLease(context: PaymentContext, payment: Payment): Promise<Payment> {
  const {lease, payment: current} = await acquireLease(context, payment)
  return withLease(context, lease, async () => {
    if (!unsettledStates.includes(current.state)) return current
    const leased = await settleUnknown({context, lease, limits: {}, isGuaranteed: false, payment: current})
    return leased.payment
  })
}
