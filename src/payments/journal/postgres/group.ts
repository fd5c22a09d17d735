// Writes a group of payments in one transaction: new ones as they are armed, and those that were made. What each is judged by is
// read under the same locks as for one alone, once for the group, and counts those before it.
import type {Query} from '../../../storage/postgres/database.ts'
import {addAmounts} from '../../../values/money.ts'
import type {Payment} from '../../protocol/payment.ts'
import {type ChainHead, digestBody, digestText, linkEntry, pickDatabaseChain} from '../chain.ts'
import {type CommitCheck, type Entry, type Lease, getSpentAt, toColumnValues, toPaymentText} from '../journal.ts'
import {findEverywhere, listSpendingLocks, lockAll, readSpentSums} from './findings.ts'
import {getStatement} from './statements.ts'

export interface GroupLine {
  entry: Entry
  // When it happened, by the clock of this process.
  atTicks: number
}

// A payment that the database does not have yet, with all of its lines.
export interface NewWrite {
  kind: 'new'
  lease: Lease
  payment: Payment
  lines: readonly GroupLine[]
  // Whether the lease goes on.
  isLeased: boolean
  check?: CommitCheck | undefined
}

// One that is armed and was made. Its lease ends.
export interface MadeWrite {
  kind: 'made'
  lease: Lease
  payment: Payment
  lines: readonly GroupLine[]
  // The write that it follows.
  follows: string
}

export type GroupWrite = NewWrite | MadeWrite

// Lost: another process has the payment, so nothing was written. Refused: the check threw this.
export type GroupOutcome = {kind: 'written'; payment: Payment} | {kind: 'lost'} | {kind: 'refused'; error: unknown}

const toId = ({serviceId, key}: Pick<Payment, 'serviceId' | 'key'>) => `${serviceId} ${key}`

interface Judged {
  // What the check of each refused one threw.
  refusals: Map<GroupWrite, unknown>
  // Those that another process wrote first.
  lost: Set<GroupWrite>
}

type CheckedWrite = NewWrite & {check: CommitCheck}

const hasCheck = (write: GroupWrite): write is CheckedWrite => write.kind === 'new' && write.check !== undefined

// What was spent, for all of the group that ask for the same.
interface Spent {
  serviceId: string
  currency: string
  amounts: string[]
}

async function readAllSpent(query: Query, checked: readonly CheckedWrite[]): Promise<Map<CheckedWrite, Spent>> {
  const byQuestion = new Map<string, Spent>()
  const all = new Map<CheckedWrite, Spent>()
  for (const write of checked) {
    const {lease, check} = write
    const {spending} = check
    if (!spending) continue
    const {serviceId} = lease
    const currency = spending.currency.toUpperCase()
    const question = JSON.stringify([serviceId, currency, spending.sinceMs])
    const spent = byQuestion.get(question) ?? {
      serviceId,
      currency,
      // None of the group is in the database.
      amounts: await readSpentSums(query, {serviceId, key: ''}, check),
    }
    byQuestion.set(question, spent)
    all.set(write, spent)
  }
  return all
}

// What one of the group is about to spend counts for those after it.
function countSpent(spent: Spent, payment: Payment): void {
  const {currency, amount} = toColumnValues(payment)
  if (spent.currency !== currency || spent.serviceId !== payment.serviceId) return
  const sum = addAmounts([...spent.amounts, amount])
  spent.amounts = sum === undefined ? [...spent.amounts, amount] : [sum]
}

async function judgeAll(query: Query, writes: readonly GroupWrite[]): Promise<Judged> {
  const judged: Judged = {refusals: new Map(), lost: new Set()}
  const checked = writes.filter(hasCheck)
  if (checked.length === 0) return judged
  const locks = checked.flatMap(({lease, check}) => [`key ${lease.key}`, ...listSpendingLocks(lease.serviceId, check)])
  await lockAll(query, [...new Set(locks)])
  const {payments, policyMark} = await findEverywhere(
    query,
    checked.map(({lease}) => lease.key),
  )
  const byKey = Map.groupBy(payments, ({key}) => key)
  const allSpent = await readAllSpent(query, checked)
  for (const write of checked) {
    const {lease, check, payment} = write
    const known = byKey.get(lease.key) ?? []
    if (known.some(({serviceId}) => serviceId === lease.serviceId)) {
      judged.lost.add(write)
      continue
    }
    try {
      check.judge({
        spentAmounts: allSpent.get(write)?.amounts ?? [],
        elsewhere: known,
        owners: [],
        policyMark: check.readsPolicyMark ? policyMark : 0,
      })
      for (const spent of new Set(allSpent.values())) countSpent(spent, payment)
    } catch (error) {
      judged.refusals.set(write, error)
    }
  }
  return judged
}

const toRow = ({payment}: GroupWrite) => {
  const {serviceId, key, template, slot, state, transactionId} = payment
  return {
    service_id: serviceId,
    key,
    template: template ?? null,
    slot: slot ?? null,
    state,
    ...toColumnValues(payment),
    transaction_id: transactionId ?? null,
    spent_at: getSpentAt(payment),
    payment: toPaymentText(payment),
  }
}

// How long ago the lines happened, in milliseconds. The database subtracts it from its own clock.
function listAges({lines}: GroupWrite): number[] {
  const nowTicks = performance.now()
  return lines.map(({atTicks}) => Math.max(0, Math.round(nowTicks - atTicks)))
}

// As the times of a payment follow from its lines.
const getUpdatedAge = ([first = 0, ...others]: readonly number[]) =>
  others.reduce((before, age) => Math.min(age, before - 1), first)

