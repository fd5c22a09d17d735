// Pays once per key, whatever happened before: takes the lease, finds out what earlier runs did, and only then pays.
import type {LooseQuote, LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {attemptPayment} from './attempt.ts'
import type {FindObjection, LeasedPayment, PaymentContext} from './context.ts'
import {compareContent} from './compare.ts'
import {canChangeContent, createKeyUsedError} from './key-use.ts'
import {type Search, fetchOwnTransactions, isOverdue, pickSingleMatch} from './find-transaction.ts'
import {type Intent, LeaseLost} from '../journal/journal.ts'
import {acquireLease, withLease} from './lease.ts'
import type {PriceLimits} from './limits.ts'
import {wasSettledManually} from './manual-settlement.ts'
import {noteBadEnding} from './record.ts'
import {type Payment, type PaymentState, isContentKnown, isSameContent, unsettledStates} from './payment.ts'
import {endedError, transactionMissing} from './payment-errors.ts'
import {changeContent, searchService} from './before-send.ts'
import {rejectForgotten} from './send.ts'
import {settleUnknown} from './settle.ts'

export interface PaymentOrder {
  intent: Intent
  limits: PriceLimits
  isGuaranteed: boolean
  // The quote whose price a person approved. No other one is executed.
  approvedQuote?: LooseQuote | undefined
  findObjection?: FindObjection | undefined
}

export interface PaymentResult {
  payment: Payment
  // The transaction as the service last returned it. Absent while its list does not show it.
  transaction?: LooseTransaction
  // Why the transaction could not be read. It exists all the same.
  readError?: SvcError
  // Whether the payment was made before this run, which then wrote nothing.
  wasMadeBefore: boolean
}

// Several transactions stop the run, unless a person has decided which one it is. So does one that is missing.
export async function readTransaction(
  context: PaymentContext,
  payment: Payment,
): Promise<Pick<PaymentResult, 'transaction' | 'readError'>> {
  let own: Search
  try {
    own = await fetchOwnTransactions(context, payment)
  } catch (error) {
    if (error instanceof SvcError) return {readError: error}
    throw error
  }
  const {matches} = own
  if (matches.length > 1 && !(await wasSettledManually(payment, context.journal))) pickSingleMatch(payment, matches)
  const transaction = matches.find(({transactionId}) => transactionId === payment.transactionId)
  if (transaction) return {transaction}
  if (isOverdue(context, payment, own.startedMs)) throw transactionMissing(payment)
  return {}
}

// A payment that was made needs no lease, and nothing is written but how it ended.
async function reportMade(context: PaymentContext, payment: Payment): Promise<PaymentResult> {
  const current = await readTransaction(context, payment)
  const latest = current.transaction ? await noteBadEnding(context, payment, current.transaction) : payment
  return {payment: latest, ...current, wasMadeBefore: true}
}

// Brings a leased payment to its end.
export type Drive = (context: PaymentContext, leased: LeasedPayment) => Promise<LeasedPayment>

async function drivePayment(context: PaymentContext, start: LeasedPayment): Promise<LeasedPayment> {
  let leased = start
  const isUnsettled = unsettledStates.includes(leased.payment.state)
  if (isUnsettled) leased = await settleUnknown(context, leased)
  // What was just settled was searched for.
  if (!isUnsettled && leased.payment.state !== 'CREATED') leased = await searchService(context, leased)
  return leased.payment.state === 'CREATED' ? leased : attemptPayment(context, leased)
}

// If another process ended in one of these while this one waited, this one reports the same and does not try again.
const endedStates: ReadonlySet<PaymentState> = new Set(['STOPPED', 'REJECTED'])

async function runUnderLease(
  context: PaymentContext,
  {intent, ...terms}: PaymentOrder,
  known: Payment | undefined,
  drive: Drive,
): Promise<PaymentResult> {
  const {lease, payment: found, waited} = await acquireLease(context, intent)
  return withLease(context, lease, async () => {
    context.checkpoint('leased')
    const payment = withNote(found, intent)
    const isSame = found.updatedAt === known?.updatedAt
    if (waited && !isSame && endedStates.has(payment.state)) throw endedError(payment)
    const wasMadeBefore = payment.state === 'CREATED'
    const leased = {lease, ...terms, payment}
    await rejectForgotten(context, leased)
    const isChanged = hasOtherContent(payment, intent)
    const driven = await drive(context, isChanged ? await changeContent(context, leased, intent.content) : leased)
    const current = driven.transaction
      ? {transaction: driven.transaction}
      : await readTransaction(context, driven.payment)
    return {payment: driven.payment, ...current, wasMadeBefore}
  })
}

// The remark of this run is written with the next step of the payment, and is no reason for one.
const withNote = (payment: Payment, {note}: Intent): Payment => (note === undefined ? payment : {...payment, note})

// What is to arrive stands for a payment that says so. The amount that brings it is found anew as long as nothing was sent.
const hasOtherContent = (payment: Payment, {content}: Intent) =>
  isContentKnown(content) &&
  (!isSameContent(payment.content, content) ||
    (canChangeContent(payment) && compareContent(payment.content, content).length > 0))

export async function payOnce(
  context: PaymentContext,
  order: PaymentOrder,
  drive: Drive = drivePayment,
): Promise<PaymentResult> {
  const {serviceId, key, content} = order.intent
  const payment = await context.journal.find(serviceId, key)
  if (payment) context.onProgress?.({payment, isHeldElsewhere: false})
  context.checkpoint('intended')
  if (payment && hasOtherContent(payment, order.intent) && !canChangeContent(payment))
    throw createKeyUsedError(payment, content)
  if (payment?.state === 'CREATED') return reportMade(context, payment)
  try {
    return await runUnderLease(context, order, payment, drive)
  } catch (error) {
    // Another process took the lease over, so wait for it like for any other holder.
    if (error instanceof LeaseLost) return payOnce(context, order, drive)
    throw error
  }
}

// Settles a payment that may have been made, without a new quote. Returns it unchanged if it is not unsettled.
export async function settlePayment(context: PaymentContext, known: Payment): Promise<Payment> {
  try {
    const {lease, payment} = await acquireLease(context, known)
    const settle = () => settleUnknown(context, {lease, limits: {}, isGuaranteed: false, payment})
    return await withLease(context, lease, async () =>
      unsettledStates.includes(payment.state) ? (await settle()).payment : payment,
    )
  } catch (error) {
    if (error instanceof LeaseLost) return settlePayment(context, known)
    throw error
  }
}
