// The exit notices of a payment: what svc prints if it is interrupted while a payment is in progress.
import {type ExitNotice, withExitNotice} from '../cli/exit-notice.ts'
import {type Payment, unsettledStates} from './payment.ts'
import type {PaymentContext} from './context.ts'
import {quoteForShell} from '../validation/shell-quote.ts'

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

// The journal is read only when the process ends, because only then is it known how far the payment got.
export async function withPaymentExitNotice<T>(
  {journal, owner}: PaymentContext,
  serviceId: string,
  key: string,
  work: Promise<T>,
): Promise<T> {
  const createNotice = () => {
    const payment = journal.find(serviceId, key)
    if (!payment) return undefined
    const holder = journal.findLeaseHolder(serviceId, key)
    return toExitNotice(payment, holder !== undefined && holder.run !== owner.run)
  }
  return withExitNotice(createNotice, work)
}

// While earlier slots are being settled, nothing has been sent for this one.
export const withSlotExitNotice = <T>(key: string, work: Promise<T>): Promise<T> =>
  withExitNotice(
    () => ({
      message: `Stopped; the payment ${key} was not sent, since an earlier slot is not settled yet`,
      hint: 'Run the same command again, which settles it first',
    }),
    work,
  )
