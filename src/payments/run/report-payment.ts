// Reports a payment that was made: its notices, its warnings and its transaction, with --wait the final one.
import {type Result, itemResult} from '../../cli/output/result.ts'
import {transactionView} from '../../transactions/view.ts'
import {buildAlerts, buildNotices, findBadEnding, toKnownTransaction} from './notices.ts'
import {findClockObjection} from '../protocol/objections.ts'
import type {OpenPaymentContext} from './open-context.ts'
import type {PaymentResult} from '../protocol/pay.ts'
import type {PayRun} from './pay-run.ts'
import type {ResolvedKey} from '../plan/slots.ts'
import {watchPayment} from './watch-payment.ts'

export async function reportPayment(
  context: OpenPaymentContext,
  {isSlotFromClock, catchUp, wait, terminal}: PayRun,
  result: PaymentResult,
  {key, slot}: ResolvedKey,
): Promise<Result> {
  const {payment, transaction = toKnownTransaction(payment), wasMadeBefore} = result
  for (const notice of await buildNotices(context, result, slot)) terminal.notice(notice)
  // The list at the end does not show the keys.
  if (catchUp !== undefined) terminal.notice(`The slot ${key} is the transaction ${payment.transactionId}.`)
  const alerts = buildAlerts(result)
  for (const alert of alerts) terminal.alert(alert)
  // With a wrong clock, the slot that was made before may not be the present one.
  const objection = isSlotFromClock && wasMadeBefore ? findClockObjection(context.clock, key) : undefined
  const failure = findBadEnding(result) ?? objection
  if (!wait || failure) return itemResult(transaction, transactionView, failure)
  return watchPayment(context, terminal, {...result, transaction}, alerts)
}
