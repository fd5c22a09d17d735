// What a group of writes reads, and what it does to the payments: leases, lines and checks, without a store. A write that is refused
// leaves the others of its group alone.
import {randomUUID} from 'node:crypto'
import type {Decision} from '../../controls/decisions.ts'
import {type Payment, spendingStates} from '../protocol/payment.ts'
import {type ChainEntry, type ChainHead, type NewChainEntry, digestText, linkEntry} from './chain.ts'
import {
  type AcquiredLease,
  type CommitCheck,
  type CommitFindings,
  type Entry,
  type HeldLease,
  type Intent,
  type Lease,
  LeaseLost,
  decided,
} from './journal.ts'
import {type LeaseOwner, isLeaseFree, readOwner} from './owner.ts'
import type {Read, Reads} from './reads.ts'
import {
  type LeasedRow,
  type PaymentName,
  namePayment,
  toNewPayment,
  toPayment,
  toPaymentRow,
  toPaymentText,
} from './tables.ts'

// The lines of a payment that are not written yet, each with how long the process had run when it was made, and the payment as the
// last of them left it.
export interface Unwritten {
  payment: Payment
  lines: ReadonlyArray<{entry: Entry; ticks: number}>
}

type PaymentWrite =
  // `lease` is what it has taken, if its group is written.
  | {do: 'acquire'; intent: Intent; owner: LeaseOwner; lease?: Lease}
  | {do: 'renew'; lease: Lease}
  | {do: 'release'; lease: Lease; unwritten?: Unwritten | undefined}
  | {do: 'commit'; lease: Lease; unwritten: Unwritten; check?: CommitCheck | undefined}

export type Write = PaymentWrite | {do: 'decide'; decision: Decision}

export type WriteResult = AcquiredLease | HeldLease | {payment?: Payment}
export type Outcome = {result: WriteResult} | {refusal: unknown}

export interface GroupChanges {
  outcomes: Outcome[]
  inserted: LeasedRow[]
  updated: Array<{before: LeasedRow; after: LeasedRow}>
  lines: ChainEntry[]
  // Those that have moved.
  heads: ChainHead[]
}

// Rows by the name of what has read them.
export type Found = Readonly<Record<string, readonly object[]>>

const isOfPayment = (write: Write): write is PaymentWrite => write.do !== 'decide'
type Checked = PaymentWrite & {do: 'commit'; check: CommitCheck}
const isChecked = (write: Write): write is Checked => write.do === 'commit' && write.check !== undefined

// What nothing is sent or reported before. A lease need not survive a power cut.
export const isDurable = (write: Write) => write.do === 'commit' || write.do === 'decide'

// A decision about no payment has a line with neither a service nor a key.
function getName(write: Write): PaymentName {
  if (write.do === 'acquire') return write.intent
  if (write.do !== 'decide') return write.lease
  const {serviceId = '', key = ''} = write.decision.about
  return {serviceId, key}
}

export const nameLease = ({serviceId, key, epoch}: Lease) => JSON.stringify([serviceId, key, epoch])

const getCurrency = ({spending}: CommitCheck) => spending?.currency.toUpperCase()
const nameSpending = ({lease, check}: Checked) =>
  check.spending && `spent ${JSON.stringify([lease.serviceId, getCurrency(check), check.spending.sinceMs])}`

// Whoever would add to what one of these writes depends on waits until it is written, on whatever host.
export function listLocks(writes: readonly Write[]): string[] {
  const names = writes.flatMap((write) => {
    if (!isOfPayment(write)) return []
    const {serviceId, key} = getName(write)
    const {check} = isChecked(write) ? write : {check: undefined}
    return [
      `key ${key}`,
      ...(check?.transactionId === undefined ? [] : [`transaction ${check.transactionId}`]),
      ...(check?.spending ? [`spending ${serviceId} ${getCurrency(check)}`] : []),
    ]
  })
  return [...new Set(names)]
}

const mayAddLine = (write: Write) => write.do !== 'renew' && (write.do !== 'release' || write.unwritten !== undefined)

export type PickChain = (name: PaymentName) => number

