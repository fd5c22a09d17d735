// A group of writes: what it locks and reads, and what it does to the payments and the history,
// without a store. A write that is refused leaves the others of its group alone.
import {nothingSpent} from '../../controls/check-spending.ts'
import type {Payment} from '../protocol/payment.ts'
import {type ChainEntry, type ChainHead, type NewChainEntry, linkEntry} from './chain.ts'
import type {CommitCheck, CommitFindings} from './journal.ts'
import type {Read, Reads} from './reads.ts'
import {type SpendingRow, SpendingSums, findSpendingPlace, isSpending} from './spending.ts'
import {
  type LeasedRow,
  type PaymentName,
  type PickChain,
  type Spender,
  namePayment,
  toAmountColumn,
  toPayment,
} from './tables.ts'

// The effect of a write: the row as it is afterwards, if it differs, and new lines of the history.
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
  // The payment as the write leaves it, if it changes more than its lease.
  spender?: Spender
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
  sums: SpendingRow[]
}

// Rows by the name of what has read them.
export type Found = Readonly<Record<string, readonly object[]>>

type CheckedWrite = Write & {check: CommitCheck}
const isChecked = (write: Write): write is CheckedWrite => write.check !== undefined

// Whoever would add to what one of these writes depends on waits until it is written, on whatever
// host.
export function listLocks(writes: readonly Write[]): string[] {
  const names = writes.flatMap(({name: {serviceId, key}, check}) => [
    `key ${key}`,
    ...(check?.transactionId === undefined ? [] : [`transaction ${check.transactionId}`]),
    ...(check?.spending ? [`spending ${serviceId} ${check.spending.currency.toUpperCase()}`] : []),
    ...(check?.paidTo ? [`payee ${serviceId} ${check.paidTo.destination}`] : []),
  ])
  return [...new Set(names)]
}

// The chains that the group may append to.
export function listChains(writes: readonly Write[], pickChain: PickChain): number[] {
  const chains = new Set(writes.filter(({isLogged}) => isLogged).map(({name}) => pickChain(name)))
  return [...chains].toSorted((one, other) => one - other)
}

export function buildReads(writes: readonly Write[], reads: Reads, pickChain: PickChain): Record<string, Read> {
  const keys = new Set(writes.map(({name}) => name.key))
  const chains = listChains(writes, pickChain)
  return {
    rows: reads.payments([...keys]),
    ...buildCheckReads(writes.filter(isChecked), reads),
    ...buildSumReads(writes, reads, pickChain),
    ...(chains.length > 0 && {heads: reads.heads(chains)}),
  }
}

function buildCheckReads(checked: readonly CheckedWrite[], reads: Reads): Record<string, Read> {
  const transactionIds = checked.flatMap(({check}) => check.transactionId ?? [])
  const serviceIds = [...new Set(checked.map(({name}) => name.serviceId))]

  const paidTo = checked.flatMap(({name: {serviceId}, check}) => (check.paidTo ? {...check.paidTo, serviceId} : []))
  const alike = paidTo.filter(({amount}) => amount !== undefined)
  const toPayee = paidTo.filter(({amount}) => amount === undefined)

  return {
    ...(transactionIds.length > 0 && {owners: reads.owners(serviceIds, transactionIds)}),
    ...(alike.length > 0 && {paidAlike: reads.paidTo(alike)}),
    ...(toPayee.length > 0 && {paidToPayee: reads.paidTo(toPayee)}),
    ...(checked.some(({check}) => check.readsPolicyMark) && {policyMark: reads.policyMark()}),
  }
}

// The sums that are judged by, and those that may change.
function buildSumReads(writes: readonly Write[], reads: Reads, pickChain: PickChain): Record<string, Read> {
  const queries = writes.flatMap(({name: {serviceId}, check}) =>
    check?.spending ? {...check.spending, serviceId} : [],
  )
  const spenders = writes.flatMap(({spender}) => spender ?? [])
  const named = spenders.map(({serviceId, key}) => ({serviceId, key, chain: pickChain({serviceId, key})}))
  const places = spenders.flatMap((spender) => findSpendingPlace(spender, pickChain) ?? [])
  return {
    ...(queries.length > 0 && {spent: reads.spent(queries)}),
    ...(spenders.length > 0 && {spentBy: reads.spentBy(named, places)}),
  }
}

