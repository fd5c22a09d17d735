// Reads the transactions that the service lists: as often as it takes until a read proves what is not in it.
import {createChangingList, isCutList, readsMax} from '../../client/paging.ts'
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {readText} from '../../values/records.ts'
import {toInstantMs} from '../../values/time.ts'
import type {ServerClock} from './clock.ts'
import type {Service} from './service.ts'

export interface ListReader {
  service: Pick<Service, 'transactions'>
  clock: ServerClock
  // How long the service may take to list a transaction.
  listLagMaxMs: number
  // Asked after the first read of a list of several pages: whether it is enough, although what it
  // lacks may have moved meanwhile.
  isOneReadEnough?: (() => boolean) | undefined
  // Called with the number of transactions that were read so far.
  onListProgress?: ((count: number) => void) | undefined
}

// What a read has seen: everything that the service listed when it began.
export interface ListRead {
  // By the service's clock, at the earliest.
  startedMs: number
  // In ticks of the clock: what was listed by then was seen. Later than the beginning, if the head of the list was read again.
  seenUntilTicks: number
  // Whether the list is known to be by creation, newest first. Then a later read need not go further back than this one.
  isNewestFirst: boolean
  // Why the service's list did not come to its end. Such a read proves the absence of nothing.
  cutBy?: SvcError | undefined
}

export type Page = readonly LooseTransaction[]

// How far the clock that writes createdAt may be from the one that writes the Date header.
const clockSkewMaxMs = 60_000

// A list counts as newest first after this many steps back in time, and as read far enough after this many transactions in a row
// that an earlier read has seen. Fewer could be chance in a list that has another order.
const evidenceMin = 8

// NaN, which is neither before nor after anything, if a transaction does not say when it was created.
const readCreatedMs = ({createdAt}: LooseTransaction) => toInstantMs(createdAt) ?? Number.NaN

const isOrdered = (times: readonly number[]) => times.every((ms, index) => ms <= (times[index - 1] ?? ms))

const countStepsBack = (times: readonly number[]) => times.filter((ms, index) => ms < (times[index - 1] ?? ms)).length

// A transaction that was updated since an earlier read may stand where it did not stand before, so it does not count as seen.
const wasSeenBefore = (transaction: LooseTransaction, ms: number) =>
  Math.max(readCreatedMs(transaction), toInstantMs(transaction.updatedAt) ?? Number.POSITIVE_INFINITY) < ms

const nameItem = ({transactionId, updatedAt}: LooseTransaction) => `${readText(transactionId)} ${readText(updatedAt)}`

const isSamePage = (one: Page, other: Page) =>
  one.length === other.length && one.every((item, index) => nameItem(item) === nameItem(other[index] ?? {}))

// Whether a page is by creation, newest first, and reaches down to what the earlier page had. Then it shows all that is new.
function continues(head: Page, first: Page): boolean {
  const ids = new Set(first.map(({transactionId}) => transactionId))
  return isOrdered(head.map(readCreatedMs)) && head.some(({transactionId}) => ids.has(transactionId))
}

// A walk through the list, once.
interface Walk {
  read: ListRead
  first: Page
  pages: number
  // When each transaction was created that no earlier read has seen.
  createdMs: Map<unknown, number>
  // Whether a transaction came twice: then others may have been passed over.
  hasRepeated: boolean
}

