// The interface of the journal, which records every payment before each step is taken. Other stores could implement it.
import {SvcError} from '../../errors.ts'
import type {ListSpentAmounts, SpendingQuery} from '../../profiles/check-spending.ts'
import type {LeaseOwner} from '../lease-owner.ts'
import type {Payment, PaymentState} from '../payment.ts'

// One line of a payment's history. It must contain no personal data and no secret.
export interface Entry {
  what: string
  detail?: Readonly<Record<string, string | number | boolean>>
}

export interface HistoryEntry extends Entry {
  at: number
}

// The right to work on one payment. Every new holder increments the epoch, so that writes of an earlier one fail.
export interface Lease {
  serviceId: string
  key: string
  epoch: number
  owner: LeaseOwner
}

// The lease, and the payment as its last holder left it.
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
  // Only so many of the latest slots before this one, latest first.
  lastSlots?: {before: string; count: number} | undefined
  transactionId?: string | undefined
  // Only so many of the payments that were recorded last, newest first.
  newestCount?: number | undefined
}

export interface PaidToQuery {
  serviceId: string
  destination: string
  // The source currency.
  currency: string
  sinceMs: number
}

// Runs inside the transaction of a commit, so that what it reads cannot change. If it throws, nothing is written.
export type CommitCheck = (listSpentAmounts: ListSpentAmounts) => void

export class LeaseLost extends Error {
  override name = 'LeaseLost'
}

// The journal cannot be used, and nothing may be sent without it. If it is only busy, the same command works later.
export class JournalUnusable extends SvcError {
  readonly isBusy: boolean

  constructor(reason: string, hint: string, cause?: unknown, {isBusy = false} = {}) {
    super({
      error: isBusy ? 'JOURNAL_BUSY' : 'JOURNAL_UNUSABLE',
      kind: isBusy ? 'pending' : 'usage',
      effect: 'none',
      message: `${reason}, so nothing is paid`,
      reason,
      hint,
      cause,
    })
    this.isBusy = isBusy
  }
}

export interface Journal {
  // Returns the payment with this key, and creates it if there is none. An existing one may have other content.
  findOrCreate(intent: Intent): Payment
  find(serviceId: string, key: string): Payment | undefined
  list(filter: PaymentFilter): Payment[]
  // The payments that other services have under this key.
  findElsewhere(serviceId: string, key: string): Payment[]
  // The payments to this account that have, or may have, spent money.
  listPaidTo(query: PaidToQuery): Payment[]
  history(serviceId: string, key: string): HistoryEntry[]
  // What payments other than this one have, or may have, spent.
  listSpentAmounts(serviceId: string, key: string, query: SpendingQuery): string[]

  // Returns the lease, or its present holder.
  acquireLease(serviceId: string, key: string, owner: LeaseOwner): AcquiredLease | {heldBy: LeaseOwner}
  // Extends the lease. Throws LeaseLost if another process has taken it over.
  renewLease(lease: Lease): void
  releaseLease(lease: Lease): void
  findLeaseHolder(serviceId: string, key: string): LeaseOwner | undefined

  // Writes the payment and one line of history, or throws LeaseLost. It is durable when this returns; a journal opened for
  // many payments at once is durable only after the next flush.
  commit(lease: Lease, payment: Payment, entry: Entry, check?: CommitCheck): Payment
  // Resolves when everything committed so far is on disk. With a journal opened for many payments at once, wait for it before
  // anything is sent or reported. Otherwise it resolves at once.
  flush(): Promise<void>
  close(): void
}
