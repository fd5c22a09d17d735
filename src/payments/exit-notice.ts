// What is said of a payment when the process is told to stop in the middle of it.
import {type ExitNotice, withExitNotice as standingBy} from '../cli/exit-notice.ts'
import {type Payment, unsettledStates} from './payment.ts'
import type {PaymentContext} from './context.ts'

function toExitNotice({state, key, transactionId}: Payment, isElsewhere: boolean): ExitNotice {
  if (state === 'CREATED') {
    return {
      message: `Stopped; the payment ${key} was made`,
      ...(transactionId !== undefined && {hint: `See \`svc transactions get ${transactionId}\``}),
    }
  }
  if (isElsewhere) {
    return {
      message: `Stopped waiting: another process works on the payment ${key}`,
      hint: `\`svc journal show ${key}\` says what becomes of it`,
    }
  }
  if (unsettledStates.includes(state)) {
    return {
      message: `Stopped on the way: whether the payment ${key} was made is not known`,
      hint: 'Run the same command again, it settles it without paying twice',
    }
  }
  return {message: `Stopped; the payment ${key} was not sent`}
}

// The journal is asked at the very end, since only it knows how far the payment has come.
export async function withPaymentExitNotice<T>(
  {journal, owner}: PaymentContext,
  serviceId: string,
  key: string,
  work: Promise<T>,
): Promise<T> {
  const words = () => {
    const payment = journal.find(serviceId, key)
    if (!payment) return undefined
    const holder = journal.findLeaseHolder(serviceId, key)
    return toExitNotice(payment, holder !== undefined && holder.run !== owner.run)
  }
  return standingBy(words, work)
}

// While earlier slots are settled, nothing has been sent for the one that comes after them.
export const withSlotExitNotice = <T>(key: string, work: Promise<T>): Promise<T> =>
  standingBy(
    () => ({
      message: `Stopped; the payment ${key} was not sent, since an earlier slot is not settled yet`,
      hint: 'Run the same command again, it settles that first',
    }),
    work,
  )
