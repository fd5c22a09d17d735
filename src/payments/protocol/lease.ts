// Holds the lease of a payment while a process works on it, and waits for whoever else holds it.
import {type Intent, type Lease, LeaseLost} from '../journal/journal.ts'
import type {PaymentContext} from './context.ts'
import {paymentError} from './errors.ts'
import type {Payment} from './payment.ts'

const leasePollMs = 200
// Also renewed while a long list is being read. A lease of another machine expires after two minutes.
const leaseRenewalMs = 30_000

// If another process takes the lease over, that one is waited for like any other holder. Two that
// take it from each other pause between.
export async function retryIfLeaseLost<T>({pause}: Pick<PaymentContext, 'pause'>, work: () => Promise<T>): Promise<T> {
  for (let losses = 0; ; losses++) {
    if (losses > 1) await pause(leasePollMs)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error
    }
  }
}

export interface HeldPayment {
  lease: Lease
  // As the last holder left it.
  payment: Payment
  // Whether another process held the lease, and this one waited for it.
  waited: boolean
  release: () => Promise<void>
}

// Waits while another process holds the lease. It is renewed until it is released.
export async function takeLease(context: PaymentContext, intent: Intent): Promise<HeldPayment> {
  const {journal, owner} = context
  for (let waited = false; ; waited = true) {
    const acquired = await journal.acquireLease(intent, owner)
    const isHeldElsewhere = 'heldBy' in acquired
    context.onProgress?.({payment: acquired.payment, isHeldElsewhere})
    if (!isHeldElsewhere) return {...holdLease(context, acquired.lease), payment: acquired.payment, waited}

    const {heldBy, payment} = acquired
    if (!waited) context.onHeld?.(payment, heldBy)
    if (context.remainingMs() < leasePollMs) {
      throw paymentError('PAYMENT_IN_PROGRESS', {key: payment.key, holder: heldBy})
    }
    await context.pause(leasePollMs)
  }
}

// Failures to renew or return a lease are ignored: a lost lease shows at the next commit, and one
// that could not be returned ends with this process.
function holdLease({journal}: Pick<PaymentContext, 'journal'>, lease: Lease): Pick<HeldPayment, 'lease' | 'release'> {
  const renewal = setInterval(() => void journal.renewLease(lease).catch(() => {}), leaseRenewalMs)
  return {
    lease,
    async release() {
      clearInterval(renewal)
      await journal.releaseLease(lease).catch(() => {})
    },
  }
}

// Does the work under the lease.
export async function withLease<T>(
  context: PaymentContext,
  intent: Intent,
  work: (held: HeldPayment) => Promise<T>,
): Promise<T> {
  const held = await takeLease(context, intent)
  try {
    return await work(held)
  } finally {
    await held.release()
  }
}
