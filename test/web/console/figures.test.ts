// What the console shows of figures and texts: exact sums, and whatever a service sends in place of an amount.
import {describe, expect, it} from 'vitest'
import {addUp, findInTime} from '../../../src/web/console/overview.ts'
import {formatAmount, formatLag, toText} from '../../../src/web/format.ts'
import {cutPage, readNewest} from '../../../src/web/console/context.ts'
import {matchesSearch} from '../../../src/web/console/noun.ts'
import type {LooseTransaction} from '../../../src/web/console/source.ts'
import {transaction} from '../../support/transactions.ts'

const pay = (number: number, sourceAmount: unknown, more: Record<string, unknown> = {}) =>
  transaction(number, 'COMPLETED', {
    source: {...transaction(1).source, sourceAmount},
    ...more,
  }) as LooseTransaction

const all = (items: LooseTransaction[]) => ({items, isCut: false})
const october = [Date.UTC(2026, 9, 1), Date.UTC(2026, 10, 1)] as const

describe('the sums of transactions', () => {
  it('are added as decimals, by currency, and leave out what failed and what is no amount', () => {
    const transactions = [
      pay(1, '0.1'),
      pay(2, '0.2'),
      pay(3, '100000000000000000000.000001'),
      pay(4, '7', {transactionStatus: 'FAILED'}),
      ...['a lot', '1e9999999', '-5', null, {amount: '1'}, undefined].map((amount, index) => pay(10 + index, amount)),
    ]
    const counted = findInTime(all(transactions), 0, Infinity) ?? []
    expect(addUp(counted.map(({source}) => [source?.sourceCurrency, source?.sourceAmount]))).toBe(
      '100,000,000,000,000,000,000.30 USD',
    )
  })

  it('are those of a time, and unknown where the list was not read as far back', () => {
    const at = (createdAt: string, number: number) => pay(number, '1', {createdAt})
    const items = ['2026-11-01T00:00:00Z', '2026-10-31T23:59:59Z', '2026-10-01T00:00:00Z', '2026-09-30T23:59:59Z'].map(
      at,
    )
    expect(findInTime(all(items), ...october)).toHaveLength(2)
    expect(findInTime({items, isCut: true}, ...october)).toHaveLength(2)
    expect(findInTime({items: items.slice(0, 2), isCut: true}, ...october)).toBeUndefined()
  })
})

describe('time', () => {
  it('is written in the two largest units', () => {
    expect([90_061_000, 125_000, 3_600_000, 999].map(formatLag)).toEqual(['1 d 1 h', '2 min 5 s', '1 h', 'under 1 s'])
  })
})

describe('what a service sent', () => {
  it('is shown as text, without characters that hide or reorder it', () => {
    expect([toText('a\u202Eb\u0000c'), toText({a: 1}), toText(null), toText(12)]).toEqual([
      'a b c',
      '{"a":1}',
      '',
      '12',
    ])
    expect(['1234567.50', '-1000', '1e3', '0.000000000000000001'].map(formatAmount)).toEqual([
      '1,234,567.50',
      '-1,000',
      '1e3',
      '0.000000000000000001',
    ])
  })
})

describe('a bounded read', () => {
  it('stops at its limit, at a repeated token and at an empty page', async () => {
    const sizes: number[] = []
    const endless = async ({pageSize, pageToken = '0'}: {pageSize: number; pageToken?: string | undefined}) => {
      sizes.push(pageSize)
      return {items: Array.from({length: pageSize}, () => pageToken), nextPageToken: String(Number(pageToken) + 1)}
    }
    const {items, isCut} = await readNewest(endless, 250)
    expect([items.length, isCut, sizes]).toEqual([250, true, [100, 100, 50]])
    expect((await readNewest(async () => ({items: ['same'], nextPageToken: 'again'}), 50)).items).toEqual([
      'same',
      'same',
    ])
    expect((await readNewest(async () => ({items: [], nextPageToken: 'more'}), 50)).isCut).toBe(true)
  })

  it('is searched for all words, and cut into pages', () => {
    const matches = (item: unknown) => matchesSearch(item, 'ana  LIMA')
    expect([matches({a: 'Ana', b: [{c: 'Lima'}]}), matches(['Ana']), matches([null, 5])]).toEqual([true, false, false])
    const items = ['a', 'b', 'c']
    expect(cutPage({items, isCut: false}, {pageSize: 2})).toEqual({items: ['a', 'b'], nextPageToken: '2'})
    expect(cutPage({items, isCut: true}, {pageSize: 2, pageToken: '2'})).toEqual({items: ['c'], nextPageToken: '4'})
    expect(cutPage({items, isCut: true}, {pageSize: 2, pageToken: '4'})).toEqual({items: []})
  })
})