export function buildReads(writes: readonly Write[], reads: Reads, pickChain: PickChain): Record<string, Read> {
  const names = writes.filter(isOfPayment).map(getName)
  const chains = new Set(writes.filter(mayAddLine).map((write) => pickChain(getName(write))))
  const checked = writes.filter(isChecked)
  const transactionIds = checked.flatMap(({check}) => check.transactionId ?? [])
  const needed: Record<string, Read> = {}
  if (names.length > 0) needed['rows'] = reads.payments([...new Set(names.map(({key}) => key))])
  if (transactionIds.length > 0) {
    const serviceIds = new Set(checked.map(({lease}) => lease.serviceId))
    needed['owners'] = reads.owners([...serviceIds], transactionIds)
  }
  if (checked.some(({check}) => check.readsPolicyMark)) needed['policyMark'] = reads.policyMark()
  for (const write of checked) {
    const {lease, check} = write
    const name = nameSpending(write)
    if (!check.spending || name === undefined) continue
    const own = checked.filter((each) => each.lease.serviceId === lease.serviceId).map((each) => each.lease.key)
    needed[name] ??= reads.spent(lease.serviceId, own, check.spending)
  }
  if (chains.size > 0) needed['heads'] = reads.heads([...chains])
  return needed
}

// A lease that was written more recently than this is not renewed again.
export const renewalMs = 10_000

// What a write does: the row as it is afterwards, if it differs, and new lines of the history.
interface Change {
  result: WriteResult
  row?: LeasedRow
  lines?: readonly NewChainEntry[]
}

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
  payment: text === undefined ? null : digestText(text),
})

// Its id tells it from another one that says the same.
function createDecisionLine(decision: Decision, name: PaymentName, at: number): NewChainEntry {
  const {serviceId: _service, key: _key, ...others} = decision.about
  const {user, host, signer} = decision.who
  const detail = {
    id: randomUUID(),
    kind: decision.kind,
    ...others,
    user,
    host,
    ...(signer !== undefined && {signer}),
    ...(decision.why !== undefined && {why: decision.why}),
    ...(decision.data && {data: decision.data}),
  }
  return createLine(name, {what: decided, detail}, at)
}

const freed = {owner: null, renewedAt: null}

export class Group {
  readonly #writes: readonly Write[]
  readonly #found: Found
  readonly #nowMs: number
  // The leases that are in use in this process.
  readonly #held: Set<string>
  // The rows as the writes before have left them.
  readonly #rows: Map<string, LeasedRow>

  constructor(writes: readonly Write[], found: Found, nowMs: number, held: Set<string>) {
    this.#writes = writes
    this.#found = found
    this.#nowMs = nowMs
    this.#held = held
    this.#rows = new Map(this.#read<LeasedRow>('rows').map((row) => [namePayment(row), row]))
  }

  #read<Row extends object>(name: string): readonly Row[] {
    return (this.#found[name] ?? []) as readonly Row[]
  }

