// What the charts of the console show: exact sums, time without gaps, and whatever a service sends in place of an amount.
import {Big} from 'big.js'
import {describe, expect, it} from 'vitest'
import {
  computeFees,
  computeSettlementTimes,
  computeVolume,
  divideTime,
  listRates,
  rankCurrencies,
  rankPairs,
} from '../../../src/web/console/transaction-figures.ts'
import {renderBarChart, renderLineChart} from '../../../src/web/render-chart.ts'
import {formatAmount, formatLag, renderEmail, toText} from '../../../src/web/format.ts'
import {createMatcher, cutPage, readNewest} from '../../../src/web/console/context.ts'
import type {LooseTransaction} from '../../../src/web/console/source.ts'
import {transaction} from '../../support/transactions.ts'

const pay = (number: number, sourceAmount: unknown, more: Record<string, unknown> = {}) =>
  transaction(number, 'COMPLETED', {
    source: {...transaction(1).source, sourceAmount},
    ...more,
  }) as LooseTransaction

describe('the figures of transactions', () => {
  it('are added as decimals, and leave out what failed and what is no amount', () => {
    const transactions = [
      pay(1, '0.1'),
      pay(2, '0.2', {createdAt: '2026-11-01T13:00:00Z'}),
      pay(3, '100000000000000000000.000000000000000001', {createdAt: '2026-11-03T13:00:00Z'}),
      pay(4, '7', {transactionStatus: 'FAILED'}),
      ...['a lot', '1e9999999', '-5', null, {amount: '1'}, undefined].map((amount, index) => pay(10 + index, amount)),
    ]
    const {total, unreadable, groups, step} = computeVolume(transactions, 'USD')
    expect([total.toFixed(), unreadable, step]).toEqual(['100000000000000000000.300000000000000001', 6, 'day'])
    expect(groups.map(({label, parts}) => [label, parts[0]?.value.toFixed()])).toEqual([
      ['2026-11-01', '0.3'],
      ['2026-11-02', '0'],
      ['2026-11-03', '100000000000000000000.000000000000000001'],
    ])
    expect(computeVolume(transactions, 'EUR').groups).toEqual([])
  })

  it('show the fees of both sides, and the rates of a pair from the oldest on', () => {
    const other = {destinationCurrency: {label: 'EUR'}, exchangeRate: '0.91'}
    const transactions = [
      pay(1, '5', {createdAt: '2026-11-02T12:00:00Z'}),
      pay(2, '5'),
      pay(3, '5', {destination: {...transaction(1).destination, ...other}}),
    ]
    const {total, groups} = computeFees(transactions, 'USD')
    expect(total.toFixed()).toBe('3')
    expect(groups[0]?.parts.map(({name, value}) => `${name} ${value.toFixed()}`)).toEqual([
      'Service fee 1.5',
      'Developer fee 0.5',
    ])
    expect([rankCurrencies(transactions), rankPairs(transactions)]).toEqual([['USD'], ['USD to USDC', 'USD to EUR']])
    expect(listRates(transactions, 'USD to USDC').map(({label}) => label)).toEqual([
      '2026-11-01 12:00',
      '2026-11-02 12:00',
    ])
  })

  it('tell the median and the slowest settlement of each method', () => {
    const settled = (number: number, updatedAt: string) => pay(number, '1', {updatedAt})
    const times = [
      '2026-11-01T12:01:00Z',
      '2026-11-01T12:02:00Z',
      '2026-11-01T14:00:00Z',
      'soon',
      '2026-10-01T00:00:00Z',
    ]
    expect(computeSettlementTimes(times.map((time, index) => settled(index, time)))).toEqual([
      {method: 'BASE', count: 3, medianMs: 120_000, slowestMs: 7_200_000},
    ])
  })
})

describe('time', () => {
  it('is divided so that columns can be told apart', () => {
    const start = Date.UTC(2026, 10, 1)
    const count = (days: number) => {
      const {step, buckets} = divideTime([start, start + days * 86_400_000])
      return [step, buckets.length]
    }
    expect([count(0), count(1), count(30), count(90), count(700)]).toEqual([
      ['hour', 1],
      ['hour', 25],
      ['day', 31],
      ['week', 14],
      ['month', 24],
    ])
    expect(divideTime([])).toEqual({step: 'day', buckets: []})
    // A clock that is wrong by centuries must not make a million columns.
    expect(divideTime([0, Date.UTC(2500, 0)]).buckets.length).toBeLessThan(80)
  })

  it('is written in the two largest units', () => {
    expect([90_061_000, 125_000, 3_600_000, 999].map(formatLag)).toEqual(['1 d 1 h', '2 min 5 s', '1 h', 'under 1 s'])
  })
})