// A write as the database has it.
interface Written {
  write: GroupWrite
  // Of its lines.
  times: number[]
  stored: StoredTimes
}

async function insertNew(query: Query, writes: readonly NewWrite[], writeId: string): Promise<Written[]> {
  if (writes.length === 0) return []
  const ages = new Map(writes.map((write) => [toId(write.lease), listAges(write)]))
  const rows = writes.map((write) => {
    const own = ages.get(toId(write.lease)) ?? []
    return {
      ...toRow(write),
      created_age: own[0],
      updated_age: getUpdatedAge(own),
      epoch: write.lease.epoch,
      owner: write.isLeased ? JSON.stringify(write.lease.owner) : null,
    }
  })
  return toWritten(writes, ages, await query<GroupRow>(getStatement('insertGroup'), [JSON.stringify(rows), writeId]))
}

async function updateMade(query: Query, writes: readonly MadeWrite[], writeId: string): Promise<Written[]> {
  if (writes.length === 0) return []
  const ages = new Map(writes.map((write) => [toId(write.lease), listAges(write)]))
  const rows = writes.map((write) => ({
    ...toRow(write),
    age: ages.get(toId(write.lease))?.at(-1),
    epoch: write.lease.epoch,
    follows: write.follows,
  }))
  return toWritten(writes, ages, await query<GroupRow>(getStatement('updateGroup'), [JSON.stringify(rows), writeId]))
}

type StoredTimes = {service_id: string; key: string; created_at: number; updated_at: number}
type GroupRow = StoredTimes & {ms: number}

const toRowId = ({service_id: serviceId, key}: StoredTimes) => toId({serviceId, key})

function toWritten(
  writes: readonly GroupWrite[],
  ages: ReadonlyMap<string, readonly number[]>,
  rows: readonly GroupRow[],
): Written[] {
  const byId = new Map(rows.map((row) => [toRowId(row), row]))
  return writes.flatMap((write) => {
    const id = toId(write.lease)
    const stored = byId.get(id)
    return stored ? [{write, stored, times: (ages.get(id) ?? []).map((age) => stored.ms - age)}] : []
  })
}

// Appends the lines to their chains, whose rows are locked until the transaction ends. They are the last locks that it takes.
async function appendLines(query: Query, all: readonly Written[]): Promise<void> {
  if (all.length === 0) return
  const chains = all.map(({write: {lease}}) => pickDatabaseChain(lease.serviceId, lease.key))
  const heads = await query<ChainHead>(getStatement('lockChains'), [[...new Set(chains)].map(String)])
  const byChain = new Map(heads.map((head) => [head.chain, {...head}]))
  const lines = all.flatMap((written, index) => {
    const head = byChain.get(chains[index] ?? 0)
    if (!head) throw new Error(`the journal has no chain ${chains[index]}`)
    return linkLines(written, head)
  })
  await query(getStatement('appendGroup'), [JSON.stringify(lines), JSON.stringify([...byChain.values()])])
}

// The last line covers the payment as it is stored. Moves the head on.
function linkLines({write: {lease, lines, payment}, times}: Written, head: ChainHead) {
  const {serviceId, key} = lease
  return lines.map(({entry: {what, detail}}, index) => {
    const texts = {
      detail: detail ? JSON.stringify(detail) : null,
      payment: index === lines.length - 1 ? digestText(toPaymentText(payment)) : null,
    }
    const place = {chain: head.chain, number: head.number + 1, at: times[index] ?? 0}
    head.hash = linkEntry(head.hash, place, digestBody({serviceId, key, what, ...texts}))
    head.number = place.number
    return {...place, service_id: serviceId, key, what, ...texts, hash: head.hash}
  })
}

// Those that were lost only because an earlier try of this group, whose answer did not come, has written them.
async function findWritten(query: Query, lost: readonly GroupWrite[], writeId: string): Promise<StoredTimes[]> {
  if (lost.length === 0) return []
  const names = lost.map(({lease}) => ({service_id: lease.serviceId, key: lease.key}))
  return query<StoredTimes>(getStatement('findGroup'), [JSON.stringify(names), writeId])
}

// May be repeated with the same write id: what was written the first time is found.
export async function writeGroup(
  query: Query,
  writes: readonly GroupWrite[],
  writeId: string,
): Promise<GroupOutcome[]> {
  const {refusals, lost} = await judgeAll(query, writes)
  const accepted = writes.filter((write) => !refusals.has(write) && !lost.has(write))
  const written = [
    ...(await insertNew(query, accepted.filter(isNew), writeId)),
    ...(await updateMade(query, accepted.filter(isMade), writeId)),
  ]
  await appendLines(query, written)
  const stored = new Map(written.map((each) => [toId(each.write.lease), each.stored]))
  const missing = writes.filter((write) => !stored.has(toId(write.lease)) && !refusals.has(write))
  for (const row of await findWritten(query, missing, writeId)) stored.set(toRowId(row), row)
  return writes.map((write) => {
    if (refusals.has(write)) return {kind: 'refused', error: refusals.get(write)}
    const row = stored.get(toId(write.lease))
    if (!row) return {kind: 'lost'}
    return {kind: 'written', payment: {...write.payment, createdAt: row.created_at, updatedAt: row.updated_at}}
  })
}

const isNew = (write: GroupWrite): write is NewWrite => write.kind === 'new'
const isMade = (write: GroupWrite): write is MadeWrite => write.kind === 'made'
