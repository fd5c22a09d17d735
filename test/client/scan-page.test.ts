// A page that is checked in its bytes is the page that parsing gives, and anything unusual is left to parsing.
import {describe, expect, it} from 'vitest'
import {cutItemLines as cutLines} from '../../src/client/item-lines.ts'
import {createPageScanner} from '../../src/client/scan-page.ts'
import {type WireEndpoint, wire} from '../../src/contract/wire.frozen.ts'
import {readScannedIds} from '../support/scanned-ids.ts'
import {customer, customerId, reply, serve} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'
import {transaction} from '../support/transactions.ts'

const lists = {customers: wire['customers']?.['list'], transactions: wire['transactions']?.['list']}
const scan = (text: string, list: keyof typeof lists = 'customers') =>
  createPageScanner(lists[list] as WireEndpoint)(text) as Record<string, unknown> | undefined

const cutItemLines = (...args: Parameters<typeof cutLines>) => cutLines(...args)?.toString()

const toLines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('')
const customers = [customer(1), customer(2, {riskTier: 3, phone: null, more: [{a: {b: []}}, true, -1, 'x\n"y"']})]

describe('a scanned page', () => {
  it.each([
    ['with a token', {customers, nextPageToken: 'b'}],
    ['without one', {customers}],
    ['with its list last', {total: 3, more: {customerId: 'x'}, customers}],
    [
      'with fields in another order',
      {customers: [customer(1), Object.fromEntries(Object.entries(customer(2)).toReversed())]},
    ],
  ])('is the parsed page %s', (_, page) => {
    const found = scan(JSON.stringify(page))
    expect(found).toEqual(page)
    expect(Object.keys(found ?? {})).toEqual(Object.keys(page))
    expect(cutItemLines(found ?? {}, 'customers')).toBe(toLines(page.customers))
  })

  it('knows its length and its ids before it is parsed', () => {
    const found = scan(JSON.stringify({customers}))
    expect(found?.['customers']).toHaveLength(2)
    expect(readScannedIds(found)).toEqual([customerId(1), customerId(2)])
  })

  it('has items that can be used as any others', () => {
    const items = scan(JSON.stringify({customers}))?.['customers'] as unknown[]
    expect(Array.isArray(items)).toBe(true)
    expect(0 in items).toBe(true)
    expect(items.map((item) => (item as {customerId: string}).customerId)).toEqual([customerId(1), customerId(2)])
    expect(JSON.stringify(items)).toBe(JSON.stringify(customers))
    expect([...items]).toEqual(customers)
    items.push('more')
    expect(items).toHaveLength(3)
    items[0] = 'first'
    items.pop()
    expect(items).toEqual(['first', customers[1]])
  })

  it('of transactions is read as well', () => {
    const transactions = [transaction(1), transaction(2, 'COMPLETED', {correlationId: 'a'}), transaction(3)]
    const found = scan(JSON.stringify({transactions, nextPageToken: 'x'}), 'transactions')
    expect(cutItemLines(found ?? {}, 'transactions')).toBe(toLines(transactions))
  })

  it('with characters beyond ASCII has no lines, since some may have to be escaped', () => {
    const page = {customers: [customer(1, {name: 'Zoë \u202e'}), customer(2)], nextPageToken: 'ü'}
    const found = scan(JSON.stringify(page))
    expect(cutItemLines(found ?? {}, 'customers')).toBeUndefined()
    expect(found).toEqual(page)
  })

  const one = JSON.stringify(customer(1))
  const other = (from: string, to: string) => {
    expect(one).toContain(from)
    return `{"customers":[${one.replace(from, to)}]}`
  }
  it.each([
    ['an empty list', '{"customers":[]}'],
    ['no list', '{"total":1}'],
    ['null for the list', '{"customers":null}'],
    ['an item that is no object', `{"customers":[${one},1]}`],
    ['blanks', `{"customers": [${one}]}`],
    ['line breaks', JSON.stringify({customers}, null, 2)],
    ['a line break at the end', `{"customers":[${one}]}\n`],
    ['something behind it', `{"customers":[${one}]}{}`],
    ['a comma too many', `{"customers":[${one},]}`],
    ['the list twice', `{"customers":[${one}],"customers":[${one}]}`],
    ['a field twice', other('{', `{"customerId":"${customerId(1)}",`)],
    ['an unknown field twice', other('{', '{"x":1,"x":1,')],
    ['a field spelled with an escape', other('"customerId"', String.raw`"\u0063ustomerId"`)],
    ['text with an escape by number', other('"ACTIVE"', String.raw`"\u0041CTIVE"`)],
    ['text with an escape that does not exist', other('"ACTIVE"', String.raw`"\ACTIVE"`)],
    ['text with a control character', other('"ACTIVE"', '"ACT\tIVE"')],
    ['text without an end', other('"ACTIVE"', '"ACTIVE')],
    ['a missing field', other('"customerId"', '"otherId"')],
    ['null for a field that is required', other(`"${customerId(1)}"`, 'null')],
    ['a value of another type', other('"ACTIVE"', '3')],
    ['an id that is no UUID', other(customerId(1), '12')],
    ['a time that is none', other('2026-', 'soon-')],
    ['a key that JavaScript puts first', other('{', '{"1":2,')],
    ['a word that is none', other('"ACTIVE"', 'nul')],
    ...['1.5', '1e2', '-0', '01', '1234567890123456', '+1', '-', '.5', 'NaN'].map((number) => [
      `the number ${number}`,
      other('{', `{"x":${number},`),
    ]),
    ['too many levels', other('{', `{"x":${'['.repeat(200)}${']'.repeat(200)},`)],
  ])('is left to parsing with %s', (_, text = '') => expect(scan(text)).toBeUndefined())

  it.each(['2026-11-01T12:00:00.123456Z', '2026-11-01 12:00', '2026-11-01t12:00:00+02:00', '2026-11-01T12:00:00'])(
    'takes the time %s',
    (updatedAt) => expect(scan(JSON.stringify({customers: [customer(1, {updatedAt})]}))).toBeDefined(),
  )

  it('is parsed for the rest of a list after three that were unusual', () => {
    const scanPage = createPageScanner(lists.customers as WireEndpoint)
    const usual = JSON.stringify({customers})
    for (let page = 0; page < 2; page++) expect(scanPage('{}')).toBeUndefined()
    expect(scanPage(usual)).toBeDefined()
    expect(scanPage('{}')).toBeUndefined()
    expect(scanPage(usual)).toBeUndefined()
  })
})

describe('a list of several pages', () => {
  it.each(['jsonl', 'json', 'csv'])('is printed as %s like one that is parsed', async (format) => {
    const print = async (write: (page: unknown) => string) => {
      const service = await serve((request, response) => {
        const page = Number(request.query.get('pageToken') ?? 1)
        const next = page < 4 && {nextPageToken: String(page + 1)}
        reply(response, 200, write({customers: [customer(page * 2), customer(page * 2 + 1, {riskTier: 2})], ...next}))
      })
      const {code, out} = await run(freshHome(), ['customers', 'list', '--all', '-o', format], {env: service.env})
      expect(code).toBe(0)
      return out
    }
    expect(await print((page) => JSON.stringify(page))).toBe(await print((page) => JSON.stringify(page, null, 1)))
  })

  it('reports a later page that violates the contract', async () => {
    const service = await serve((request, response) =>
      reply(
        response,
        200,
        request.query.get('pageToken')
          ? {customers: [customer(2, {customerStatus: 3})]}
          : {customers: [customer(1)], nextPageToken: 'b'},
      ),
    )
    const {err} = await run(freshHome(), ['customers', 'list', '--all', '-o', 'jsonl'], {env: service.env})
    expect(err).toContain('customerStatus')
  })
})
