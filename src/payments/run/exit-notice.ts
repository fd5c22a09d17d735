// The exit notices of a payment: what svc prints if it is interrupted while a payment is in progress.
import {type ExitNotice, withExitNotice} from '../../cli/exit-notice.ts'
import {type Payment, unsettledStates} from '../protocol/payment.ts'
import type {PaymentContext, PaymentProgress} from '../protocol/context.ts'
import {quoteForShell} from '../../values/text.ts'

function toExitNotice({state, key, transactionId}: Payment, isHeldElsewhere: boolean): ExitNotice {
  if (state === 'CREATED') {
    return {
      message: `Stopped; the payment ${key} was made`,
      ...(transactionId !== undefined && {hint: `See \`svc transactions get ${quoteForShell(transactionId)}\``}),
    }
  }
  if (isHeldElsewhere) {
    return {
      message: `Stopped waiting: another process is working on the payment ${key}`,
      hint: `Follow it with \`svc journal show ${quoteForShell(key)}\``,
    }
  }
  if (unsettledStates.includes(state)) {
    return {
      message: `Stopped while the payment ${key} was in progress: whether it was made is not known`,
      hint: 'Run the same command again to settle it without paying twice',
    }
  }
  return {message: `Stopped; the payment ${key} was not sent`}
}

// The journal cannot be read while the process ends, so the notice says how far the payment had got by its last write.
export async function withPaymentExitNotice<Context extends PaymentContext, T>(
  context: Context,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  let latest: PaymentProgress | undefined
  const followed = {...context, onProgress: (progress: PaymentProgress) => (latest = progress)}
  return withExitNotice(() => latest && toExitNotice(latest.payment, latest.isHeldElsewhere), work(followed))
}

// While the transaction of a payment is watched, the payment is made.
export const withMadeExitNotice = <T>(payment: Payment, work: Promise<T>): Promise<T> =>
  withExitNotice(() => toExitNotice(payment, false), work)

// While earlier slots are being settled, nothing has been sent for this one.
export const withSlotExitNotice = <T>(key: string, work: Promise<T>): Promise<T> =>
  withExitNotice(
    () => ({
      message: `Stopped; the payment ${key} was not sent, since an earlier slot is not settled yet`,
      hint: 'Run the same command again, which settles it first',
    }),
    work,
  )
