// What the console shows of figures and texts: exact sums, and whatever a service sends in place of an amount.
import {describe, expect, it} from 'vitest'
import {addUp} from '../../../src/web/console/overview.ts'
import {formatAmount, toText} from '../../../src/web/format.ts'
import {cutPage, readNewest} from '../../../src/web/console/context.ts'
import {matchesSearch} from '../../../src/web/console/noun.ts'

it('the sums of transactions are added as decimals, by currency, and leave out what is no amount', () => {
  const amounts = ['0.1', '0.2', '100000000000000000000.000001', 'a lot', '1e9999999', '-5', null, {amount: '1'}]
  expect(addUp(amounts.map((amount) => ['USD', amount]))).toBe('100,000,000,000,000,000,000.30 USD')
})

it('what a service sent is shown as text, without characters that hide or reorder it', () => {
  expect([toText('a\u202Eb\u0000c'), toText({a: 1}), toText(null), toText(12)]).toEqual(['a b c', '{"a":1}', '', '12'])
  expect(['1234567.50', '-1000', '1e3', '0.000000000000000001'].map(formatAmount)).toEqual([
    '1,234,567.50',
    '-1,000',
    '1e3',
    '0.000000000000000001',
  ])
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
