// The one write path of the journal. All writes enter a queue; what waits is written as one group, in one transaction and with one
// sync, so a payment alone is a group of one. A store says how a group is written; what a write does to its payment is said here.
import {setImmediate as nextTurn} from 'node:timers/promises'
import type {Decision} from '../../controls/decisions.ts'
import type {Payment, PaymentState} from '../protocol/payment.ts'
import {type NewChainEntry, type PaymentName, digestText} from './chain.ts'
import {
  type AcquiredLease,
  type CommitCheck,
  type DecisionLine,
  type Entry,
  type HeldLease,
  type Intent,
  type Lease,
  LeaseLost,
  toDecisionLine,
  toNewPayment,
  toPaymentText,
} from './journal.ts'
import {type LeaseOwner, isLeaseFree} from './owner.ts'

// A line of a payment's history, and how long the process has run when it was made.
interface MadeLine {
  entry: Entry
  ticks: number
}

// The lines of a payment that are not written yet, and the payment as the last of them left it.
interface Unwritten {
  payment: Payment
  lines: readonly MadeLine[]
}

export type PaymentWrite =
  // `lease` is what it has taken, if its group is written.
  | {do: 'acquire'; intent: Intent; owner: LeaseOwner; lease?: Lease}
  | {do: 'renew'; lease: Lease}
  | {do: 'release'; lease: Lease; unwritten?: Unwritten | undefined}
  | {do: 'commit'; lease: Lease; unwritten: Unwritten; check?: CommitCheck | undefined}

export type Write = PaymentWrite | {do: 'decide'; line: DecisionLine}

// A payment and its lease, as a store has them.
export interface LeasedRow {
  payment: Payment
  epoch: number
  owner?: LeaseOwner | undefined
  renewedAt: number
}

type WriteResult = AcquiredLease | HeldLease | {payment?: Payment}

// What a write does: the row as it is afterwards, if it differs, and new lines of the history.
export interface Change {
  result: WriteResult
  row?: LeasedRow
  // The text of the payment, if it differs and not its lease alone.
  text?: string
  lines: readonly NewChainEntry[]
}

// A write that is refused leaves the others of its group alone.
export type Outcome = {result: WriteResult} | {refusal: unknown}

// The last line of a change covers the payment.
function createLine(
  {serviceId, key}: PaymentName,
  {what, detail}: Entry,
  at: number,
  paymentText?: string,
): NewChainEntry {
  const payment = paymentText === undefined ? null : digestText(paymentText)
  return {serviceId, key, at, what, detail: detail ? JSON.stringify(detail) : null, payment}
}

export const createDecisionLine = ({serviceId, key, entry}: DecisionLine, at: number): NewChainEntry =>
  createLine({serviceId, key}, entry, at)

const nameLease = ({serviceId, key, epoch}: Lease) => JSON.stringify([serviceId, key, epoch])

export const getPaymentName = (write: PaymentWrite): PaymentName =>
  write.do === 'acquire' ? write.intent : write.lease

// What nothing is sent or reported before.
export const isDurable = (write: Write) => write.do === 'commit' || write.do === 'decide'

const statesBeforeArming: ReadonlySet<PaymentState> = new Set(['INTENDED', 'QUOTED'])

// A lease that was written more recently than this is not renewed again.
const renewalMs = 10_000
const groupMax = 500

interface Waiting {
  write: Write
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

export abstract class QueuedJournal {
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined
  readonly #unwritten = new WeakMap<Lease, Unwritten>()
  // The leases that are in use here. One that the store has for a run of this process, and that is not among them, could not be
  // returned or was taken by a write that was not answered: the run may take it again.
  readonly #held = new Set<string>()
  // When the last commit of a lease began, by both clocks: one stops while the machine sleeps, the other may be set.
  readonly #committed = new WeakMap<Lease, {ticks: number; wallMs: number}>()

  // Writes all of the group or nothing, except what is refused. May call applyWrite several times for the same write.
  protected abstract writeGroup(writes: readonly Write[]): Promise<Outcome[]>

  // Whether the last group waited in vain for a store that is busy or cannot be reached.
  protected abstract get isAway(): boolean

