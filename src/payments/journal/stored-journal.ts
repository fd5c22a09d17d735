// The journal over a store. Writes enter a queue; what waits is written as one group, in one
// transaction and with one sync, so a payment alone is a group of one. A store says how it reads
// and how a group is written.
import {randomUUID} from 'node:crypto'
import {setImmediate as nextTurn} from 'node:timers/promises'
import type {SpendingQuery, SpentSum} from '../../controls/check-spending.ts'
import type {Decision} from '../../controls/decisions.ts'
import {type Payee, readSeenPayees, toPayeeSubject} from '../../controls/new-payees.ts'
import {type Payment, deriveCorrelationId} from '../protocol/payment.ts'
import {type ChainEntry, type ChainReader, type NewChainEntry, digestPayment} from './chain.ts'
import type {Change, Outcome, Write} from './group.ts'
import {
  type AcquiredLease,
  type CommitCheck,
  type Entry,
  type HeldLease,
  type HistoryEntry,
  type Intent,
  type Journal,
  JournalUnusable,
  type Lease,
  LeaseLost,
  type ListName,
  type ListProof,
  type ListedId,
  type PaidToQuery,
  type PaymentFilter,
  type RecalledList,
  decisionLine,
} from './journal.ts'
import {type LeaseOwner, isLeaseFree, readOwner} from './owner.ts'
import {toPaymentText} from './payment-text.ts'
import {type Read, Reads} from './reads.ts'
import {type SpendingRow, SpendingSums} from './spending.ts'
import {
  type Dialect,
  type LeasedRow,
  type PaymentName,
  type PaymentRow,
  type PickChain,
  type RowOf,
  toNewPayment,
  toPayment,
  toPaymentRow,
  toSpender,
} from './tables.ts'

const groupMax = 500
// A lease that was written more recently than this is not renewed again.
const renewalMs = 10_000

interface Waiting {
  write: Write
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

// A moment by both clocks of this machine: how long the process has run, and the time.
interface Moment {
  ticks: number
  wallMs: number
}

// Lines of a payment that are not written yet, each with how long the process had run when it was
// made, and the payment as the last of them left it.
interface Unwritten {
  payment: Payment
  lines: ReadonlyArray<{entry: Entry; ticks: number}>
}

// Facts that this process keeps of a lease that it uses. The last commit under a lease has renewed
// it.
interface UsedLease {
  noted?: Unwritten
  committed?: Moment
}

const toHistoryEntry = ({at, what, detail}: ChainEntry): HistoryEntry => ({
  at,
  what,
  ...(detail !== null && {detail: JSON.parse(detail) as NonNullable<Entry['detail']>}),
})

// The last line of a change covers the payment.
const createLine = (
  {serviceId, key}: PaymentName,
  {what, detail}: Entry,
  at: number,
  text?: string,
): NewChainEntry => ({
  serviceId,
  key,
  at,
  what,
  detail: detail ? JSON.stringify(detail) : null,
  payment: text === undefined ? null : digestPayment(text),
})

// Its id tells it from another one that says the same.
function toDecisionDetail({kind, about, who, why, data}: Decision): NonNullable<Entry['detail']> {
  const {serviceId: _service, key: _key, ...others} = about
  const {user, host, signer} = who
  const optional = {...(signer !== undefined && {signer}), ...(why !== undefined && {why}), ...(data && {data})}
  return {id: randomUUID(), kind, ...others, user, host, ...optional}
}

const nameLease = ({serviceId, key, epoch}: Pick<Lease, 'serviceId' | 'key' | 'epoch'>) =>
  JSON.stringify([serviceId, key, epoch])

const isHeldUnder = (row: LeasedRow | undefined, {epoch, owner}: Lease): row is LeasedRow =>
  row !== undefined && row.owner !== null && row.epoch === epoch && readOwner(row.owner).run === owner.run

const noLease = {owner: null, renewedAt: null}

const addLine = (noted: Unwritten | undefined, payment: Payment, entry: Entry, {ticks}: Moment): Unwritten => ({
  payment,
  lines: [...(noted?.lines ?? []), {entry, ticks}],
})

function changePayment(row: LeasedRow, {payment: next, lines}: Unwritten, nowMs: number, isReleased = false) {
  const times = lines.map(({ticks}) => nowMs - Math.max(0, Math.round(performance.now() - ticks)))
  // Each change is later than the one before, so that a process that waits can see it.
  const updatedAt = times.reduce((before, at) => Math.max(at, before + 1), row.updatedAt)

  const payment = {...next, createdAt: row.createdAt, updatedAt}
  const text = toPaymentText(payment)
  const isFree = isReleased || payment.state === 'CREATED'
  return {
    result: payment,
    row: {...row, ...toPaymentRow(payment, text), ...(isFree ? noLease : {renewedAt: nowMs})},
    lines: lines.map(({entry}, index) =>
      createLine(payment, entry, times[index] ?? nowMs, index === lines.length - 1 ? text : undefined),
    ),
  }
}

export abstract class StoredJournal implements Journal {
  protected readonly reads: Reads
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined
  readonly #used = new Map<string, UsedLease>()
  // Whether the store was last waited for in vain.
  #isAway = false
  readonly #pickChain: PickChain
  // The clock of this machine, in milliseconds.
  readonly #now: () => number