const getRows = <Row extends object>(found: Found, name: string) => (found[name] ?? []) as readonly Row[]

export function applyGroup(writes: readonly Write[], found: Found, nowMs: number, pickChain: PickChain): GroupChanges {
  const heads = new Map(getRows<ChainHead>(found, 'heads').map((head) => [head.chain, {...head}]))
  const before = new Map(getRows<LeasedRow>(found, 'rows').map((row) => [namePayment(row), row]))
  const rows = new Map(before)
  const sums = new SpendingSums(
    ['spent', 'spentBy'].flatMap((name) => getRows<SpendingRow>(found, name)),
    pickChain,
  )
  const checked = new Set(writes.filter(isChecked).map((write) => namePayment(write.name)))
  const lines: ChainEntry[] = []

  const outcomes = writes.map((write): Outcome => {
    const name = namePayment(write.name)
    const row = rows.get(name)
    const judge = () => isChecked(write) && write.check.judge(collectFindings(write, {found, checked, rows, sums}))
    let change: Change<unknown>
    try {
      change = write.apply(row, nowMs, judge)
    } catch (refusal) {
      return {refusal}
    }

    if (change.row) {
      rows.set(name, change.row)
      sums.change(row, change.row)
    }
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
    sums: sums.listChanged(),
  }
}

// The rows that were read for a whole group, as its writes have left them so far.
interface GroupState {
  found: Found
  // The names of the payments that the group checks.
  checked: ReadonlySet<string>
  rows: ReadonlyMap<string, LeasedRow>
  sums: SpendingSums
}

function collectFindings(write: CheckedWrite, state: GroupState): CommitFindings {
  const {name, check} = write
  const {found, rows, sums} = state
  const [mark] = getRows<{mark: number}>(found, 'policyMark')
  return {
    spent: check.spending ? sums.addUp(name.serviceId, check.spending, rows.get(namePayment(name))) : nothingSpent,
    elsewhere: toPayments(
      getRows<LeasedRow>(found, 'rows').filter(({key, serviceId}) => key === name.key && serviceId !== name.serviceId),
    ),
    owners: check.transactionId === undefined ? [] : toPayments(findOwners(write, state)),
    paidTo: check.paidTo ? toPayments(findPaidTo(write, state)) : [],
    policyMark: check.readsPolicyMark ? (mark?.mark ?? 0) : 0,
  }
}

const toPayments = (rows: readonly LeasedRow[]): Payment[] => rows.map((row) => toPayment(row))

// The other payments of the service that were read under these names, and those that the group
// checks, which are taken as its writes have left them.
function findOthers({name}: CheckedWrite, {found, checked, rows}: GroupState, names: readonly string[]): LeasedRow[] {
  const read = names.flatMap((each) => getRows<LeasedRow>(found, each)).map((row) => [namePayment(row), row] as const)
  const outside = new Map(read.filter(([each]) => !checked.has(each)))
  const inside = [...checked].flatMap((each) => rows.get(each) ?? [])
  return [...outside.values(), ...inside].filter(({serviceId, key}) => serviceId === name.serviceId && key !== name.key)
}

const findOwners = (write: CheckedWrite, state: GroupState): LeasedRow[] =>
  findOthers(write, state, ['owners']).filter(({transactionId}) => transactionId === write.check.transactionId)

const findPaidTo = (write: CheckedWrite, state: GroupState): LeasedRow[] =>
  findOthers(write, state, ['paidAlike', 'paidToPayee']).filter((row) => isPaidTo(row, write.check))

const isPaidTo = (row: LeasedRow, {paidTo}: CommitCheck): boolean =>
  paidTo !== undefined &&
  row.destination === paidTo.destination &&
  row.currency === paidTo.currency.toUpperCase() &&
  (paidTo.amount === undefined || row.amount === toAmountColumn(paidTo.amount)) &&
  isSpending(row) &&
  row.spentAt >= paidTo.sinceMs
