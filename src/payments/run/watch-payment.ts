// Watches the transaction of a payment to its end. A bad end is recorded in the journal.
import type {Result} from '../../cli/output/result.ts'
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {createTransactionTarget} from '../../transactions/watch.ts'
import {withMadeExitNotice} from './exit-notice.ts'
import {buildAlerts, describeNextKey} from './notices.ts'
import type {OpenPaymentContext} from './open-context.ts'
import {noteBadEnding} from '../protocol/note-bad-ending.ts'
import type {PaymentResult} from '../protocol/pay.ts'
import type {PayTerminal} from './pay-run.ts'
import type {Payment} from '../protocol/payment.ts'

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
export async function watchPayment(
  context: OpenPaymentContext,
  {watch, alert}: Pick<PayTerminal, 'watch' | 'alert'>,
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
  const watching = watch({...target, read: readAndNote}).finally(() => {
    const laterAlerts = buildAlerts({...result, transaction: latest})
    for (const text of laterAlerts) if (!shownAlerts.includes(text)) alert(text)
  })
  return explainBadEnding(payment, withMadeExitNotice(payment, watching))
}