  constructor(dialect: Dialect, pickChain: PickChain, now: () => number) {
    this.reads = new Reads(dialect)
    this.#pickChain = pickChain
    this.#now = now
  }

  protected abstract read<Row extends object>(read: Read): Promise<Row[]>

  // Reads the chains and the payments that they cover, as they are stored. The journal may be
  // written meanwhile: all that is read is of one moment.
  abstract readChains<T>(work: (reader: ChainReader) => Promise<T>): Promise<T>

  // Writes the whole group in one transaction, or none of it.
  protected abstract writeGroup(writes: readonly Write[]): Promise<Outcome[]>

  // Waits until everything that was committed is on the disk. Does nothing where a commit has
  // waited for that already.
  protected async sync(): Promise<void> {}

  // Stores both in one transaction, or neither. It need not survive a power cut.
  protected abstract storeProof(
    proof: RowOf<'listProofs'>,
    unrecorded: ReadonlyArray<RowOf<'unrecorded'>>,
  ): Promise<void>

  protected abstract describeFailure(error: unknown): unknown

  // Whether one write of the group may have caused this failure. The others are written without it
  // then.
  protected abstract isOfOne(error: unknown): boolean

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
    return this.select(this.reads.paidTo([query]), toPayment)
  }

  async listPayees(serviceId: string, destinations: readonly string[]): Promise<Payee[]> {
    const readDestination = ({destination}: Pick<PaymentRow, 'destination'>) => destination
    const isPaid = new Set(await this.select(this.reads.paidPayees(serviceId, destinations), readDestination))
    const lines = await this.select(this.reads.decisionsAbout(destinations.map(toPayeeSubject)), toHistoryEntry)
    const firstSeen = readSeenPayees(serviceId, lines)
    return [...new Set([...isPaid, ...firstSeen.keys()])].map((destination) => ({
      destination,
      isPaid: isPaid.has(destination),
      firstSeenAt: firstSeen.get(destination),
    }))
  }

  history(serviceId: string, key: string): Promise<HistoryEntry[]> {
    return this.select(this.reads.history({serviceId, key}), toHistoryEntry)
  }

