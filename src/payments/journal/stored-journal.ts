// The journal over a store. Writes enter a queue; what waits is written as one group, in one transaction and with one sync, so a
// payment alone is a group of one. A store says how it reads and how a group is written.
import {setImmediate as nextTurn} from 'node:timers/promises'
import type {SpendingQuery} from '../../controls/check-spending.ts'
import type {Decision} from '../../controls/decisions.ts'
import type {Payment, PaymentState} from '../protocol/payment.ts'
import type {ChainEntry, ChainReader} from './chain.ts'
import {
  Group,
  type Found,
  type GroupChanges,
  type Outcome,
  type PickChain,
  type Unwritten,
  type Write,
  type WriteResult,
  nameLease,
  renewalMs,
} from './group.ts'
import type {
  AcquiredLease,
  CommitCheck,
  DecisionEntry,
  Entry,
  HeldLease,
  HistoryEntry,
  Intent,
  Journal,
  Lease,
  PaidToQuery,
  Payee,
  PaymentFilter,
} from './journal.ts'
import {type LeaseOwner, isLeaseFree, readOwner} from './owner.ts'
import {type Read, Reads} from './reads.ts'
import {type Dialect, type PaymentRow, toPayment} from './tables.ts'

const statesBeforeArming: ReadonlySet<PaymentState> = new Set(['INTENDED', 'QUOTED'])
const groupMax = 500

// Most replies that came while the group before was written have become writes of the next one after two turns of the event loop. With
// more, the rows of a run wait for each other.
async function gather(): Promise<void> {
  await nextTurn()
  await nextTurn()
}

interface Waiting {
  write: Write
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

const toHistoryEntry = ({at, what, detail}: ChainEntry): HistoryEntry => ({
  at,
  what,
  ...(detail !== null && {detail: JSON.parse(detail) as NonNullable<Entry['detail']>}),
})

export abstract class StoredJournal implements Journal {
  protected readonly reads: Reads
  readonly #pickChain: PickChain
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined
  readonly #unwritten = new WeakMap<Lease, Unwritten>()
  readonly #held = new Set<string>()
  // When the last commit under a lease began, by both clocks: it has renewed the lease.
  readonly #committed = new WeakMap<Lease, {ticks: number; wallMs: number}>()

  constructor(dialect: Dialect, pickChain: PickChain) {
    this.reads = new Reads(dialect)
    this.#pickChain = pickChain
  }

  protected abstract read<Row extends object>(read: Read): Promise<Row[]>

  abstract readChains<T>(work: (reader: ChainReader) => Promise<T>): Promise<T>

  // Writes all in one transaction, or nothing. It is durable when this resolves, if one of the writes has to be.
  protected abstract writeGroup(writes: readonly Write[]): Promise<Outcome[]>

  // Turns a failure of the store into a sentence.
  protected abstract describeFailure(error: unknown): unknown

  // Whether the last group waited in vain for a store that is busy or cannot be reached.
  protected abstract get isAway(): boolean

  // Whether one write of the group may have caused this failure. The others are written without it then.
  protected abstract isOfOne(error: unknown): boolean

  // The clock of this machine.
  protected abstract now(): number