// Goes through the list. Without an earlier read that was newest first, to its end.
async function walk(
  {service, clock, listLagMaxMs, onListProgress}: ListReader,
  customerId: string,
  visit: (page: Page) => void,
  earlier: Pick<ListRead, 'startedMs' | 'isNewestFirst'> | undefined,
): Promise<Walk> {
  const isKnown = earlier?.isNewestFirst === true
  const seenBeforeMs = isKnown ? earlier.startedMs - listLagMaxMs - clockSkewMaxMs : Number.NEGATIVE_INFINITY
  const startedTicks = clock.ticks()
  const ids = new Set<unknown>()
  const times: number[] = []
  const createdMs = new Map<unknown, number>()
  let [first, pages, seenInARow]: [Page, number, number] = [[], 0, 0]
  let cutBy: SvcError | undefined
  try {
    for await (const page of service.transactions(customerId)) {
      if (pages++ === 0) first = page
      for (const transaction of page) {
        const ms = readCreatedMs(transaction)
        const isSeen = isKnown && wasSeenBefore(transaction, seenBeforeMs)
        ids.add(transaction.transactionId)
        times.push(ms)
        if (!isSeen) createdMs.set(transaction.transactionId, ms)
        seenInARow = isSeen ? seenInARow + 1 : 0
      }
      visit(page)
      onListProgress?.(ids.size)
      if (seenInARow >= evidenceMin && isOrdered(times)) break
    }
  } catch (error) {
    if (!isCutList(error)) throw error
    cutBy = error
  }
  const isNewestFirst = isOrdered(times) && (isKnown || countStepsBack(times) >= evidenceMin)
  // The service's time may be known only from the list's own reply, so the start of the read is
  // counted back from now.
  const startedMs = clock.earliest() - Math.ceil(clock.ticks() - startedTicks)
  const read = {startedMs, seenUntilTicks: startedTicks, isNewestFirst, cutBy}
  return {read, first, pages, createdMs, hasRepeated: ids.size < times.length}
}

export async function readHead({service}: Pick<ListReader, 'service'>, customerId: string): Promise<Page> {
  for await (const page of service.transactions(customerId, {isFirstPageEnough: true})) return page
  return []
}

// Whether two walks have seen the same, except for what was made since the first of them. What is
// new in a list by creation stands at its head and pushes the rest down, where it is seen twice but
// never missed. In any other list a transaction that came twice has moved, and so may others have
// if the first page is another.
function isSameList(one: Walk, other: Walk, listLagMaxMs: number): boolean {
  const isNewestFirst = one.read.isNewestFirst && other.read.isNewestFirst
  const hasMoved = one.hasRepeated || other.hasRepeated || !isSamePage(one.first, other.first)
  if (hasMoved && !isNewestFirst) return false
  const madeSinceMs = one.read.startedMs - listLagMaxMs - clockSkewMaxMs
  return (
    one.createdMs.keys().every((id) => other.createdMs.has(id)) &&
    other.createdMs.entries().every(([id, ms]) => one.createdMs.has(id) || ms >= madeSinceMs)
  )
}

// A list that is newest first and took longer than this to read is looked at again at its head, so
// that it has seen everything until then.
const walkMaxMs = 1_000

// Calls `visit` with each page, and with pages that are read again. A list of several pages is read
// until two reads in a row have seen the same, and what both lack was not listed when the first of
// them began.
export async function readList(
  reader: ListReader,
  customerId: string,
  visit: (page: Page) => void,
  earlier?: Pick<ListRead, 'startedMs' | 'isNewestFirst'>,
): Promise<ListRead> {
  let before: Walk | undefined
  for (let walks = 1; walks <= readsMax; walks++) {
    const walked = await walk(reader, customerId, visit, earlier)
    if (walked.pages <= 1 || walked.read.cutBy || reader.isOneReadEnough?.()) return walked.read
    if (before && isSameList(before, walked, reader.listLagMaxMs)) {
      const {startedMs, isNewestFirst} = before.read
      const seenUntilTicks = await findSeenUntil(reader, customerId, visit, before, walked)
      return {startedMs, seenUntilTicks, isNewestFirst: isNewestFirst && walked.read.isNewestFirst}
    }
    before = walked
  }
  return {...(before as Walk).read, cutBy: createChangingList('transactions')}
}

// Two walks that agree have seen what was listed when the first of them began. In a list that is
// newest first, what was listed later stands at its head, which the second walk has read, and which
// is read once more if that walk was long.
async function findSeenUntil(
  reader: ListReader,
  customerId: string,
  visit: (page: Page) => void,
  before: Walk,
  {read, first}: Walk,
): Promise<number> {
  const isNewestFirst = before.read.isNewestFirst && read.isNewestFirst
  if (!isNewestFirst || !continues(first, before.first)) return before.read.seenUntilTicks
  const headTicks = reader.clock.ticks()
  if (headTicks - read.seenUntilTicks <= walkMaxMs) return read.seenUntilTicks
  const head = await readHead(reader, customerId)
  visit(head)
  return continues(head, first) ? headTicks : read.seenUntilTicks
}