  // Applies the writes in their order.
  apply(pickChain: PickChain): GroupChanges {
    const heads = new Map(this.#read<ChainHead>('heads').map((head) => [head.chain, {...head}]))
    const before = new Map(this.#rows)
    const lines: ChainEntry[] = []
    const outcomes = this.#writes.map((write): Outcome => {
      const name = getName(write)
      let change: Change
      try {
        change = this.#applyOne(write)
      } catch (refusal) {
        return {refusal}
      }
      if (change.row) this.#rows.set(namePayment(name), change.row)
      for (const line of change.lines ?? []) {
        const head = heads.get(pickChain(name))
        if (!head) throw new Error(`the journal has no chain ${pickChain(name)}`)
        lines.push(linkEntry(head, line))
      }
      return {result: change.result}
    })
    const changed = [...this.#rows].map(([name, after]) => ({before: before.get(name), after}))
    const moved = new Set(lines.map(({chain}) => chain))
    return {
      outcomes,
      inserted: changed.flatMap((row) => (row.before ? [] : row.after)),
      updated: changed.flatMap((row) => (row.before && row.before !== row.after ? {...row, before: row.before} : [])),
      lines,
      heads: [...heads.values()].filter(({chain}) => moved.has(chain)),
    }
  }

  #applyOne(write: Write): Change {
    const nowMs = this.#nowMs
    const name = getName(write)
    if (write.do === 'decide') return {result: {}, lines: [createDecisionLine(write.decision, name, nowMs)]}
    const row = this.#rows.get(namePayment(name))
    if (write.do === 'acquire') return this.#acquire(write, row)
    const {lease} = write
    const isHeld = row?.owner && row.epoch === lease.epoch && readOwner(row.owner).run === lease.owner.run
    if (!isHeld && write.do === 'release') return {result: {}}
    if (!isHeld) {
      this.#held.delete(nameLease(lease))
      throw new LeaseLost(lease)
    }
    if (write.do === 'renew') {
      return {result: {}, ...(nowMs - (row.renewedAt ?? 0) >= renewalMs && {row: {...row, renewedAt: nowMs}})}
    }
    if (!write.unwritten) return {result: {}, row: {...row, ...freed}}
    if (isChecked(write)) write.check.judge(this.#collectFindings(write))
    return this.#change(row, write.unwritten, write.do === 'release')
  }

  #change(row: LeasedRow, {payment: changed, lines}: Unwritten, isReleased: boolean): Change {
    const times = lines.map(({ticks}) => this.#nowMs - Math.max(0, Math.round(performance.now() - ticks)))
    // Each change is later than the one before, so that a process that waits can see it.
    const updatedAt = times.reduce((before, at) => Math.max(at, before + 1), row.updatedAt)
    const payment = {...changed, createdAt: row.createdAt, updatedAt}
    const text = toPaymentText(payment)
    const isFreed = isReleased || payment.state === 'CREATED'
    return {
      result: {payment},
      row: {...row, ...toPaymentRow(payment, text), ...(isFreed ? freed : {renewedAt: this.#nowMs})},
      lines: lines.map(({entry}, index) =>
        createLine(payment, entry, times[index] ?? this.#nowMs, index === lines.length - 1 ? text : undefined),
      ),
    }
  }

  #acquire(write: PaymentWrite & {do: 'acquire'}, row: LeasedRow | undefined): Change {
    const {intent, owner} = write
    const nowMs = this.#nowMs
    const payment = row ? toPayment(row) : {...toNewPayment(intent), createdAt: nowMs, updatedAt: nowMs}
    const holder = row?.owner ? readOwner(row.owner) : undefined
    if (row && holder && !this.#isFree(row, holder, owner)) return {result: {heldBy: holder, payment}}
    const {serviceId, key} = intent
    const lease: Lease = {serviceId, key, epoch: (row?.epoch ?? 0) + 1, owner}
    this.#held.add(nameLease(lease))
    write.lease = lease
    const text = row?.payment ?? toPaymentText(payment)
    const taken = {epoch: lease.epoch, owner: JSON.stringify(owner), renewedAt: nowMs}
    const takenOver = holder && {what: 'TAKEN_OVER', detail: {host: holder.host, pid: holder.pid}}
    const entry = row ? takenOver : {what: 'INTENDED'}
    return {
      result: {lease, payment},
      row: {...(row ?? toPaymentRow(payment, text)), ...taken},
      lines: entry ? [createLine(lease, entry, nowMs, row ? undefined : text)] : [],
    }
  }

  // One that the store has for a run of this process, and that is not in use here, could not be returned or was taken by a write that
  // was not answered: the run may take it again.
  #isFree({serviceId, key, epoch, renewedAt}: LeasedRow, holder: LeaseOwner, asking: LeaseOwner): boolean {
    const isLeft = holder.run === asking.run && !this.#held.has(nameLease({serviceId, key, epoch, owner: holder}))
    return isLeft || isLeaseFree(holder, renewedAt ?? 0, this.#nowMs)
  }

  // What was read for the whole group, and what the commits before this one have changed about it.
  #collectFindings(write: Checked): CommitFindings {
    const {lease, check} = write
    const {serviceId, key} = lease
    const judged = new Set(this.#writes.filter(isChecked).map((each) => namePayment(each.lease)))
    const others = [...judged].flatMap((name) => this.#rows.get(name) ?? []).filter((row) => row.key !== key)
    const stored = this.#read<LeasedRow>('owners').filter((owner) => !judged.has(namePayment(owner)))
    const isOfService = (row: LeasedRow) => row.serviceId === serviceId
    const [mark] = this.#read<{mark: number}>('policyMark')
    return {
      spentAmounts: [
        ...this.#read<{amount: string}>(nameSpending(write) ?? ''),
        ...others.filter((row) => isOfService(row) && isSpent(row, check)),
      ].map(({amount}) => amount),
      elsewhere: this.#read<LeasedRow>('rows')
        .filter((row) => row.key === key && !isOfService(row))
        .map(toPayment),
      owners: [...stored, ...others]
        .filter((row) => isOfService(row) && row.transactionId !== null && row.transactionId === check.transactionId)
        .map(toPayment),
      policyMark: check.readsPolicyMark ? (mark?.mark ?? 0) : 0,
    }
  }
}

// Whether a payment counts for what a check asks.
const isSpent = ({currency, spentAt, state}: LeasedRow, check: CommitCheck): boolean =>
  check.spending !== undefined &&
  spentAt !== null &&
  spentAt >= check.spending.sinceMs &&
  spendingStates.some((each) => each === state) &&
  (currency === '' || currency === getCurrency(check))
