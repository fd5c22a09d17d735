// The list of a customer during a run: who shares a read, and how far back it goes.
import {describe, expect, it} from 'vitest'
import type {LooseTransaction} from '../../../../src/contract/loose.ts'
import {CustomerList, CustomerLists} from '../../../../src/payments/protocol/lists.ts'
import {type Payment, deriveCorrelationId, unknownContent} from '../../../../src/payments/protocol/payment.ts'
import {createServerClock} from '../../../../src/payments/protocol/clock.ts'
import {createAttempt} from '../../../support/recorded.ts'

const lagMaxMs = 360_000
// A journal that has recorded nothing.
const noJournal = {list: async () => []}
const pageSize = 10

// One moment for all, so that their order does not depend on how long it takes to make them.
const begunMs = Date.now()

const createItem = (number: number, ageMs: number, key = `old-${number}`): LooseTransaction => ({
  transactionId: `t-${number}`,
  correlationId: deriveCorrelationId('s', key),
  createdAt: new Date(begunMs - ageMs).toISOString(),
  updatedAt: new Date(begunMs - ageMs).toISOString(),
})

// 60 transactions of the last hours, newest first.
const createOldItems = (first = 0) =>
  Array.from({length: 60}, (_, index) => createItem(first + index, 3_600_000 + index * 60_000))

// A list that `items` returns page by page, and the pages that were read of it.
function openList(items: () => LooseTransaction[], beforePage: (read: number) => Promise<unknown> | void = () => {}) {
  const pages: string[] = []
  let [reads, startedTicks] = [0, 0]
  async function* transactions(_: string, {isFirstPageEnough = false} = {}): AsyncGenerator<LooseTransaction[]> {
    if (isFirstPageEnough) {
      yield items().slice(0, pageSize)
      return
    }
    const read = ++reads
    startedTicks = performance.now()
    for (let at = 0; at === 0 || at < items().length; at += pageSize) {
      await beforePage(read)
      pages.push(`${read}:${at / pageSize + 1}`)
      yield items().slice(at, at + pageSize)
    }
  }
  const clock = createServerClock()
  const list = new CustomerList({service: {transactions}, journal: noJournal, clock, listLagMaxMs: lagMaxMs}, 'c')
  return {list, pages, getStartedTicks: () => startedTicks}
}

type Listed = Awaited<ReturnType<CustomerList['find']>>

const readIds = ({matches}: Listed) => matches.map(({transactionId}) => transactionId)

const times = {createdAt: 0, updatedAt: 0}
const payment: Payment = {serviceId: 's', key: 'k', content: unknownContent, state: 'UNKNOWN', attempts: [], ...times}

const find = (list: CustomerList, key: string, isFresh = false) => list.find({...payment, key}, {isFresh})

// From a list that has seen everything until now.
const findAgain = (list: CustomerList, key: string) => find(list, key, true)

describe('the list of a customer', () => {
  // Each time until two reads in a row have seen the same.
  it('is read once for all rows, and again as far back as something new can be', async () => {
    let items = createOldItems()
    const {list, pages, getStartedTicks} = openList(() => items)
    await Promise.all([find(list, 'row-1'), find(list, 'row-2')])
    expect(pages).toHaveLength(2 * 6)
    // The service may list it minutes after it was created.
    items = [...Array.from({length: 12}, (_, index) => createItem(100 + index, 1_000 + index)), ...items]
    items.splice(12, 0, createItem(200, 300_000, 'row-1'))
    const again = await findAgain(list, 'row-1')
    expect(readIds(again)).toEqual(['t-200'])
    expect(again.seenUntilTicks).toBeLessThanOrEqual(getStartedTicks())
    expect(pages.slice(2 * 6)).toEqual(['3:1', '3:2', '3:3', '4:1', '4:2', '4:3'])
    expect(readIds(await findAgain(list, 'row-2'))).toEqual([])
    expect(readIds(await find(list, 'row-1'))).toEqual(['t-200'])
  })

  it.each([
    ['is oldest first', (items: LooseTransaction[]) => items.toReversed()],
    [
      'has no order',
      (items: LooseTransaction[]) =>
        items.toSorted((a, b) => (String(a.transactionId) < String(b.transactionId) ? -1 : 1)),
    ],
    [
      'has times that cannot be read',
      (items: LooseTransaction[]) => items.map((item) => ({...item, createdAt: 'today'})),
    ],
    ['has too few transactions to show an order', (items: LooseTransaction[]) => items.slice(0, 5)],
  ])('is read to its end if it %s', async (_, arrange) => {
    let items = arrange(createOldItems())
    const {list, pages} = openList(() => items)
    await find(list, 'row-1')
    items = [...items, ...createOldItems(100), createItem(200, 10, 'row-1')]
    expect(readIds(await findAgain(list, 'row-1'))).toEqual(['t-200'])
    expect(pages.at(-1)).toMatch(`:${Math.ceil(items.length / pageSize)}`)
  })

  // Where it stands when the page begins that it leaves, and where it moves to.
  const moves = [
    {page: 4, from: 45, to: 15},
    {page: 2, from: 15, to: 5},
  ]

  it.each([1, 2])(
    'is read again while a transaction moves to what was read already, in %i reads, although its first page stays as it is',
    async (count) => {
      const items = createOldItems()
        .toReversed()
        .toSpliced(45, 0, createItem(200, 10, 'row-1'))
      let [reading, pagesRead] = [0, 0]
      const {list} = openList(
        () => items,
        (read) => {
          pagesRead = read === reading ? pagesRead + 1 : 1
          reading = read
          const move = read <= count ? moves[read - 1] : undefined
          if (move?.page === pagesRead) items.splice(move.to, 0, ...items.splice(move.from, 1))
        },
      )
      expect(readIds(await find(list, 'row-1'))).toEqual(['t-200'])
    },
  )

  it('shares a read among those who asked before it began', async () => {
    const gate = Promise.withResolvers<undefined>()
    const items = createOldItems().toReversed()
    const {list, pages} = openList(
      () => items,
      (read) => (read === 3 ? gate.promise : undefined),
    )
    await find(list, 'row-1')
    const first = findAgain(list, 'row-1')
    await new Promise((resolve) => setTimeout(resolve, 5))
    const others = ['row-2', 'row-3'].map((key) => findAgain(list, key))
    gate.resolve(undefined)
    await Promise.all([first, ...others])
    expect(new Set(pages.map((page) => page.split(':')[0]))).toEqual(new Set(['1', '2', '3', '4', '5', '6']))
  })

  it('is read by the next one who asks if a read failed', async () => {
    const {list} = openList(
      () => createOldItems(),
      (read) => {
        if (read === 1 || read === 4) throw new Error('not now')
      },
    )
    await expect(find(list, 'row-1')).rejects.toThrow('not now')
    expect(readIds(await find(list, 'row-1'))).toEqual([])
    await expect(findAgain(list, 'row-1')).rejects.toThrow('not now')
    expect(readIds(await findAgain(list, 'row-1'))).toEqual([])
  })

  it('has seen no more for a payment of two customers than the one that was read first', async () => {
    async function* transactions(): AsyncGenerator<LooseTransaction[]> {
      yield []
    }
    const settings = {clock: createServerClock(), listLagMaxMs: lagMaxMs}
    const lists = new CustomerLists({service: {transactions}, journal: noJournal, ...settings})
    const first = await lists.find(payment)
    const both = await lists.find({...payment, attempts: [createAttempt({customerId: 'd'})]})
    expect(both.seenUntilTicks).toBeLessThanOrEqual(first.seenUntilTicks)
  })
})
