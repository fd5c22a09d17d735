// Walks through a list of the service's transactions, as often as it takes until two walks in a row
// agree.
import {createChangingList, isCutList, readsMax} from '../../../client/paging.ts'
import type {LooseTransaction} from '../../../contract/loose.ts'
import {type SvcError, ignoreFailure} from '../../../errors.ts'
import {readText} from '../../../values/records.ts'
import {toInstantMs} from '../../../values/time.ts'
import type {ServerClock} from '../clock.ts'
import type {Service} from '../service.ts'

export interface ListReader {
  service: Pick<Service, 'transactions'>
  clock: ServerClock
  // How long the service may take to list a transaction.
  listLagMaxMs: number
  // Called with the number of transactions that were read so far.
  onListProgress?: ((count: number) => void) | undefined
}

export type Page = readonly LooseTransaction[]

// How far the clock that writes createdAt may be from the one that writes the Date header.
export const clockSkewMaxMs = 60_000

// A list counts as newest first after this many steps back in time, and as read far enough after
// this many transactions in a row that were created early enough. Fewer could be chance in a list
// that has another order.
const evidenceMin = 8

// Where a walk may stop in a list that is newest first.
export interface Stop {
  // What was created and last updated before this needs no reading. Asked after each page, since a
  // reply may tell the service's time.
  findBeforeMs: () => number
  // The newest transactions of the earlier read, by name. A walk that does not meet half of them
  // reads another list than the earlier one, and goes on to its end.
  heads: readonly string[]
  // Whether an earlier read has shown the order. Otherwise the walk has to show it.
  isOrderKnown: boolean
}

// A walk through the list, once.
export interface Walk {
  // By the service's clock at the earliest, by the clock of this machine, and in ticks.
  startedMs: number
  startedLocallyMs: number
  startedTicks: number
  // The number that whoever reads has given it. Numbers grow.
  order: number
  // What was created before this was not needed. Absent if the walk came to the end of the list.
  stoppedAtMs?: number | undefined
  isNewestFirst: boolean
  first: Page
  pages: number
  // The names of the first transactions, and when the newest one was created.
  heads: readonly string[]
  newestMs: number
  // When each transaction was created, and those that were created early enough to stop at.
  createdMs: ReadonlyMap<unknown, number>
  early: ReadonlySet<unknown>
  // Whether a transaction came twice: then others may have been passed over.
  hasRepeated: boolean
  // Why the service's list did not come to its end. Such a walk proves the absence of nothing.
  cutBy?: SvcError | undefined
}

// NaN, which is neither before nor after anything, if a transaction does not say when it was
// created.
export const readCreatedMs = ({createdAt}: LooseTransaction): number => toInstantMs(createdAt) ?? Number.NaN

// A transaction that was updated since may stand where it did not stand before.
const isBefore = (transaction: LooseTransaction, ms: number) =>
  Math.max(readCreatedMs(transaction), toInstantMs(transaction.updatedAt) ?? Number.POSITIVE_INFINITY) < ms

const nameHead = ({transactionId, createdAt}: LooseTransaction) => `${readText(transactionId)} ${readText(createdAt)}`

const nameItem = ({transactionId, updatedAt}: LooseTransaction) => `${readText(transactionId)} ${readText(updatedAt)}`

const isSamePage = (one: Page, other: Page) =>
  one.length === other.length && one.every((item, index) => nameItem(item) === nameItem(other[index] ?? {}))

const isOrdered = (page: Page) =>
  page.every((item, index) => index === 0 || readCreatedMs(item) <= readCreatedMs(page[index - 1] ?? {}))

// Whether a page is by creation, newest first, and reaches down to what the earlier page had. Then
// it shows all that is new.
function continues(head: Page, first: Page): boolean {
  const ids = new Set(first.map(({transactionId}) => transactionId))
  return isOrdered(head) && head.some(({transactionId}) => ids.has(transactionId))
}

// What a walk has seen of the order of the list so far.
class OrderCheck {
  readonly #stop: Stop | undefined
  readonly #missing: Set<string>
  #lastMs = Number.POSITIVE_INFINITY
  #isOrdered = true
  #stepsBack = 0
  #earlyInARow = 0

