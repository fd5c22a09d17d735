// Lists are read page by page: which pages are requested, where a list ends, and where it continues.
import {describe, expect, it} from 'vitest'
import * as fc from 'fast-check'
import {type Page, type PagingOptions, type WalkedPage, walkPages} from '../../src/client/paging.ts'
import {type Service, customer, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {errorLine} from './raw-service.ts'

// A service with this many customers whose tokens are the index of the next one.
const serveCustomers = (total: number, sizeOf = (requested: number) => requested) =>
  serve(({query}, response) => {
    const from = Number(query.get('pageToken') ?? 0)
    const to = Math.min(total, from + sizeOf(Number(query.get('pageSize') ?? 10)))
    const customers = Array.from({length: to - from}, (_, index) => customer(from + index))
    reply(response, 200, {customers, ...(to < total && {nextPageToken: String(to)})})
  })

const getPageSizes = ({requests}: Service) => requests.map(({query}) => query.get('pageSize'))
const list = (more: string[], env: Record<string, string>) =>
  run(freshHome(), ['customers', 'list', '--json', ...more], {env})

interface Envelope {
  customers: Array<{name: string}>
  nextPageToken?: unknown
}
const parseEnvelope = (out: string) => json(out) as unknown as Envelope

describe('a list', () => {
  it('is one request for 20 items by default, with the token of the next page and a notice', async () => {
    const service = await serveCustomers(50)
    const {code, out, err} = await list([], service.env)
    expect(code).toBe(0)
    expect(parseEnvelope(out)).toMatchObject({customers: {length: 20}, nextPageToken: '20'})
    expect(err).toContain('more follow')
    expect(getPageSizes(service)).toEqual(['20'])
  })

  it('requests pages of 100 to the end with --all', async () => {
    const service = await serveCustomers(250)
    const {out, err} = await list(['--all'], service.env)
    expect(parseEnvelope(out).customers).toHaveLength(250)
    expect(parseEnvelope(out)).not.toHaveProperty('nextPageToken')
    expect(err).toBe('')
    expect(getPageSizes(service)).toEqual(['100', '100', '100'])
  })

  it('requests only the remainder with --limit, so that its token skips no item', async () => {
    const service = await serveCustomers(40)
    const first = parseEnvelope((await list(['--limit', '25', '--page-size', '10'], service.env)).out)
    expect(getPageSizes(service)).toEqual(['10', '10', '5'])
    expect(first.customers).toHaveLength(25)
    const rest = await list(['--all', '--page-token', String(first.nextPageToken)], service.env)
    const names = [...first.customers, ...parseEnvelope(rest.out).customers].map(({name}) => name)
    expect(names).toEqual(Array.from({length: 40}, (_, index) => `Customer ${index}`))
  })

  it.each([
    ['absent', {}],
    ['null', {nextPageToken: null}],
    ['empty', {nextPageToken: ''}],
  ])('ends if the next token is %s', async (_, ending) => {
    const service = await serve((_asked, response, count) =>
      reply(response, 200, {customers: [customer(count)], ...(count === 1 ? {nextPageToken: 'b'} : ending)}),
    )
    const {code, out, err} = await list(['--all'], service.env)
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(parseEnvelope(out).customers).toHaveLength(2)
    expect(service.requests).toHaveLength(2)
  })

  it.each([
    ['at once', ['a', 'a']],
    ['later on', ['a', 'b', 'c', 'a']],
  ])('ends with an error, not an endless loop, if the service repeats a token %s', async (_, tokens) => {
    const service = await serve((_asked, response, count) =>
      reply(response, 200, {customers: [], nextPageToken: tokens[count - 1] ?? 'z'}),
    )
    const line = errorLine(await list(['--all'], service.env), 6)
    expect(line).toMatchObject({error: 'PAGE_TOKEN_REPEATED', exitCode: 6})
    expect(service.requests).toHaveLength(tokens.length)
  })

  it('ends with an error if the service returns the token that was sent', async () => {
    const service = await serve(({query}, response) =>
      reply(response, 200, {customers: [], nextPageToken: query.get('pageToken')}),
    )
    errorLine(await list(['--all', '--page-token', 'a'], service.env), 6)
    expect(service.requests).toHaveLength(1)
  })

  it.each([
    {flags: ['--all'], read: 4, nextPageToken: undefined},
    {flags: [], read: 3, nextPageToken: 't3'},
  ])('continues after an empty page that has a token, with the flags $flags', async ({flags, read, nextPageToken}) => {
    const service = await serve((_, response, count) =>
      reply(response, 200, {
        customers: count < 3 ? [] : [customer(count)],
        ...(count < 4 && {nextPageToken: `t${count}`}),
      }),
    )
    const {out} = await list(flags, service.env)
    expect(parseEnvelope(out)).toMatchObject({customers: {length: read - 2}})
    expect(parseEnvelope(out).nextPageToken).toBe(nextPageToken)
    expect(service.requests).toHaveLength(read)
  })

  it('does not read on for ever if every page is empty and has a token', async () => {
    const service = await serve((_, response, count) =>
      reply(response, 200, {customers: [], nextPageToken: `t${count}`}),
    )
    const {code, out} = await list([], service.env)
    expect({code, ...parseEnvelope(out)}).toMatchObject({code: 0, customers: [], nextPageToken: 't21'})
    expect(service.requests).toHaveLength(21)
    const {err} = await run(freshHome(), ['customers', 'list', '-o', 'table'], {env: service.env})
    expect(err).toContain('0 customers shown; more follow: --all, --limit N, or `--page-token t42`')
  })

  it('reports if the service sent more than was requested, and a later walk skips none of it', async () => {
    const service = await serveCustomers(60, () => 30)
    const {code, out, err} = await list(['--limit', '40'], service.env)
    expect(code).toBe(0)
    expect(getPageSizes(service)).toEqual(['40', '10'])
    expect(parseEnvelope(out)).toMatchObject({customers: {length: 40}, nextPageToken: '30'})
    expect(err).toContain('sent more than was requested')
  })

  it.each(['7', '{}', '[]', 'true'])(
    'cannot continue from the token %s, which is the service’s fault',
    async (token) => {
      const service = await serve((_, response) => reply(response, 200, `{"customers":[],"nextPageToken":${token}}`))
      const {code, out} = await list(['--all'], service.env)
      expect({code, out}).toEqual({code: 6, out: ''})
    },
  )

  it('sends a token back exactly, whatever is in it', async () => {
    const token = 'a+b/c==&d=e?#%20 ü"\u{1f98a}'
    const service = await serve((_, response, count) =>
      reply(response, 200, {customers: [], ...(count === 1 && {nextPageToken: token})}),
    )
    expect(await list(['--all'], service.env)).toMatchObject({code: 0})
    expect(service.requests[1]?.query.get('pageToken')).toBe(token)
  })

  it('as JSON lines has printed the pages before a failure', async () => {
    const service = await serve((_, response, count) => {
      if (count === 1) reply(response, 200, {customers: [customer(1)], nextPageToken: 'b'})
      else reply(response, 400, {error: 'BAD_REQUEST', message: 'Token expired'})
    })
    const {code, out} = await run(freshHome(), ['customers', 'list', '--all', '-o', 'jsonl'], {env: service.env})
    expect({code, out}).toEqual({code: 6, out: `${JSON.stringify(customer(1))}\n`})
  })
})

// Pages of numbers whose tokens are indexes. `sizeOf` may ignore the page size or make a page empty.
function source(total: number, sizeOf: (requested: number, call: number) => number) {
  const calls: Array<{pageSize: number; pageToken?: string}> = []
  const fetchPage = async (paging: {pageSize: number; pageToken?: string}): Promise<Page> => {
    calls.push(paging)
    const [from = 0, round = 0] = (paging.pageToken ?? '0.0').split('.').map(Number)
    const to = Math.min(total, from + sizeOf(paging.pageSize, calls.length))
    const items = Array.from({length: to - from}, (_, index) => from + index)
    return {items, nextPageToken: to < total ? `${to}.${round + 1}` : null}
  }
  return {fetchPage, calls}
}

async function walkAll(fetchPage: Parameters<typeof walkPages>[0], paging: PagingOptions) {
  const pages: WalkedPage[] = []
  for await (const page of walkPages(fetchPage, 'items', paging)) pages.push(page)
  return {items: pages.flatMap(({items}) => items as number[]), last: pages.at(-1)}
}

describe('walkPages', () => {
  it('requests the next page while the current one is being written, and no further', async () => {
    const {fetchPage, calls} = source(50, (requested) => requested)
    const seen: number[] = []
    for await (const page of walkPages(fetchPage, 'items', {all: true, pageSize: 10})) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      seen.push(calls.length)
      expect(page.items).toHaveLength(10)
    }
    expect(seen).toEqual([2, 3, 4, 5, 5])
  })

  it('throws a failure of the next page only after the current page', async () => {
    const pages: WalkedPage[] = []
    const fetchPage = async ({pageToken}: {pageToken?: string}): Promise<Page> => {
      if (pageToken) throw new Error('broken')
      return {items: [1], nextPageToken: 'b'}
    }
    const walking = async () => {
      for await (const page of walkPages(fetchPage, 'items', {all: true})) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        pages.push(page)
      }
    }
    await expect(walking()).rejects.toThrow('broken')
    expect(pages.map(({items}) => items)).toEqual([[1]])
  })

  const totals = fc.nat(60)
  const sizes = fc.integer({min: 1, max: 15})

  it('yields every item once and in order up to its limit, and resumes from its token without a gap', async () => {
    await fc.assert(
      fc.asyncProperty(
        totals,
        sizes,
        fc.integer({min: 1, max: 70}),
        fc.array(fc.nat(15)),
        async (total, pageSize, limit, moods) => {
          // A service may send fewer than the page size, or none at all for a while.
          const {fetchPage, calls} = source(total, (requested, call) => Math.min(requested, moods[call] ?? requested))
          const {items, last} = await walkAll(fetchPage, {limit, pageSize})
          expect(items).toEqual(Array.from({length: Math.min(limit, total)}, (_, index) => index))
          expect(Math.max(...calls.map((call) => call.pageSize))).toBeLessThanOrEqual(Math.min(pageSize, limit))
          if (last?.resumeToken === undefined) {
            expect(items).toHaveLength(total)
            return
          }
          const rest = await walkAll(fetchPage, {all: true, pageToken: last.resumeToken})
          expect([...items, ...rest.items]).toEqual(Array.from({length: total}, (_, index) => index))
        },
      ),
      {numRuns: 300},
    )
  })

  it('skips no item, and reports cut ones, if the service sends more than the page size', async () => {
    await fc.assert(
      fc.asyncProperty(totals, sizes, sizes, fc.integer({min: 1, max: 70}), async (total, pageSize, extra, limit) => {
        const {fetchPage} = source(total, (requested) => requested + extra)
        const {items, last} = await walkAll(fetchPage, {limit, pageSize})
        expect(items).toEqual(Array.from({length: Math.min(limit, total)}, (_, index) => index))
        if (items.length === total) return
        expect(last?.cutCount !== undefined || last?.resumeToken !== undefined).toBe(true)
        const rest = await walkAll(fetchPage, {all: true, pageToken: last?.resumeToken})
        const known = new Set([...items, ...rest.items])
        expect(known.size).toBe(total)
      }),
      {numRuns: 300},
    )
  })
})
