// The interface of the journal, which records every payment before each step is taken. Every store
// implements it.
import type {SpendingQuery, SpentSum} from '../../controls/check-spending.ts'
import type {DecisionJournal} from '../../controls/decisions.ts'
import type {PayeeJournal} from '../../controls/new-payees.ts'
import {SvcError} from '../../errors.ts'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import type {Payment, PaymentState} from '../protocol/payment.ts'
import type {LeaseOwner} from './owner.ts'

// One line of a payment's history. It must contain no personal data and no secret.
export interface Entry {
  what: string
  detail?: Readonly<Record<string, unknown>>
}

export interface HistoryEntry extends Entry {
  at: number
}

// The right to work on one payment. Every new holder increments the epoch, so that writes of an
// earlier holder fail.
export interface Lease {
  serviceId: string
  key: string
  epoch: number
  owner: LeaseOwner
}

// The payment is as the last holder left it.
export type AcquiredLease = {lease: Lease; payment: Payment}
export type HeldLease = {heldBy: LeaseOwner; payment: Payment}

export type Intent = Pick<Payment, 'serviceId' | 'key' | 'content' | 'template' | 'slot' | 'note'>

export interface PaymentFilter {
  serviceId: string
  states?: readonly PaymentState[] | undefined
  sinceMs?: number | undefined
  untilMs?: number | undefined
  transactionIds?: readonly string[] | undefined
  // Only these keys, in any order.
  keys?: readonly string[] | undefined
  // Only so many of the payments that were recorded last, newest first.
  newestCount?: number | undefined
  // With newestCount: only payments that follow this one in the list.
  after?: PaymentPosition | undefined
}

export interface PaidToQuery {
  serviceId: string
  destination: string
  // The source currency.
  currency: string
  // Only payments of this amount, in whatever spelling.
  amount?: string | undefined
  sinceMs: number
}

// Findings are read in the transaction of a commit, so that they cannot change before the write.
export interface CommitFindings {
  // The sum that other payments have, or may have, spent. Nothing unless it was asked for.
  spent: SpentSum
  // The payments that other services have under this key.
  elsewhere: Payment[]
  // The other payments that have the transaction already.
  owners: Payment[]
  // The other payments that have, or may have, paid what `paidTo` asks for.
  paidTo: Payment[]
  // How many entries the policies of the journal have. 0 unless it was asked for.
  policyMark: number
}

export interface CommitCheck {
  spending?: SpendingQuery | undefined
  paidTo?: Omit<PaidToQuery, 'serviceId'> | undefined
  // The transaction that the payment is about to have. Without it, no owners are read.
  transactionId?: string | undefined
  // Whether the policies may have changed since they were read.
  readsPolicyMark?: boolean | undefined
  // If it throws, nothing is written.
  judge(found: CommitFindings): void
}

// The list of a customer's transactions.
export interface ListName {
  serviceId: string
  customerId: string
}

// What reads of a list that is newest first have proved. Nothing of it needs to be durable: whoever
// has lost it reads the whole list again.
export interface ListProof {
  // When the newest transaction was created or, if that is earlier, when the read began.
  untilMs: number
  // What was created before this was seen. The journal has recorded those transactions of svc's
  // that it made, and knows the others by their correlationId.
  sinceMs: number
  // The newest transactions, by name. Where they are gone, the list is another one.
  heads: readonly string[]
  // Whether two walks in a row have seen the same. What only one has seen may have passed over
  // something.
  isAgreed: boolean
}

export interface RecalledList extends ListProof {
  // Whether the service has listed a transaction with the correlationId that was asked for, which
  // was not recorded as made then.
  isUnrecorded: boolean
}

export interface ListedId {
  transactionId: string
  correlationId: string
}

export class LeaseLost extends Error {
  override name = 'LeaseLost'

  constructor({key}: Pick<Lease, 'key'>) {
    super(`another process has taken over ${key}`)
  }
}

// If the journal is only busy or cannot be reached, the same command works later.
type JournalProblem = 'busy' | 'unreachable'

// The journal cannot be used, and nothing may be sent without it.
export class JournalUnusable extends SvcError {
  readonly problem: JournalProblem | undefined

  constructor(reason: string, hint: string, cause?: unknown, problem?: JournalProblem) {
    super({
      error:
        problem === 'busy' ? 'JOURNAL_BUSY' : problem === 'unreachable' ? 'JOURNAL_UNREACHABLE' : 'JOURNAL_UNUSABLE',
      kind: problem === 'busy' ? 'pending' : (problem ?? 'usage'),
      effect: 'none',
      message: `${reason}, so nothing is paid`,
      reason,
      hint,
      cause,
    })
    this.problem = problem
  }
}

export interface Journal extends DecisionJournal, PayeeJournal {
  find(serviceId: string, key: string): Promise<Payment | undefined>
  list(filter: PaymentFilter): Promise<Payment[]>
  // The payments that all services have under this key.
  findByKey(key: string): Promise<Payment[]>
  // The payments to this account that have, or may have, spent money.
  listPaidTo(query: PaidToQuery): Promise<Payment[]>
  history(serviceId: string, key: string): Promise<HistoryEntry[]>
  listDecisions(): Promise<HistoryEntry[]>
  // The sum that payments have, or may have, spent. The payment with the other key does not count.
  sumSpent(serviceId: string, query: SpendingQuery, otherThan?: string): Promise<SpentSum>
  findLeaseHolder(serviceId: string, key: string): Promise<LeaseOwner | undefined>
  // The processes that work on these payments now, by key.
  listLeaseHolders(serviceId: string, keys: readonly string[]): Promise<ReadonlyMap<string, LeaseOwner>>

  // Takes the lease on the payment of this intent, which is created if the journal does not have
  // it; a payment that it has may have other content. Other processes see the lease at once. It
  // need not survive a power cut.
  acquireLease(intent: Intent, owner: LeaseOwner): Promise<AcquiredLease | HeldLease>
  renewLease(lease: Lease): Promise<void>
  releaseLease(lease: Lease): Promise<void>
  // Keeps the payment and one line of its history in memory, until the next commit of the payment
  // or until its lease is returned: for what nobody needs to be durable, such as a quote. Throws
  // LeaseLost.
  note(lease: Lease, payment: Payment, entry: Entry): Payment
  // Writes the payment, what was noted of it, and one line of its history, or throws LeaseLost. It
  // is durable when this resolves. CREATED ends the lease.
  commit(lease: Lease, payment: Payment, entry: Entry, check?: CommitCheck): Promise<Payment>

  recallList(name: ListName, correlationId: string): Promise<RecalledList | undefined>
  // `seen` are the transactions with a correlationId of svc's that were created before the proof's
  // `sinceMs`, and were not named before. Those that the journal has not recorded as made are kept.
  rememberList(name: ListName, proof: ListProof, seen: readonly ListedId[]): Promise<void>

  // Lends the database of the journal for what else stands in it. Absent if the journal is a file.
  withDatabase?<T>(work: (database: PostgresDatabase) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface JournalOptions {
  // The clock of the journal, in milliseconds. A database has its own.
  now?: (() => number) | undefined
  // How long a database that broke the connection is waited for.
  waitMs?: (() => number) | undefined
}

// The lines of the journal's history that are decisions of people.
export const decisionLine = 'DECISION'

// These entries leave the payment as it is.
export const otherLines: readonly string[] = ['TAKEN_OVER', decisionLine]

// A place in the list: that of a payment. The key decides between payments of one millisecond.
export type PaymentPosition = Pick<Payment, 'createdAt' | 'key'>