  // Whether one write of the group may have caused this failure. The others are written without it then.
  protected abstract isOfOne(error: unknown): boolean

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
    await this.#write({do: 'decide', line: toDecisionLine(decision)})
  }

  async close(): Promise<void> {
    await this.#writing
  }

  protected abstract now(): number

  // Throws if the write may not be made. `judge` is called with the check of a commit, when its lease is known to be held.
  protected applyWrite(
    write: PaymentWrite,
    row: LeasedRow | undefined,
    nowMs: number,
    judge: (check: CommitCheck) => void,
  ): Change {
    if (write.do === 'acquire') return this.#acquire(write, row, nowMs)
    const {lease} = write
    const isHeld = row !== undefined && row.epoch === lease.epoch && row.owner?.run === lease.owner.run
    if (!isHeld && write.do === 'release') return {result: {}, lines: []}
    if (!isHeld) {
      this.#held.delete(nameLease(lease))
      throw new LeaseLost(lease)
    }
    const renewed = {...row, renewedAt: nowMs}
    if (write.do === 'renew') {
      return nowMs - row.renewedAt < renewalMs ? {result: {}, lines: []} : {result: {}, row: renewed, lines: []}
    }
    const {unwritten} = write
    if (!unwritten) return {result: {}, row: {...row, owner: undefined}, lines: []}
    if (write.do === 'commit' && write.check) judge(write.check)
    const {lines} = unwritten
    const times = lines.map(({ticks}) => nowMs - Math.max(0, Math.round(performance.now() - ticks)))
    // Each change is later than the one before, so that a process that waits can see it.
    const updatedAt = times.reduce((before, at) => Math.max(at, before + 1), row.payment.updatedAt)
    const payment = {...unwritten.payment, createdAt: row.payment.createdAt, updatedAt}
    const text = toPaymentText(payment)
    const endsLease = write.do === 'release' || payment.state === 'CREATED'
    return {
      result: {payment},
      row: {...renewed, payment, owner: endsLease ? undefined : row.owner},
      text,
      lines: lines.map(({entry}, index) =>
        createLine(lease, entry, times[index] ?? nowMs, index === lines.length - 1 ? text : undefined),
      ),
    }
  }

  #acquire(write: PaymentWrite & {do: 'acquire'}, row: LeasedRow | undefined, nowMs: number): Change {
    const {intent, owner} = write
    const payment = row?.payment ?? {...toNewPayment(intent), createdAt: nowMs, updatedAt: nowMs}
    const holder = row?.owner
    if (row && holder && !this.#isFree(row, holder, owner, nowMs)) return {result: {heldBy: holder, payment}, lines: []}
    const {serviceId, key} = intent
    const lease: Lease = {serviceId, key, epoch: (row?.epoch ?? 0) + 1, owner}
    this.#held.add(nameLease(lease))
    write.lease = lease
    const taken = {result: {lease, payment}, row: {payment, epoch: lease.epoch, owner, renewedAt: nowMs}}
    if (!row) {
      const text = toPaymentText(payment)
      return {...taken, text, lines: [createLine(lease, {what: 'INTENDED'}, nowMs, text)]}
    }
    const takenOver = holder && {what: 'TAKEN_OVER', detail: {host: holder.host, pid: holder.pid}}
    return {...taken, lines: takenOver ? [createLine(lease, takenOver, nowMs)] : []}
  }

  #isFree({payment, epoch, renewedAt}: LeasedRow, holder: LeaseOwner, asking: LeaseOwner, nowMs: number): boolean {
    const isLeft = holder.run === asking.run && !this.#held.has(nameLease({...payment, epoch, owner: holder}))
    return isLeft || isLeaseFree(holder, renewedAt, nowMs)
  }

  async #write(write: Write): Promise<WriteResult & {payment?: Payment}> {
    const outcome = await new Promise<Outcome>((resolve, reject) => {
      this.#waiting.push({write, resolve, reject})
      this.#writing ??= this.#writeWaiting()
    })
    if ('refusal' in outcome) throw outcome.refusal
    return outcome.result
  }

  // What was asked for in one turn, or while the group before it was written, is one group.
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
          reject(error)
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
