// Reads the list of a customer's transactions. A list that comes in pages is no snapshot: what moves while it is read can be missed.
// So the first page is read again at the end, and the whole list again if something has moved.
import type {LooseTransaction} from '../../contract/loose.ts'
import {isCutList} from '../../client/paging.ts'
import {SvcError} from '../../errors.ts'
import {readText} from '../../values/records.ts'
import {toInstantMs} from '../../values/time.ts'
import type {ServerClock, Service} from './service.ts'

export interface ListReader {
  service: Pick<Service, 'transactions'>
  clock: ServerClock
  // How long the service may take to list a transaction.
  listLagMaxMs: number
  // Called with the number of transactions that were read so far.
  onListProgress?: ((count: number) => void) | undefined
}

// What a read has seen: everything that the service listed when it began.
export interface ListRead {
  // By the service's clock, at the earliest.
  startedMs: number
  // In ticks of the clock: what was listed by then was seen. Later than the beginning, if the head of the list was read again.
  seenUntilTicks: number
  // Whether the list is known to be by creation, newest first.
  isNewestFirst: boolean
  pages: number
  // Why the service's list did not come to its end. Such a read proves the absence of nothing.
  cutBy?: SvcError | undefined
}

// A later read need not go further back than this one.
export type Coverage = Pick<ListRead, 'startedMs' | 'isNewestFirst'>

// How far the clock that writes createdAt may be from the one that writes the Date header.
const clockSkewMaxMs = 60_000

// A list counts as newest first after this many steps back in time, and as read far enough after this many transactions in a row
// that an earlier read has seen. Fewer could be chance in a list that has another order.
const evidenceMin = 8

// Follows whether a list is by creation, newest first.
class OrderCheck {
  readonly #seenBeforeMs: number
  #lastMs = Number.POSITIVE_INFINITY
  #stepsBack = 0
  #seenInARow = 0
  isBroken = false

  // An earlier read has seen what was created before `seenBeforeMs`.
  constructor(seenBeforeMs = Number.NEGATIVE_INFINITY) {
    this.#seenBeforeMs = seenBeforeMs
  }

  // A transaction that was updated since the earlier read may stand where it did not stand before, so it does not count as seen.
  add({createdAt, updatedAt}: LooseTransaction): void {
    const ms = toInstantMs(createdAt)
    if (ms === undefined || ms > this.#lastMs) this.isBroken = true
    if (ms === undefined) return
    if (ms < this.#lastMs && this.#lastMs !== Number.POSITIVE_INFINITY) this.#stepsBack += 1
    const isOld = Math.max(ms, toInstantMs(updatedAt) ?? Number.POSITIVE_INFINITY) < this.#seenBeforeMs
    this.#seenInARow = isOld ? this.#seenInARow + 1 : 0
    this.#lastMs = ms
  }

  get isNewestFirst(): boolean {
    return !this.isBroken && this.#stepsBack >= evidenceMin
  }

  // Whether nothing new can follow, in a list that is known to be newest first.
  get isReadFarEnough(): boolean {
    return !this.isBroken && this.#seenInARow >= evidenceMin
  }
}

const nameItem = ({transactionId, updatedAt}: LooseTransaction) => `${readText(transactionId)} ${readText(updatedAt)}`

const isSamePage = (one: readonly LooseTransaction[], other: readonly LooseTransaction[]) =>
  one.length === other.length && one.every((item, index) => nameItem(item) === nameItem(other[index] ?? {}))

// Whether a page is by creation, newest first, and reaches down to what the earlier page had. Then it shows all that is new.
function continues(head: readonly LooseTransaction[], first: readonly LooseTransaction[]): boolean {
  const order = new OrderCheck()
  for (const transaction of head) order.add(transaction)
  const ids = new Set(first.map(({transactionId}) => transactionId))
  return !order.isBroken && head.some(({transactionId}) => ids.has(transactionId))
}

// One walk through the list.
interface Walk {
  first: readonly LooseTransaction[]
  pages: number
  cutBy?: SvcError
  // Whether a transaction came twice, so that others may have been passed over.
  hasRepeated: boolean
  order: OrderCheck
}

type Visit = (page: readonly LooseTransaction[]) => void

async function walk(
  {service, onListProgress}: ListReader,
  customerId: string,
  visit: Visit,
  seenBeforeMs: number | undefined,
): Promise<Walk> {
  const walked: Walk = {
    first: [],
    pages: 0,
    hasRepeated: false,
    order: new OrderCheck(seenBeforeMs),
  }
  const ids = new Set<unknown>()
  try {
    for await (const page of service.transactions(customerId)) {
      if (walked.pages++ === 0) walked.first = page
      for (const transaction of page) {
        walked.order.add(transaction)
        walked.hasRepeated ||= ids.has(transaction.transactionId)
        ids.add(transaction.transactionId)
      }
      visit(page)
      onListProgress?.(ids.size)
      if (seenBeforeMs !== undefined && walked.order.isReadFarEnough) break
    }
  } catch (error) {
    if (!(error instanceof SvcError) || !isCutList(error)) throw error
    walked.cutBy = error
  }
  return walked
}

async function readHead({service}: ListReader, customerId: string): Promise<readonly LooseTransaction[]> {
  for await (const page of service.transactions(customerId, {isFirstPageEnough: true})) return page
  return []
}

const walksMax = 5

const listKeepsChanging = () =>
  new SvcError({
    error: 'LIST_CHANGING',
    kind: 'unreachable',
    message: `The list of transactions changed each time while it was read, ${walksMax} times, so it proves nothing`,
    reason: 'its list of transactions changes while it is read',
    hint: 'Try again later',
  })

// Calls `visit` with each page, and with pages that are read again. Without an earlier read the list is read to its end.
export async function readList(
  reader: ListReader,
  customerId: string,
  visit: Visit,
  {earlier}: {earlier?: Coverage | undefined} = {},
): Promise<ListRead> {
  const {clock, listLagMaxMs} = reader
  const isKnown = earlier?.isNewestFirst === true
  const seenBeforeMs = earlier?.isNewestFirst ? earlier.startedMs - listLagMaxMs - clockSkewMaxMs : undefined
  for (let walks = 1; ; walks++) {
    const startedTicks = clock.ticks()
    const walked = await walk(reader, customerId, visit, seenBeforeMs)
    const {first, pages, cutBy, hasRepeated, order} = walked
    // The service's time may be known only from the list's own reply, so the start of the read is counted back from now.
    const startedMs = clock.earliest() - Math.ceil(clock.ticks() - startedTicks)
    const isNewestFirst = order.isNewestFirst || (isKnown && !order.isBroken)
    const finish = (seenUntilTicks: number): ListRead => ({
      startedMs,
      seenUntilTicks,
      isNewestFirst,
      pages,
      cutBy,
    })
    if (pages <= 1 || cutBy) return finish(startedTicks)
    const headTicks = clock.ticks()
    const head = await readHead(reader, customerId)
    visit(head)
    // What is new in a list by creation stands at its head, and pushes the rest down, where it is seen twice but never missed.
    if (isNewestFirst && continues(head, first)) return finish(headTicks)
    if (isSamePage(head, first) && !hasRepeated) return finish(startedTicks)
    if (walks === walksMax) throw listKeepsChanging()
  }
}