  constructor(stop: Stop | undefined) {
    this.#stop = stop
    this.#missing = new Set(stop?.heads)
  }

  add(transaction: LooseTransaction, isEarly: boolean): void {
    const ms = readCreatedMs(transaction)
    if (ms < this.#lastMs && this.#lastMs !== Number.POSITIVE_INFINITY) this.#stepsBack++
    if (!(ms <= this.#lastMs)) this.#isOrdered = false
    this.#lastMs = ms
    this.#earlyInARow = isEarly ? this.#earlyInARow + 1 : 0
    this.#missing.delete(nameHead(transaction))
  }

  get isNewestFirst(): boolean {
    const isKnown = this.#stop?.isOrderKnown === true && this.#hasMetHeads
    return this.#isOrdered && (isKnown || this.#stepsBack >= evidenceMin)
  }

  get #hasMetHeads(): boolean {
    const count = this.#stop?.heads.length ?? 0
    return this.#missing.size <= count / 2
  }

  get mayStop(): boolean {
    return this.#earlyInARow >= evidenceMin && this.#hasMetHeads && this.isNewestFirst
  }
}

async function walk(
  {service, clock, onListProgress}: ListReader,
  customerId: string,
  {visit, stop, countWalk}: Pick<ReadSettings, 'visit' | 'stop' | 'countWalk'>,
): Promise<Walk> {
  const [order, startedTicks, startedLocallyMs] = [countWalk(), clock.ticks(), clock.wall()]
  const check = new OrderCheck(stop)
  const createdMs = new Map<unknown, number>()
  const early = new Set<unknown>()
  const heads: string[] = []
  let first: Page = []
  let [pages, items, newestMs] = [0, 0, Number.NEGATIVE_INFINITY]
  let stoppedAtMs: number | undefined
  let cutBy: SvcError | undefined

  try {
    for await (const page of service.transactions(customerId, {isReadOnDemand: stop !== undefined})) {
      if (pages++ === 0) first = page
      items += page.length
      const beforeMs = stop?.findBeforeMs() ?? Number.NEGATIVE_INFINITY
      for (const transaction of page) {
        const {transactionId} = transaction
        const ms = readCreatedMs(transaction)
        const isEarly = isBefore(transaction, beforeMs)
        createdMs.set(transactionId, ms)
        if (isEarly) early.add(transactionId)
        if (heads.length < evidenceMin) heads.push(nameHead(transaction))
        if (ms > newestMs) newestMs = ms
        check.add(transaction, isEarly)
      }
      visit(page)
      onListProgress?.(createdMs.size)
      if (!check.mayStop) continue
      stoppedAtMs = beforeMs
      break
    }
  } catch (error) {
    if (!isCutList(error)) throw error
    cutBy = error
  }

  // The service's time may be known only from the list's own reply, so the start of the walk is
  // counted back from now.
  const startedMs = clock.earliest() - Math.ceil(clock.ticks() - startedTicks)
  return {
    startedMs,
    startedLocallyMs,
    startedTicks,
    order,
    stoppedAtMs,
    isNewestFirst: check.isNewestFirst,
    first,
    pages,
    heads,
    newestMs,
    createdMs,
    early,
    hasRepeated: createdMs.size < items,
    cutBy,
  }
}

async function readHead({service}: Pick<ListReader, 'service'>, customerId: string): Promise<Page> {
  for await (const page of service.transactions(customerId, {isFirstPageEnough: true})) return page
  return []
}

// Asks the service for a short list, since any reply tells its time. A failure is ignored.
export const learnTime = (reader: Pick<ListReader, 'service'>, customerId: string): Promise<void> =>
  ignoreFailure(readHead(reader, customerId))

// Whether two walks have seen the same, except for what was made since the first of them. What is
// new in a list by creation stands at its head and pushes the rest down, where it is seen twice but
// never missed. In any other list a transaction that came twice has moved, and so may others have
// if the first page is another. Where both stopped, what was early enough is no matter of theirs.
function isSameList(one: Walk, other: Walk, listLagMaxMs: number): boolean {
  if ((one.stoppedAtMs === undefined) !== (other.stoppedAtMs === undefined)) return false
  const isNewestFirst = one.isNewestFirst && other.isNewestFirst
  const hasMoved = one.hasRepeated || other.hasRepeated || !isSamePage(one.first, other.first)
  if (hasMoved && !isNewestFirst) return false
  const isStopped = one.stoppedAtMs !== undefined
  const isNeeded = (walked: Walk, id: unknown) => !isStopped || !walked.early.has(id)
  const madeSinceMs = one.startedMs - listLagMaxMs - clockSkewMaxMs
  return (
    one.createdMs.keys().every((id) => !isNeeded(one, id) || other.createdMs.has(id)) &&
    other.createdMs.entries().every(([id, ms]) => !isNeeded(other, id) || one.createdMs.has(id) || ms >= madeSinceMs)
  )
}

// What was read. It has seen everything that the service listed when its first walk began.
export interface ListRead {
  first: Walk
  last: Walk
  // What was listed by then was seen, in ticks, and by the number of a walk. Later than the
  // beginning, if the head of the list was read again.
  seenUntil: {ticks: number; order: number}
  // Whether it proves what is absent: two walks in a row have seen the same, or the list has one
  // page.
  isAgreed: boolean
  cutBy?: SvcError | undefined
}

interface ReadSettings {
  // Called with each page, and with pages that are read again.
  visit: (page: Page) => void
  // Returns the number of the walk that begins.
  countWalk: () => number
  stop?: Stop | undefined
  // The last walk of an earlier read that came to the list's end and did not agree with another
  // one.
  before?: Walk | undefined
  // Asked after a walk through several pages: whether it is enough, although what it lacks may have
  // moved meanwhile.
  isOneReadEnough: () => boolean
}

// A list that is newest first and took longer than this to read is looked at again at its head, so
// that it has seen everything until then.
const walkMaxMs = 1_000

// Reads the list. One of several pages is read until two walks in a row have seen the same, and
// what both lack was not listed when the first of them began.
export async function readList(reader: ListReader, customerId: string, settings: ReadSettings): Promise<ListRead> {
  let {before} = settings
  for (let walks = 1; walks <= readsMax; walks++) {
    const walked = await walk(reader, customerId, settings)
    const {startedTicks: ticks, order, cutBy} = walked
    const alone = {first: walked, last: walked, seenUntil: {ticks, order}, cutBy}
    if (walked.pages <= 1 || cutBy) return {...alone, isAgreed: !cutBy}

    if (before && isSameList(before, walked, reader.listLagMaxMs)) {
      const seenUntil = await findSeenUntil(reader, customerId, settings, before, walked)
      return {first: before, last: walked, seenUntil, isAgreed: true}
    }
    if (settings.isOneReadEnough()) return {...alone, isAgreed: false}
    before = walked
  }
  const last = before as Walk
  const seenUntil = {ticks: last.startedTicks, order: last.order}
  return {first: last, last, seenUntil, isAgreed: false, cutBy: createChangingList('transactions')}
}

// Two walks that agree have seen what was listed when the first of them began. In a list that is
// newest first, what was listed later stands at its head, which the second walk has read, and which
// is read once more if that walk was long.
async function findSeenUntil(
  reader: ListReader,
  customerId: string,
  {visit, countWalk}: Pick<ReadSettings, 'visit' | 'countWalk'>,
  before: Walk,
  last: Walk,
): Promise<ListRead['seenUntil']> {
  const isNewestFirst = before.isNewestFirst && last.isNewestFirst
  if (!isNewestFirst || !continues(last.first, before.first)) return {ticks: before.startedTicks, order: before.order}

  const read = {ticks: last.startedTicks, order: last.order}
  const ticks = reader.clock.ticks()
  if (ticks - last.startedTicks <= walkMaxMs) return read

  const order = countWalk()
  const head = await readHead(reader, customerId)
  visit(head)
  return continues(head, last.first) ? {ticks, order} : read
}
