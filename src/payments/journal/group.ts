// A group of writes: what it locks and reads, and what it does to the payments and the history, without a store. A write that is
// refused leaves the others of its group alone.
import {type Payment, spendingStates} from '../protocol/payment.ts'
import {type ChainEntry, type ChainHead, type NewChainEntry, linkEntry} from './chain.ts'
import type {CommitCheck, CommitFindings} from './journal.ts'
import type {Read, Reads} from './reads.ts'
import {type LeasedRow, type PaymentName, namePayment, toAmountColumn, toPayment} from './tables.ts'

// What a write does: the row as it is afterwards, if it differs, and new lines of the history.
export interface Change<Result> {
  result: Result
  row?: LeasedRow
  lines?: readonly NewChainEntry[]
}

export interface Write<Result = unknown> {
  // Of a decision about no payment, both are empty.
  name: PaymentName
  // Whether something is sent or reported after it. A lease need not survive a power cut.
  isDurable?: true
  // Whether it may add lines to the history.
  isLogged: boolean
  check?: CommitCheck | undefined
  // From the row as the writes before it have left it. `judge` throws if the check refuses it.
  apply: (row: LeasedRow | undefined, nowMs: number, judge: () => void) => Change<Result>
  // Called if it is not known whether its group was written.
  forget?: () => void
}

export type Outcome = {result: unknown} | {refusal: unknown}

export interface GroupChanges {
  outcomes: Outcome[]
  inserted: LeasedRow[]
  updated: Array<{before: LeasedRow; after: LeasedRow}>
  lines: ChainEntry[]
  heads: ChainHead[]
}

// Rows by the name of what has read them.
export type Found = Readonly<Record<string, readonly object[]>>

type CheckedWrite = Write & {check: CommitCheck}
const isChecked = (write: Write): write is CheckedWrite => write.check !== undefined

const getCurrency = ({spending}: CommitCheck) => spending?.currency.toUpperCase()
const nameSpending = ({name, check}: CheckedWrite) =>
  check.spending && `spent ${JSON.stringify([name.serviceId, getCurrency(check), check.spending.sinceMs])}`

// Whoever would add to what one of these writes depends on waits until it is written, on whatever host.
export function listLocks(writes: readonly Write[]): string[] {
  const names = writes.flatMap(({name: {serviceId, key}, check}) => [
    `key ${key}`,
    ...(check?.transactionId === undefined ? [] : [`transaction ${check.transactionId}`]),
    ...(check?.spending ? [`spending ${serviceId} ${getCurrency(check)}`] : []),
    ...(check?.paidTo ? [`payee ${serviceId} ${check.paidTo.destination}`] : []),
  ])
  return [...new Set(names)]
}

export type PickChain = (name: PaymentName) => number

export function buildReads(writes: readonly Write[], reads: Reads, pickChain: PickChain): Record<string, Read> {
  const keys = new Set(writes.map(({name}) => name.key))
  const chains = new Set(writes.filter(({isLogged}) => isLogged).map(({name}) => pickChain(name)))
  const checked = writes.filter(isChecked)
  const transactionIds = checked.flatMap(({check}) => check.transactionId ?? [])
  const needed: Record<string, Read> = {rows: reads.payments([...keys])}
  if (transactionIds.length > 0) {
    const serviceIds = new Set(checked.map(({name}) => name.serviceId))
    needed['owners'] = reads.owners([...serviceIds], transactionIds)
  }
  const paidTo = checked.flatMap(({name: {serviceId}, check}) => (check.paidTo ? {...check.paidTo, serviceId} : []))
  const [alike, toPayee] = [true, false].map((has) => paidTo.filter(({amount}) => (amount !== undefined) === has))
  if (alike && alike.length > 0) needed['paidAlike'] = reads.paidTo(alike)
  if (toPayee && toPayee.length > 0) needed['paidToPayee'] = reads.paidTo(toPayee)
  if (checked.some(({check}) => check.readsPolicyMark)) needed['policyMark'] = reads.policyMark()
  for (const write of checked) {
    const {serviceId} = write.name
    const spending = nameSpending(write)
    if (!write.check.spending || spending === undefined) continue
    const own = checked.filter(({name}) => name.serviceId === serviceId).map(({name}) => name.key)
    needed[spending] ??= reads.spent(serviceId, own, write.check.spending)
  }
  if (chains.size > 0) needed['heads'] = reads.heads([...chains])
  return needed
}

