// The interface of the journal, which records every payment before each step is taken. Every store implements it.
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import type {SpendingQuery} from '../../controls/check-spending.ts'
import {SvcError} from '../../errors.ts'
import type {Operator} from '../../values/operator.ts'
import {type Payment, type PaymentState, notMadeStates, unsettledStates} from '../protocol/payment.ts'

// One line of a payment's history. It must contain no personal data and no secret.
export interface Entry {
  what: string
  detail?: Readonly<Record<string, unknown>>
  // What the service answered before this line was written, and which of its lists were read.
}

export interface HistoryEntry extends Entry {
  at: number
}

// A decision of a person, and the payment that it is about, if any.
export interface DecisionEntry extends HistoryEntry {
  serviceId?: string | undefined
  key?: string | undefined
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

export type Intent = Pick<Payment, 'serviceId' | 'key' | 'content' | 'template' | 'slot' | 'note'>

export interface PaymentFilter {
  serviceId?: string | undefined
  states?: readonly PaymentState[] | undefined
  template?: string | undefined
  sinceMs?: number | undefined
  untilMs?: number | undefined
  // Only so many of the latest slots before this one, latest first.
  lastSlots?: {before: string; count: number} | undefined
  transactionIds?: readonly string[] | undefined
  // Only these keys, in any order. Needs `serviceId`.
  keys?: readonly string[] | undefined
  // Only so many of the payments that were recorded last, newest first.
  newestCount?: number | undefined
  // With newestCount: those that follow this one in the list.
  after?: PaymentPosition | undefined
}

export interface PaidToQuery {
  serviceId: string
  destination: string
  // The source currency.
  currency: string
  sinceMs: number
}

// An account that payments of the journal go to.
export interface Payee {
  destination: string
  // Whether a transaction that went to it was made, and did not end badly.
  isPaid: boolean
  // When the first payment to it was recorded, made or not. Absent for one that was paid.
  firstSeenAt?: number | undefined
}

// How a database knows this process.
export interface JournalRole {
  name: string
  // Whether it owns the journal, and so could change everything in it.
  isOwner: boolean
}

// What is read in the transaction of a commit, so that it cannot change before the write.
export interface CommitFindings {
  // What other payments have, or may have, spent.
  spentAmounts: string[]
  // The payments that other services have under this key.
  elsewhere: Payment[]
  // The other payments that have the transaction already.
  owners: Payment[]
  // How many entries the policies of the journal have. 0 unless it was asked for.
  policyMark: number
}

// Decides about a commit in its transaction.
export interface CommitCheck {
  // The amounts to read. None are read without it.
  spending?: SpendingQuery | undefined
  // The transaction that the payment is about to have. Without it, no owners are read.
  transactionId?: string | undefined
  // Whether the policies may have changed since they were read.
  readsPolicyMark?: boolean | undefined
  // If it throws, nothing is written.
  judge(found: CommitFindings): void
}

// Later than every time of a payment.
export const timeMax = Number.MAX_SAFE_INTEGER

export class LeaseLost extends Error {
  override name = 'LeaseLost'
}

// If the journal is only busy or cannot be reached, the same command works later.
type JournalProblem = 'busy' | 'unreachable'

// The journal cannot be used, and nothing may be sent without it.
export class JournalUnusable extends SvcError {
  readonly problem: JournalProblem | undefined

