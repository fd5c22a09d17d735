// Holds the lease of a payment while a process works on it, and waits for whoever else holds it.
import {type Intent, type Lease, LeaseLost} from '../journal/journal.ts'
import type {PaymentContext} from './context.ts'
import {paymentError} from './errors.ts'
import type {Payment} from './payment.ts'

const leasePollMs = 200
// The lease is also renewed while a long list is being read. A lease of another machine expires
// after two minutes.
const leaseRenewalMs = 30_000

// Repeats the work if another process took the lease over, which is then waited for like any other
// holder. Two processes that take the lease from each other pause in between.
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
  // The payment as the last holder left it.
  payment: Payment
  // Whether another process held the lease, and this one waited for it.
  waited: boolean
  release: () => Promise<void>
}

// Takes the lease, after waiting for another holder, and renews it until it is released.
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

// Renews the lease until it is released. Failures to renew or return it are ignored: a lost lease
// shows at the next commit, and a lease that could not be returned ends with this process.
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
