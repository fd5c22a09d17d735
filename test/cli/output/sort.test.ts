// --sort: every list can be sorted by a column, after all of it was read.
import {describe, expect, it} from 'vitest'
import {parseSort, sortItems} from '../../../src/cli/output/sort-list.ts'
import type {View} from '../../../src/cli/output/view.ts'
import {parseJson} from '../../../src/values/json.ts'
import {customer, reply, serve} from '../../support/service.ts'
import {freshHome, run} from '../../support/svc.ts'

const view: View<unknown> = {
  singular: 'row',
  plural: 'rows',
  columns: [{name: 'value', short: 'v', header: 'THE VALUE', value: (item) => item, rank: 0}],
}

const sort = (items: readonly unknown[], order = 'value') => sortItems(items, parseSort(order, view))

describe('--sort', () => {
  it('compares numbers and money by their exact size', () => {
    expect(sort(['10', '9', '100', '9.5', '-1'])).toEqual(['-1', '9', '9.5', '10', '100'])
    const near = ['123456789012345678901234567890.2', '123456789012345678901234567890.10']
    expect(sort(near)).toEqual(near.toReversed())
    expect(sort(['100.00 USD', '20.5 USDC', '3 EUR'])).toEqual(['3 EUR', '20.5 USDC', '100.00 USD'])
    const exact = parseJson('[9007199254740993, 9007199254740992]') as unknown[]
    expect(JSON.stringify(sort(exact))).toBe('[9007199254740992,9007199254740993]')
  })

  it('compares times by their instant, and text as people do', () => {
    const times = ['2026-11-01T10:00:00+02:00', '2026-11-01T09:00:00Z', '2026-10-31']
    expect(sort(times)).toEqual(['2026-10-31', '2026-11-01T10:00:00+02:00', '2026-11-01T09:00:00Z'])
    expect(sort(['Zoë', 'ångström', 'Bob', 'ada'])).toEqual(['ada', 'ångström', 'Bob', 'Zoë'])
  })

  it('puts items without a value last, in both directions, and keeps the order of equal ones', () => {
    expect(sort(['', 'b', null, 'a'], '-value')).toEqual(['b', 'a', '', null])
    expect(sort(['', 'b', null, 'a'], 'VALUE:asc')).toEqual(['a', 'b', '', null])
    expect(sort(['1.0', '1', '1.00'], 'the value:desc')).toEqual(['1.0', '1', '1.00'])
  })

  it.each([
    ['nope', 'There is no column "nope"'],
    ['-value:desc', 'names two directions'],
    ['', 'There is no column ""'],
  ])('rejects %j', (order, reason) => {
    expect(() => sort([], order)).toThrow(reason)
  })

  it('reads all pages, says so, and shows the first of them with --limit', async () => {
    const service = await serve((asked, response) => {
      const isLast = asked.query.has('pageToken')
      const names = isLast ? ['Ada', 'Dan'] : ['Cem', 'Bob']
      const customers = names.map((name, index) => customer(index + (isLast ? 2 : 0), {name}))
      reply(response, 200, {customers, ...(!isLast && {nextPageToken: 'more'})})
    })
    const list = (...flags: string[]) => run(freshHome(), ['customers', 'list', ...flags], {env: service.env})
    const all = await list('--sort', 'name', '--columns', 'name', '-o', 'csv')
    expect(all.out).toBe('name\nAda\nBob\nCem\nDan\n')
    expect(all.err).toBe('Read all 4 customers in 2 pages to sort them: the service cannot sort.\n')
    const some = await list('--sort', '-name', '--limit', '2', '--jq', '.nextPageToken, .customers[].name')
    expect(some.out).toBe('null\nDan\nCem\n')
    expect(some.err).toContain('2 of 4 customers shown')
    const refused = await list('--sort', 'name', '--page-token', 'more')
    expect({code: refused.code, out: refused.out}).toEqual({code: 2, out: ''})
  })

  it('sorts lists that svc itself keeps', async () => {
    const {out} = await run(freshHome(), ['codes', '--sort', '-code', '--jq', '.codes[].code'])
    const codes = out.trimEnd().split('\n')
    expect(codes.length).toBeGreaterThan(5)
    expect(codes).toEqual(codes.toSorted(new Intl.Collator('en').compare).toReversed())
  })
})