  protected applyGroup(writes: readonly Write[], found: Found, nowMs: number): GroupChanges {
    return new Group(writes, found, nowMs, this.#held).apply(this.#pickChain)
  }

  async find(serviceId: string, key: string): Promise<Payment | undefined> {
    return (await this.findByKey(key)).find((payment) => payment.serviceId === serviceId)
  }

  findByKey(key: string): Promise<Payment[]> {
    return this.select(this.reads.payments([key]), toPayment)
  }

  list(filter: PaymentFilter): Promise<Payment[]> {
    return this.select(this.reads.list(filter), toPayment)
  }

  listPaidTo(query: PaidToQuery): Promise<Payment[]> {
    return this.select(this.reads.paidTo(query), toPayment)
  }

  listPayees(serviceId: string, destinations: readonly string[]): Promise<Payee[]> {
    type Row = {destination: string; firstSeenAt: number | null}
    return this.select(this.reads.payees(serviceId, destinations), ({destination, firstSeenAt}: Row) =>
      firstSeenAt === null ? {destination, isPaid: true} : {destination, isPaid: false, firstSeenAt},
    )
  }

  history(serviceId: string, key: string): Promise<HistoryEntry[]> {
    return this.select(this.reads.history({serviceId, key}), toHistoryEntry)
  }

  listSpentAmounts(serviceId: string, key: string, query: SpendingQuery): Promise<string[]> {
    return this.select(this.reads.spent(serviceId, [key], query), ({amount}: PaymentRow) => amount)
  }

  listDecisions(): Promise<DecisionEntry[]> {
    return this.select(this.reads.decisions(), (line: ChainEntry) => ({
      ...toHistoryEntry(line),
      ...(line.key !== '' && {serviceId: line.serviceId, key: line.key}),
    }))
  }

  async findLeaseHolder(serviceId: string, key: string): Promise<LeaseOwner | undefined> {
    type Row = {owner: string; renewedAt: number; ms: number}
    const [holder] = await this.select(this.reads.holder({serviceId, key}), ({owner, renewedAt, ms}: Row) => {
      const found = readOwner(owner)
      return isLeaseFree(found, renewedAt, ms) ? undefined : found
    })
    return holder
  }

  async acquireLease(intent: Intent, owner: LeaseOwner): Promise<AcquiredLease | HeldLease> {
    return (await this.#write({do: 'acquire', intent, owner})) as AcquiredLease | HeldLease
  }

  async renewLease(lease: Lease): Promise<void> {
    const committed = this.#committed.get(lease)
    const isRecent = (sinceMs: number, nowMs: number) => Math.abs(nowMs - sinceMs) < renewalMs
    if (committed && isRecent(committed.ticks, performance.now()) && isRecent(committed.wallMs, this.now())) return
    await this.#write({do: 'renew', lease})
  }

  async releaseLease(lease: Lease): Promise<void> {
    if (!this.#held.delete(nameLease(lease))) return
    const unwritten = this.#unwritten.get(lease)
    // Whoever waited for the store in vain does not wait once more: the lease ends with the process.
    if (!this.isAway) await this.#write({do: 'release', lease, unwritten})
  }

  async commit(lease: Lease, payment: Payment, entry: Entry, check?: CommitCheck): Promise<Payment> {
    const before = this.#unwritten.get(lease)
    const begun = {ticks: performance.now(), wallMs: this.now()}
    const lines = [...(before?.lines ?? []), {entry, ticks: begun.ticks}]
    if (!check && statesBeforeArming.has(payment.state)) {
      const next = {...payment, updatedAt: Math.max(begun.wallMs, payment.updatedAt + 1)}
      this.#unwritten.set(lease, {payment: next, lines})
      return next
    }
    const {payment: written} = await this.#write({do: 'commit', lease, unwritten: {payment, lines}, check})
    this.#unwritten.delete(lease)
    this.#committed.set(lease, begun)
    if (payment.state === 'CREATED') this.#held.delete(nameLease(lease))
    return written ?? payment
  }

  async recordDecision(decision: Decision): Promise<void> {
    await this.#write({do: 'decide', decision})
  }

  async close(): Promise<void> {
    await this.#writing
  }

  protected async select<Row extends object, T>(read: Read, convert: (row: Row) => T): Promise<T[]> {
    try {
      return (await this.read<Row>(read)).map((row) => convert(row))
    } catch (error) {
      throw this.describeFailure(error)
    }
  }

  async #write(write: Write): Promise<WriteResult & {payment?: Payment}> {
    const outcome = await new Promise<Outcome>((resolve, reject) => {
      this.#waiting.push({write, resolve, reject})
      this.#writing ??= this.#writeWaiting()
    })
    if ('refusal' in outcome) throw outcome.refusal
    return outcome.result
  }

  // What is asked for in these turns, or while the group before is written, is one group.
  async #writeWaiting(): Promise<void> {
    await gather()
    while (this.#waiting.length > 0) {
      await this.#writeTogether(this.#waiting.splice(0, groupMax))
      await gather()
    }
    this.#writing = undefined
  }

  async #writeTogether(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.writeGroup(group.map(({write}) => write))
      for (const [index, {resolve, reject}] of group.entries()) {
        const outcome = outcomes[index]
        if (outcome) resolve(outcome)
        else reject(new Error('a write of the journal has no outcome'))
      }
    } catch (error) {
      if (group.length > 1 && this.isOfOne(error)) for (const one of group) await this.#writeTogether([one])
      else {
        for (const {write, reject} of group) {
          this.#forget(write)
          reject(this.describeFailure(error))
        }
      }
    }
  }

  // Whether a write is in the store is not known if its group failed, so nothing is built on it.
  #forget(write: Write): void {
    if (write.do === 'acquire' && write.lease) this.#held.delete(nameLease(write.lease))
    if (write.do === 'commit') this.#unwritten.delete(write.lease)
  }
}