  async sumSpent(serviceId: string, query: SpendingQuery, otherThan?: string): Promise<SpentSum> {
    const toRow = <Row>(row: Row) => row
    const named = otherThan === undefined ? [] : await this.select(this.reads.payments([otherThan]), toRow<LeasedRow>)
    const own = named.find((row) => row.serviceId === serviceId)
    const sums = await this.select(this.reads.spent([{...query, serviceId}]), toRow<SpendingRow>)
    return new SpendingSums(sums, this.#pickChain).addUp(serviceId, query, own)
  }

  listDecisions(): Promise<HistoryEntry[]> {
    return this.select(this.reads.decisions(), toHistoryEntry)
  }

  async findLeaseHolder(serviceId: string, key: string): Promise<LeaseOwner | undefined> {
    return (await this.listLeaseHolders(serviceId, [key])).get(key)
  }

  async listLeaseHolders(serviceId: string, keys: readonly string[]): Promise<ReadonlyMap<string, LeaseOwner>> {
    type Row = {key: string; owner: string; renewedAt: number; ms: number}
    const held = await this.select(this.reads.holders(serviceId, keys), ({key, owner, renewedAt, ms}: Row) => {
      const holder = readOwner(owner)
      return isLeaseFree(holder, renewedAt, ms) ? [] : [[key, holder] as const]
    })
    return new Map(held.flat())
  }

  acquireLease(intent: Intent, owner: LeaseOwner): Promise<AcquiredLease | HeldLease> {
    let taken: Lease | undefined
    const forget = () => taken && this.#used.delete(nameLease(taken))
    return this.#write<AcquiredLease | HeldLease>({
      name: intent,
      isLogged: true,
      apply: (row, nowMs) => {
        // A group may be applied again, if its commit was not answered.
        forget()
        const change = this.#takeLease(row, intent, owner, nowMs)
        if ('lease' in change.result) taken = change.result.lease
        return change
      },
      forget,
    })
  }

  #takeLease(
    row: LeasedRow | undefined,
    intent: Intent,
    owner: LeaseOwner,
    nowMs: number,
  ): Change<AcquiredLease | HeldLease> {
    const payment = row ? toPayment(row) : {...toNewPayment(intent), createdAt: nowMs, updatedAt: nowMs}
    const holder = row?.owner ? readOwner(row.owner) : undefined
    if (row && holder && !this.#isFree(row, holder, owner, nowMs)) return {result: {heldBy: holder, payment}}

    const {serviceId, key} = intent
    const lease: Lease = {serviceId, key, epoch: (row?.epoch ?? 0) + 1, owner}
    this.#used.set(nameLease(lease), {})

    const text = row?.payment ?? toPaymentText(payment)
    const columns = {epoch: lease.epoch, owner: JSON.stringify(owner), renewedAt: nowMs}
    const takeover = holder && {what: 'TAKEN_OVER', detail: {host: holder.host, pid: holder.pid}}
    const entry = row ? takeover : {what: 'INTENDED'}
    return {
      result: {lease, payment},
      row: {...(row ?? toPaymentRow(payment, text)), ...columns},
      lines: entry ? [createLine(lease, entry, nowMs, row ? undefined : text)] : [],
    }
  }

  // A lease that the store has for a run of this process, and that is not in use here, could not be
  // returned or was taken by a write that was not answered: the run may take it again.
  #isFree(row: LeasedRow, holder: LeaseOwner, asking: LeaseOwner, nowMs: number): boolean {
    const isLeft = holder.run === asking.run && !this.#used.has(nameLease(row))
    return isLeft || isLeaseFree(holder, row.renewedAt ?? 0, nowMs)
  }

  #requireHeld(row: LeasedRow | undefined, lease: Lease): LeasedRow {
    if (isHeldUnder(row, lease)) return row
    this.#used.delete(nameLease(lease))
    throw new LeaseLost(lease)
  }

  async renewLease(lease: Lease): Promise<void> {
    const {committed} = this.#used.get(nameLease(lease)) ?? {}
    const isRecent = (sinceMs: number, nowMs: number) => Math.abs(nowMs - sinceMs) < renewalMs
    if (committed && isRecent(committed.ticks, performance.now()) && isRecent(committed.wallMs, this.#now())) return
    await this.#write<void>({
      name: lease,
      isLogged: false,
      apply: (found, nowMs) => {
        const row = this.#requireHeld(found, lease)
        return {result: undefined, ...(nowMs - (row.renewedAt ?? 0) >= renewalMs && {row: {...row, renewedAt: nowMs}})}
      },
    })
  }

  async releaseLease(lease: Lease): Promise<void> {
    const used = this.#used.get(nameLease(lease))
    this.#used.delete(nameLease(lease))
    // Whoever waited for the store in vain does not wait once more: the lease ends with the
    // process.
    if (!used || this.#isAway) return

    const {noted} = used
    await this.#write<unknown>({
      name: lease,
      isLogged: noted !== undefined,
      ...(noted && {spender: toSpender(noted.payment)}),
      apply: (row, nowMs) => {
        if (!isHeldUnder(row, lease)) return {result: undefined}
        return noted ? changePayment(row, noted, nowMs, true) : {result: undefined, row: {...row, ...noLease}}
      },
    })
  }

  #readClocks(): Moment {
    return {ticks: performance.now(), wallMs: this.#now()}
  }

  note(lease: Lease, payment: Payment, entry: Entry): Payment {
    const used = this.#used.get(nameLease(lease))
    if (!used) throw new LeaseLost(lease)
    const moment = this.#readClocks()
    const next = {...payment, updatedAt: Math.max(moment.wallMs, payment.updatedAt + 1)}
    used.noted = addLine(used.noted, next, entry, moment)
    return next
  }

  async commit(lease: Lease, payment: Payment, entry: Entry, check?: CommitCheck): Promise<Payment> {
    const used: UsedLease = this.#used.get(nameLease(lease)) ?? {}
    const begun = this.#readClocks()
    const unwritten = addLine(used.noted, payment, entry, begun)

    const latest = await this.#write<Payment>({
      name: lease,
      isDurable: true,
      isLogged: true,
      spender: toSpender(payment),
      check,
      apply: (found, nowMs, judge) => {
        const row = this.#requireHeld(found, lease)
        judge()
        return changePayment(row, unwritten, nowMs)
      },
      // Nothing is built on what may not be in the store.
      forget: () => delete used.noted,
    })

    delete used.noted
    used.committed = begun
    if (payment.state === 'CREATED') this.#used.delete(nameLease(lease))
    return latest
  }

  // A decision about no payment has a line with neither a service nor a key.
  recordDecision(decision: Decision): Promise<void> {
    const {serviceId = '', key = ''} = decision.about
    const name = {serviceId, key}
    const entry = {what: decisionLine, detail: toDecisionDetail(decision)}
    const apply = (_: unknown, nowMs: number) => ({result: undefined, lines: [createLine(name, entry, nowMs)]})
    return this.#write<void>({name, isDurable: true, isLogged: true, apply})
  }

  async recallList(name: ListName, correlationId: string): Promise<RecalledList | undefined> {
    type Row = RowOf<'listProofs'> & {isUnrecorded: number}
    const toRecalled = ({untilMs, sinceMs, heads, isAgreed, isUnrecorded}: Row): RecalledList => ({
      untilMs,
      sinceMs,
      heads: JSON.parse(heads) as string[],
      isAgreed: isAgreed === 1,
      isUnrecorded: isUnrecorded === 1,
    })
    return (await this.select(this.reads.listProof(name, correlationId), toRecalled))[0]
  }

  // A payment that was recorded as made stays so, so its transaction needs no keeping, whatever
  // happens before the proof is stored. One that a person gave to another key is kept.
  async rememberList({serviceId, customerId}: ListName, proof: ListProof, seen: readonly ListedId[]): Promise<void> {
    type Made = {key: string; transactionId: string}
    const ids = seen.map(({transactionId}) => transactionId)
    const nameMade = ({key, transactionId}: Made) => `${transactionId} ${deriveCorrelationId(serviceId, key)}`
    const made = new Set(ids.length === 0 ? [] : await this.select(this.reads.made(serviceId, ids), nameMade))
    const unrecorded = seen.filter(({transactionId, correlationId}) => !made.has(`${transactionId} ${correlationId}`))
    const {untilMs, sinceMs, heads, isAgreed} = proof
    const times = {untilMs, sinceMs}
    const row = {serviceId, customerId, ...times, heads: JSON.stringify(heads), isAgreed: isAgreed ? 1 : 0}
    const names = new Set(unrecorded.map(({correlationId}) => correlationId))
    try {
      await this.storeProof(
        row,
        [...names].map((correlationId) => ({serviceId, correlationId})),
      )
    } catch (error) {
      throw this.#noteFailure(error)
    }
  }

  async close(): Promise<void> {
    await this.#writing
  }

  protected async select<Row extends object, T>(read: Read, convert: (row: Row) => T): Promise<T[]> {
    try {
      return (await this.read<Row>(read)).map((row) => convert(row))
    } catch (error) {
      throw this.#noteFailure(error)
    }
  }

  #noteFailure(error: unknown): unknown {
    const failure = this.describeFailure(error)
    this.#isAway = failure instanceof JournalUnusable && failure.problem !== undefined
    return failure
  }

  async #write<Result>(write: Write<Result>): Promise<Result> {
    const outcome = await new Promise<Outcome>((resolve, reject) => {
      this.#waiting.push({write, resolve, reject})
      this.#writing ??= this.#writeWaiting()
    })
    if ('refusal' in outcome) throw outcome.refusal
    if (write.isDurable) {
      await this.sync().catch((error: unknown) => {
        write.forget?.()
        throw this.#noteFailure(error)
      })
    }
    return outcome.result as Result
  }

  // Writes that are asked for in the same turn of the event loop, or while another group is being
  // written, go into one group.
  async #writeWaiting(): Promise<void> {
    await nextTurn()
    while (this.#waiting.length > 0) {
      await this.#writeTogether(this.#waiting.splice(0, groupMax))
      await nextTurn()
    }
    this.#writing = undefined
  }

  async #writeTogether(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.writeGroup(group.map(({write}) => write))
      this.#isAway = false
      for (const [index, {resolve, reject}] of group.entries()) {
        const outcome = outcomes[index]
        if (outcome) resolve(outcome)
        else reject(new Error('a write of the journal has no outcome'))
      }
    } catch (error) {
      if (group.length > 1 && this.isOfOne(error)) for (const one of group) await this.#writeTogether([one])
      else {
        const failure = this.#noteFailure(error)
        for (const {write, reject} of group) {
          write.forget?.()
          reject(failure)
        }
      }
    }
  }
}