const getRows = <Row extends object>(found: Found, name: string) => (found[name] ?? []) as readonly Row[]

export function applyGroup(writes: readonly Write[], found: Found, nowMs: number, pickChain: PickChain): GroupChanges {
  const heads = new Map(getRows<ChainHead>(found, 'heads').map((head) => [head.chain, {...head}]))
  const before = new Map(getRows<LeasedRow>(found, 'rows').map((row) => [namePayment(row), row]))
  const rows = new Map(before)
  const lines: ChainEntry[] = []
  const outcomes = writes.map((write): Outcome => {
    const judge = () => isChecked(write) && write.check.judge(collectFindings(write, writes, found, rows))
    let change: Change<unknown>
    try {
      change = write.apply(rows.get(namePayment(write.name)), nowMs, judge)
    } catch (refusal) {
      return {refusal}
    }
    if (change.row) rows.set(namePayment(write.name), change.row)
    for (const line of change.lines ?? []) {
      const head = heads.get(pickChain(write.name))
      if (!head) throw new Error(`the journal has no chain ${pickChain(write.name)}`)
      lines.push(linkEntry(head, line))
    }
    return {result: change.result}
  })
  const changed = [...rows].map(([name, after]) => ({before: before.get(name), after}))
  const moved = new Set(lines.map(({chain}) => chain))
  return {
    outcomes,
    inserted: changed.flatMap((row) => (row.before ? [] : row.after)),
    updated: changed.flatMap((row) => (row.before && row.before !== row.after ? {...row, before: row.before} : [])),
    lines,
    heads: [...heads.values()].filter(({chain}) => moved.has(chain)),
  }
}

// What was read for the whole group, and what the commits before this one have changed about it.
function collectFindings(
  write: CheckedWrite,
  writes: readonly Write[],
  found: Found,
  rows: ReadonlyMap<string, LeasedRow>,
): CommitFindings {
  const {name, check} = write
  const {serviceId, key} = name
  const checked = new Set(writes.filter(isChecked).map((each) => namePayment(each.name)))
  const others = [...checked].flatMap((each) => rows.get(each) ?? []).filter((row) => row.key !== key)
  const outside = getRows<LeasedRow>(found, 'owners').filter((owner) => !checked.has(namePayment(owner)))
  const isOfService = (row: LeasedRow) => row.serviceId === serviceId
  const toPayments = (list: readonly LeasedRow[]): Payment[] => list.map((row) => toPayment(row))
  const paid = ['paidAlike', 'paidToPayee'].flatMap((each) => getRows<LeasedRow>(found, each))
  const paidOutside = new Map(paid.map((row) => [namePayment(row), row]))
  for (const each of checked) paidOutside.delete(each)
  const [mark] = getRows<{mark: number}>(found, 'policyMark')
  return {
    spentAmounts: [
      ...getRows<{amount: string}>(found, nameSpending(write) ?? ''),
      ...others.filter((row) => isOfService(row) && isSpent(row, check)),
    ].map(({amount}) => amount),
    elsewhere: toPayments(getRows<LeasedRow>(found, 'rows').filter((row) => row.key === key && !isOfService(row))),
    owners: toPayments(
      [...outside, ...others].filter(
        (row) => isOfService(row) && row.transactionId !== null && row.transactionId === check.transactionId,
      ),
    ),
    paidTo: toPayments([...paidOutside.values(), ...others].filter((row) => isOfService(row) && isPaidTo(row, check))),
    policyMark: check.readsPolicyMark ? (mark?.mark ?? 0) : 0,
  }
}

const isPaidTo = ({destination, currency, amount, spentAt, state}: LeasedRow, {paidTo}: CommitCheck): boolean =>
  paidTo !== undefined &&
  destination === paidTo.destination &&
  currency === paidTo.currency.toUpperCase() &&
  (paidTo.amount === undefined || amount === toAmountColumn(paidTo.amount)) &&
  spentAt !== null &&
  spentAt >= paidTo.sinceMs &&
  spendingStates.some((each) => each === state)

const isSpent = ({currency, spentAt, state}: LeasedRow, check: CommitCheck): boolean =>
  check.spending !== undefined &&
  spentAt !== null &&
  spentAt >= check.spending.sinceMs &&
  spendingStates.some((each) => each === state) &&
  (currency === '' || currency === getCurrency(check))
