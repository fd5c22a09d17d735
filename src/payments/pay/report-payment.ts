// Reports a payment that was made: its notices, its warnings and its transaction, with --wait the final one.
import {type Result, itemResult} from '../../cli/output/result.ts'
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {createTransactionTarget} from '../../transactions/watch.ts'
import {noteBadEnding} from '../protocol/record.ts'
import {findClockObjection} from './objections.ts'
import type {PaymentResult} from '../protocol/pay.ts'
import type {Payment} from '../protocol/payment.ts'
import {
  buildAlerts,
  buildNotices,
  createReceiptView,
  describeNextKey,
  findBadEnding,
  findFeeWarning,
  toKnownTransaction,
  withMadeExitNotice,
} from './notices.ts'
import type {OpenPaymentContext} from './open-context.ts'
import {type PayRun, isSlotFromClock} from './pay-run.ts'

export async function reportPayment(
  context: OpenPaymentContext,
  payRun: PayRun,
  result: PaymentResult,
): Promise<Result> {
  const {flags, key, needsYes, terminal} = payRun
  const {payment, transaction = toKnownTransaction(payment), wasMadeBefore} = result
  for (const notice of await buildNotices(context, result)) terminal.notice(notice)
  const alerts = buildAlerts(result)
  const feeWarning = needsYes ? undefined : findFeeWarning(result)
  for (const alert of [...alerts, ...(feeWarning ? [feeWarning] : [])]) terminal.alert(alert)
  // With a wrong clock, the slot that was made before may not be the present one.
  const objection = isSlotFromClock(payRun) && wasMadeBefore ? findClockObjection(context.clock, key.key) : undefined
  const failure = findBadEnding(result) ?? objection
  if (!flags.wait || flags['dry-run'] || failure)
    return itemResult(transaction, createReceiptView(payment, terminal.addNames), failure)
  return watchPayment(context, payRun, {...result, transaction}, alerts)
}

// Watches the transaction of a payment to its end. A bad end is recorded in the journal.
const isBadEnding = (error: unknown): error is SvcError => error instanceof SvcError && error.kind === 'endedBadly'

const addKeyHint = ({error, kind, message}: SvcError, payment: Payment) =>
  new SvcError({error, kind, message, hint: describeNextKey(payment)})

// Says about a bad end how to pay again.
async function explainBadEnding(payment: Payment, watching: Promise<Result>): Promise<Result> {
  try {
    const result = await watching
    return result && isBadEnding(result.failure) ? {...result, failure: addKeyHint(result.failure, payment)} : result
  } catch (error) {
    throw isBadEnding(error) ? addKeyHint(error, payment) : error
  }
}

// The price may change until the end, so alerts that `shownAlerts` lacks are shown then.
async function watchPayment(
  context: OpenPaymentContext,
  {terminal: {watch, alert, addNames}, context: {deadline}}: PayRun,
  result: PaymentResult & {transaction: LooseTransaction},
  shownAlerts: readonly string[],
): Promise<Result> {
  const {payment, transaction} = result
  const {transactionId = '', content} = payment
  const target = createTransactionTarget(context.client, transactionId, {customerId: content.customerId}, transaction)
  let latest = transaction
  const readAndNote = async () => {
    latest = await target.read()
    await noteBadEnding(context, payment, latest)
    return latest
  }
  const kind = {...target.kind, view: createReceiptView(payment, addNames)}
  const watching = watch({...target, kind, read: readAndNote}, deadline.atMs).finally(() => {
    const laterAlerts = buildAlerts({...result, transaction: latest})
    for (const text of laterAlerts) if (!shownAlerts.includes(text)) alert(text)
  })
  return explainBadEnding(payment, withMadeExitNotice(payment, watching))
}