describe('a chart', () => {
  it('has a title for every mark, a summary, and the same figures as a table', () => {
    const {groups} = computeVolume([pay(1, '1234.50')], 'USD')
    const drawn = renderBarChart({id: 'volume', summary: 'Volume in USD', unit: 'USD'}, groups).toString()
    expect(drawn).toContain('<title>2026-11-01 12:00: 1,234.5 USD</title>')
    expect(drawn).toMatch(/role="img"[^>]*aria-label="Volume in USD"/)
    expect(drawn).toMatch(/<th scope="row">2026-11-01 12:00<\/th>\s*<td class="number">1,234\.5<\/td>/)
    const line = renderLineChart({id: 'rates', summary: 'Rates', unit: 'USD'}, listRates([pay(1, '1')], 'USD to USDC'))
    expect(line.toString()).not.toContain('NaN')
  })

  const draw = (values: ReadonlyArray<readonly string[]>, names = ['Sent']) =>
    renderBarChart(
      {id: 'c', summary: 'Sums', unit: 'USDC'},
      values.map((parts, index) => ({
        label: `2026-11-${String(index + 1).padStart(2, '0')}`,
        parts: parts.map((value, part) => ({name: names[part] ?? '', value: new Big(value)})),
      })),
    ).toString()
  const readTicks = (drawn: string) =>
    [...drawn.matchAll(/text-anchor="end"\s*>([\d.kMBT]+)</g)].map(([, text]) => text)

  it.each([
    [
      ['808', '404'],
      ['0', '250', '500', '750', '1k'],
    ],
    [
      ['0.07', '0.03'],
      ['0', '0.02', '0.04', '0.06', '0.08'],
    ],
    [['1234567'], ['0', '500k', '1M', '1.5M']],
    [['0'], ['0', '1']],
  ])('has round ticks from zero for %s', (values, ticks) => {
    expect(readTicks(draw(values.map((value) => [value])))).toEqual(ticks)
  })

  it('cuts a column that would flatten the others, says so, and writes its figure', () => {
    const drawn = draw(['10', '12', '9', '11', '5000', '8'].map((value) => [value]))
    expect(drawn).toContain('Cut, so that the others can be seen: 2026-11-05 with 5,000 USDC.')
    expect(drawn).toContain('class="cut"')
    expect(readTicks(drawn).at(-1)).toBe('15')
    expect(draw(['10', '5000'].map((value) => [value]))).not.toContain('Cut')
  })

  it('has a legend for what is there alone, and figures above few columns', () => {
    const names = ['Service fee', 'Developer fee']
    expect(
      draw(
        [
          ['1', '0'],
          ['2', '0'],
        ],
        names,
      ),
    ).not.toMatch(/legend|Developer fee/)
    expect(
      draw(
        [
          ['1', '1'],
          ['2', '0'],
        ],
        names,
      ),
    ).toMatch(/legend[^]*Service fee[^]*Developer fee/)
    expect([...draw([['1'], ['2345.678']]).matchAll(/class="value"[^>]*>([^<]*)</g)].map(([, text]) => text)).toEqual([
      '1',
      '2.35k',
    ])
    expect(draw(Array.from({length: 9}, () => ['1']))).not.toContain('class="value"')
  })

  it('leaves times open of which nothing is known', () => {
    const dayMs = 86_400_000
    const points = [0, 1, 2, 3, 30, 31].map((day) => ({atMs: day * dayMs, label: `day ${day}`, value: new Big('1.1')}))
    const lines = renderLineChart({id: 'r', summary: 'Rates', unit: 'USD'}, points)
      .toString()
      .match(/<polyline/g)
    expect(lines).toHaveLength(2)
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

describe('an email in a table', () => {
  it('breaks after its @ and nowhere else', () => {
    expect(
      ['grace.holloway@example.com', 'no-domain', '', undefined].map((email) => renderEmail(email).toString()),
    ).toEqual(['grace.holloway@<wbr />example.com', 'no-domain', '', ''])
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
    const matches = createMatcher('ana  LIMA')
    expect([matches(['Ana', 'Lima']), matches(['Ana']), matches([null, 5])]).toEqual([true, false, false])
    expect(cutPage(['a', 'b', 'c'], {pageSize: 2})).toEqual({items: ['a', 'b'], nextPageToken: '2'})
    expect(cutPage(['a', 'b', 'c'], {pageSize: 2, pageToken: '2'}, true)).toEqual({items: ['c'], nextPageToken: '4'})
    expect(cutPage(['a', 'b', 'c'], {pageSize: 2, pageToken: '4'}, true)).toEqual({items: []})
  })
})
