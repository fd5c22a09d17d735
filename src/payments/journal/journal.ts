// The journal: everything that is known of every payment, written before it is acted upon. Another store can stand behind it.
import {SvcError} from '../../errors.ts'
import type {LeaseOwner} from '../lease-owner.ts'
import type {Payment, PaymentState} from '../payment.ts'

// What happened to a payment, as a line of its history. No personal data and no secret goes in here.
export interface Entry {
  what: string
  detail?: Readonly<Record<string, string | number | boolean>>
}

export interface HistoryEntry extends Entry {
  at: number
}

// The right to work on one payment. Whoever takes it over counts the epoch up, so that the one before is known as such.
export interface Lease {
  serviceId: string
  key: string
  epoch: number
  owner: LeaseOwner
}

// The right, and the payment as whoever had it before has left it.
export interface AcquiredLease {
  lease: Lease
  payment: Payment
}

export type Intent = Pick<Payment, 'serviceId' | 'key' | 'content' | 'template' | 'slot'>

export interface PaymentFilter {
  serviceId?: string | undefined
  states?: readonly PaymentState[] | undefined
  template?: string | undefined
  sinceMs?: number | undefined
}

// What was, or may have been, spent in a currency since an instant, by payments other than one.
export interface SpendingQuery {
  currency: string
  sinceMs: number
}

export class LeaseLost extends Error {
  override name = 'LeaseLost'
}

// The journal cannot be relied on, and without it nothing may be sent.
export class JournalUnusable extends SvcError {
  constructor(message: string, hint: string, cause?: unknown) {
    super({
      error: 'JOURNAL_UNUSABLE',
      kind: 'usage',
      message: `${message}, so nothing is paid`,
      hint,
      cause,
    })
  }
}

export interface Journal {
  // The payment with this key, made if there is none. What it holds may be other content than was meant.
  findOrCreate(intent: Intent): Payment
  find(serviceId: string, key: string): Payment | undefined
  list(filter: PaymentFilter): Payment[]
  history(serviceId: string, key: string): HistoryEntry[]
  // The amounts that payments other than this one have spent, or may have; an amount that is not known is empty.
  listSpentAmounts(serviceId: string, key: string, of: SpendingQuery): string[]

  // The lease, or whoever holds it.
  acquireLease(serviceId: string, key: string, owner: LeaseOwner): AcquiredLease | {heldBy: LeaseOwner}
  // Says that the holder is still at work; throws LeaseLost if another has taken over.
  renewLease(lease: Lease): void
  releaseLease(lease: Lease): void
  // Who works on the payment now, if anybody does.
  findLeaseHolder(serviceId: string, key: string): LeaseOwner | undefined

  // Writes the payment and one line of its history, if the lease is still held; durably, or else by the next flush. `judge`
  // is asked inside the same transaction, so that what it counts cannot change under it; if it throws, nothing is written.
  commit(
    lease: Lease,
    payment: Payment,
    entry: Entry,
    judge?: (spent: (of: SpendingQuery) => string[]) => void,
  ): Payment
  // Resolves when all that was committed is on the disk. Whoever works on many payments at once must wait for it before the
  // wire is touched and before anything is told; for all others it is there already.
  flush(): Promise<void>
  close(): void
}
