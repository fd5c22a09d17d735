// Everything that a run of payments works with: the service, the journal, two clocks, limits, and patience.
import {type Entry, type Journal, JournalUnusable, type Lease} from './journal/journal.ts'
import type {PriceLimits, SpendingLimits} from './limits.ts'
import type {LeaseOwner} from './lease-owner.ts'
import {outcomeUnknown} from './payment-errors.ts'
import {type Payment, unsettledStates} from './payment.ts'
import type {ServerClock} from './server-clock.ts'
import type {Fields, Service} from './service.ts'

// The instants between two steps of the protocol. Nothing happens at them, except that tests end the process there.
export const checkpoints = [
  'intended',
  'leased',
  'looked',
  'quoted',
  'stopped',
  'armed',
  'sending',
  'answered',
  'created',
  'rejected',
  'unknown',
  'scanned',
  'resending',
  'reanswered',
  'adopted',
  'cleared',
  'abandoned',
] as const

export type Checkpoint = (typeof checkpoints)[number]

export interface PaymentContext {
  service: Service
  journal: Journal
  clock: ServerClock
  owner: LeaseOwner
  spending: SpendingLimits
  // A profile may forbid to send the same bytes a second time.
  mayResend: boolean
  pause(ms: number): Promise<void>
  // How much longer this run may wait, for another process or for a payment to be settled.
  remainingMs(): number
  checkpoint(point: Checkpoint): void
  // Told once that another process works on a payment, which is waited for.
  onHeld?: ((payment: Payment, by: LeaseOwner) => void) | undefined
  // What a list that was read before in this run has of this payment, where one look has to do for many payments.
  findListed?: ((payment: Payment) => Promise<Iterable<Fields>>) | undefined
}

// A payment that is being worked on: it is written under its lease, or not at all.
export interface LeasedPayment {
  context: PaymentContext
  lease: Lease
  limits: PriceLimits
  isGuaranteed: boolean
  payment: Payment
  // The transaction as the service has just shown it.
  transaction?: Fields
}

// What the journal cannot take any more must not sound as if nothing had been sent.
function wrapJournalFailure<T>({payment}: LeasedPayment, write: () => T): T {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof JournalUnusable) || !unsettledStates.includes(payment.state)) throw error
    throw outcomeUnknown(payment, error.message.replace(/, so nothing is paid$/, ''), error)
  }
}

// Throws LeaseLost if another process has taken over.
export const renewLease = (leased: LeasedPayment) =>
  wrapJournalFailure(leased, () => leased.context.journal.renewLease(leased.lease))

export function commitChange(
  leased: LeasedPayment,
  change: Partial<Payment>,
  entry: Entry,
  check?: Parameters<Journal['commit']>[3],
): LeasedPayment {
  const {context, lease, payment} = leased
  return {
    ...leased,
    payment: wrapJournalFailure(leased, () => context.journal.commit(lease, {...payment, ...change}, entry, check)),
  }
}

// The payment with something changed in its latest attempt.
export function updateLastAttempt(
  {payment}: LeasedPayment,
  change: Partial<Payment['attempts'][number]>,
): Payment['attempts'] {
  const {attempts} = payment
  const last = attempts.at(-1)
  if (!last) throw new Error(`the payment ${payment.key} has no attempt to change`)
  return [...attempts.slice(0, -1), {...last, ...change}]
}