  constructor(reason: string, hint: string, cause?: unknown, {problem}: {problem?: JournalProblem | undefined} = {}) {
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

export interface Journal {
  // Returns the payment with this key, and creates it if there is none. An existing one may have other content.
  findOrCreate(intent: Intent): Promise<Payment>
  find(serviceId: string, key: string): Promise<Payment | undefined>
  list(filter: PaymentFilter): Promise<Payment[]>
  // The payments that other services have under this key.
  findElsewhere(serviceId: string, key: string): Promise<Payment[]>
  // The payments that have, or may have, spent money since then, in any order; only those that were recorded before a time, if it is
  // given.
  listSpentSince(serviceId: string, sinceMs: number, createdBeforeMs?: number): Promise<Payment[]>
  // The payments to this account that have, or may have, spent money.
  listPaidTo(query: PaidToQuery): Promise<Payment[]>
  // Those of these accounts that the journal knows.
  listPayees(serviceId: string, destinations: readonly string[]): Promise<Payee[]>
  history(serviceId: string, key: string): Promise<HistoryEntry[]>
  // What payments other than this one have, or may have, spent.
  listSpentAmounts(serviceId: string, key: string, query: SpendingQuery): Promise<string[]>

  // Returns the lease, or its present holder.
  acquireLease(serviceId: string, key: string, owner: LeaseOwner): Promise<AcquiredLease | {heldBy: LeaseOwner}>
  // Extends the lease. Throws LeaseLost if another process has taken it over.
  renewLease(lease: Lease): Promise<void>
  releaseLease(lease: Lease): Promise<void>
  findLeaseHolder(serviceId: string, key: string): Promise<LeaseOwner | undefined>

  // Writes the payment and one line of history, or throws LeaseLost. It is durable when this resolves; a journal opened
  // for many payments at once is durable only after the next flush.
  commit(lease: Lease, payment: Payment, entry: Entry, check?: CommitCheck): Promise<Payment>
  // Resolves when everything committed so far is on disk. With a journal opened for many payments at once, wait for it before
  // anything is sent or reported. Before a send, only what was armed has to be there. Otherwise it resolves at once.
  flush(what?: 'armed'): Promise<void>
  // Whether everything that was committed of this payment is on disk. Absent if every commit is, when it resolves.
  isFlushed?(serviceId: string, key: string): boolean

  // Writes a decision of a person. Durable when this resolves, or after the next flush of a journal for many payments at once.
  recordDecision(decision: Decision): Promise<void>
  // All decisions, oldest first: those about a payment, and those about anything else.
  listDecisions(): Promise<DecisionEntry[]>

  // The role with which a database knows this process. Absent if the journal is a file.
  readRole?(): Promise<JournalRole>

  close(): Promise<void>
}

export interface JournalOptions {
  // The clock of the journal, in milliseconds. A database has its own.
  now?: (() => number) | undefined
  // For many payments at once: commits are durable after flush() instead of at once.
  isGrouped?: boolean | undefined
  // How long a database that broke the connection is waited for.
  waitMs?: (() => number) | undefined
}

// Identifies the process that holds a lease, so that others can tell whether it has ended.
export interface LeaseOwner {
  host: string
  // The boot of the machine and the container: a process id is unique only within them. Empty if unknown.
  boot: string
  container: string
  pid: number
  // When the process started. It tells a process from a later one with the same id.
  began: string
  // One id per run, because a process may work on several payments at once.
  run: string
}

const stateField = 0
const startField = 19
// The states of a process that has ended but was not yet reaped by its parent.
const endedStates = new Set(['Z', 'X'])

function readOrEmpty(read: () => string): string {
  try {
    return read().trim()
  } catch {
    return ''
  }
}

// Linux reports when a process started, in ticks since boot. On other systems only its id is compared.
function readProcessStart(pid: number): {began: string; hasEnded: boolean} {
  const stat = readOrEmpty(() => fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // The name of the program is in brackets and may contain anything, so the fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return {began: fields[startField] ?? '', hasEnded: endedStates.has(fields[stateField] ?? '')}
}

// Read once, since none of it changes while the process runs.
let ownProcess: Omit<LeaseOwner, 'run'> | undefined

const describeProcess = () =>
  (ownProcess ??= {
    host: os.hostname(),
    boot: readOrEmpty(() => fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    container: readOrEmpty(() => fs.readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    began: readProcessStart(process.pid).began,
  })

export const describeThisProcess = (): LeaseOwner => ({...describeProcess(), run: randomUUID()})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user may not be signalled, but it exists.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

// Whether the process has certainly ended. This is unknown, so false, for other machines and other containers.
export function hasEnded({host, boot, container, pid, began}: LeaseOwner): boolean {
  const here = describeProcess()
  if (host !== here.host) return false
  if (boot !== here.boot) return true
  if (container !== here.container) return false
  if (pid === here.pid) return began !== here.began
  if (!isRunning(pid)) return true
  const now = readProcessStart(pid)
  return now.hasEnded || now.began !== began
}

// Decisions of people as lines of the journal's history: who decided what about which payment, file or profile, and why.
export interface Decision {
  // What was decided, in a word: APPROVAL_USED, LIMITS_CHANGED.
  kind: string
  // `serviceId` and `key` of a payment, or anything else by its name: {profile}, {file}, {batch}. No personal data.
  about: Readonly<Record<string, string>>
  who: Operator
  why?: string | undefined
  // What else belongs to it and can be written as JSON, such as a digest and signatures. No personal data and no secret.
  data?: Readonly<Record<string, unknown>> | undefined
}

export const decided = 'DECISION'

// These entries leave the payment as it is.
export const otherLines: readonly string[] = ['TAKEN_OVER', decided]
export const changesCondition = `what not in (${otherLines.map((what) => `'${what}'`).join(', ')})`

interface DecisionLine {
  serviceId: string
  key: string
  entry: {what: string; detail: Readonly<Record<string, unknown>>}
}

// A decision about no payment has a line with neither a service nor a key. Its id tells whether it was written, if a database did
// not answer.
export function toDecisionLine({kind, about, who, why, data}: Decision): DecisionLine {
  const {serviceId = '', key = '', ...others} = about
  const {user, host, signer} = who
  const detail = {
    id: randomUUID(),
    kind,
    ...others,
    user,
    host,
    ...(signer !== undefined && {signer}),
    ...(why !== undefined && {why}),
    ...(data && {data}),
  }
  return {serviceId, key, entry: {what: decided, detail}}
}

// Payments are listed newest first.
// A place in the list: that of a payment. The key and the service decide between payments of one millisecond.
export type PaymentPosition = Pick<Payment, 'createdAt' | 'key' | 'serviceId'>

// As both stores compare text: byte by byte.
const compareText = (one: string, other: string) =>
  one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other))

export const compareNewestFirst = (one: PaymentPosition, other: PaymentPosition) =>
  other.createdAt - one.createdAt || compareText(other.key, one.key) || compareText(other.serviceId, one.serviceId)

// A payment as the text that the journal stores, without its times, which are columns: the clock of the store writes them.
type TimelessPayment = Omit<Payment, 'createdAt' | 'updatedAt'>

// A payment of which nothing but the intent is known.
export const toNewPayment = ({serviceId, key, content, template, slot, note}: Intent): TimelessPayment => ({
  serviceId,
  key,
  ...(template !== undefined && {template}),
  ...(slot !== undefined && {slot}),
  ...(note !== undefined && {note}),
  content,
  state: 'INTENDED',
  attempts: [],
})

export function toPaymentText(payment: TimelessPayment): string {
  const {createdAt: _created, updatedAt: _updated, ...rest} = payment as Payment
  return JSON.stringify(rest)
}

export const readPaymentText = (text: string, createdAt: number, updatedAt: number): Payment => ({
  ...(JSON.parse(text) as TimelessPayment),
  createdAt,
  updatedAt,
})

// When the money was, or may have been, spent: when the request was armed or, if it was adopted, when the service created it.
export const getSpentAt = ({attempts, madeAt}: Pick<Payment, 'attempts' | 'madeAt'>): number | null =>
  attempts.at(-1)?.armedAt ?? madeAt ?? null

// What is searched for, as columns of its own.
export function toColumnValues({content: {source, destination}}: Pick<Payment, 'content'>) {
  return {
    currency: source.sourceCurrency.toUpperCase(),
    amount: source.sourceAmount,
    destination: destination.destinationPaymentAccountId,
  }
}

// SQL conditions on the state of payments. They are written out, since an index covers some states alone and is used only if its own
// condition is part of the query.
const toCondition = (states: readonly PaymentState[]) => `state in (${states.map((state) => `'${state}'`).join(', ')})`

// Who settled a payment, in the detail of the entry.
export const aPerson = 'a person'

const coveredStates = [unsettledStates, notMadeStates]

export function buildStateConditions(states: readonly PaymentState[] | undefined): string[] {
  if (states === undefined) return []
  const covered = coveredStates.find((each) => states.every((state) => each.includes(state)))
  return [toCondition(states), ...(covered && covered.length !== states.length ? [toCondition(covered)] : [])]
}

// What the stores keep as JSON.
export const readOwner = (text: string) => JSON.parse(text) as LeaseOwner
export const readDetail = (text: string) => JSON.parse(text) as NonNullable<Entry['detail']>
