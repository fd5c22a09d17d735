// Takes, renews and returns the lease on a payment, so that one process at a time works on it.
import type {LeasedPayment, PaymentContext} from './context.ts'
import {paymentInProgress, wrapJournalFailure} from './payment-errors.ts'
import type {AcquiredLease, Intent, Lease} from '../journal/journal.ts'

const leasePollMs = 200
// Also renewed while a long list is being read. A lease of another machine expires after two minutes.
const leaseRenewalMs = 30_000

// Waits while another process holds the lease. `waited` says whether it had to.
export async function acquireLease(
  context: PaymentContext,
  intent: Intent,
): Promise<AcquiredLease & {waited: boolean}> {
  const {journal, owner} = context
  for (let waited = false; ; waited = true) {
    const acquired = await journal.acquireLease(intent, owner)
    const {payment} = acquired
    const isHeldElsewhere = 'heldBy' in acquired
    context.onProgress?.({payment, isHeldElsewhere})
    if (!isHeldElsewhere) return {...acquired, waited}
    const {heldBy} = acquired
    if (!waited) context.onHeld?.(payment, heldBy)
    if (context.remainingMs() < leasePollMs) throw paymentInProgress(payment, heldBy.pid, heldBy.host)
    await context.pause(leasePollMs)
  }
}

// Throws LeaseLost if another process has taken the lease over.
export const renewLease = ({journal}: PaymentContext, leased: LeasedPayment): Promise<void> =>
  wrapJournalFailure(leased.payment, () => journal.renewLease(leased.lease))

async function ignoreErrors(action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch {
    return
  }
}

// Renews the lease while the work goes on, and returns it afterwards. Failures of either are ignored: a lost lease shows at
// the next commit, and a lease that could not be returned ends with this process.
export async function withLease<T>({journal}: PaymentContext, lease: Lease, work: () => Promise<T>): Promise<T> {
  const renewal = setInterval(() => void ignoreErrors(() => journal.renewLease(lease)), leaseRenewalMs)
  try {
    return await work()
  } finally {
    clearInterval(renewal)
    await ignoreErrors(() => journal.releaseLease(lease))
  }
}
