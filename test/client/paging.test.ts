// Lists are read page by page: which pages are requested, where a list ends and continues, and that no item is skipped or shown twice.
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {type Page, type PagingOptions, type WalkedPage, findItem, walkPages} from '../../src/client/paging.ts'
import {type Service, customer, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {captureError, errorLine} from './raw-service.ts'
import {seed} from '../support/seed.ts'

// A service with this many customers whose tokens are the index of the next one.
const serveCustomers = (total: number, sizeOf = (requested: number) => requested) =>
  serve(({query}, response) => {
    const from = Number(query.get('pageToken') ?? 0)
    const to = Math.min(total, from + sizeOf(Number(query.get('pageSize') ?? 10)))
    const customers = Array.from({length: to - from}, (_, index) => customer(from + index))
    reply(response, 200, {customers, ...(to < total && {nextPageToken: String(to)})})
  })

const getPageSizes = ({requests}: Service) => requests.map(({query}) => query.get('pageSize'))

async function list({env}: Service, ...flags: string[]) {
  const {code, out, err} = await run(freshHome(), ['customers', 'list', '--json', ...flags], {env})
  const body = out === '' ? {customers: []} : (json(out) as {customers: Array<{name: string}>; nextPageToken?: unknown})
  return {code, out, err, ...body}
}

describe('a list', () => {
  it.each([
    [[], ['20'], 20, '20', /more follow/],
    [['--all'], ['100', '100', '100'], 250, undefined, /^$/],
    [['--limit', '25', '--page-size', '10'], ['10', '10', '5'], 25, '25', /more follow/],
  ] as const)('with %j requests pages of %j', async (flags, sizes, count, token, says) => {
    const service = await serveCustomers(250)
    const first = await list(service, ...flags)
    expect([first.code, first.customers.length, first.nextPageToken]).toEqual([0, count, token])
    expect(first.err).toMatch(says)
    expect(getPageSizes(service)).toEqual(sizes)
  })

  it('says if the service sent more than was requested, and a later walk skips none of it', async () => {
    const service = await serveCustomers(60, () => 30)
    const {code, err, customers, nextPageToken} = await list(service, '--limit', '40')
    expect([code, customers.length, nextPageToken]).toEqual([0, 40, '30'])
    expect(getPageSizes(service)).toEqual(['40', '10'])
    expect(err).toContain('sent more than was requested')
    const first = await list(service, '--limit', '20')
    expect([first.customers.length, first.nextPageToken]).toEqual([20, undefined])
  })

  it.each([
    ['absent', {}],
    ['null', {nextPageToken: null}],
    ['empty', {nextPageToken: ''}],
  ])('ends if the next token is %s', async (_, ending) => {
    const service = await serve((_asked, response, count) =>
      reply(response, 200, {customers: [customer(count)], ...(count === 1 ? {nextPageToken: 'b'} : ending)}),
    )
    expect(await list(service, '--all')).toMatchObject({code: 0, err: '', customers: {length: 2}})
    expect(service.requests).toHaveLength(2)
  })

  it.each([
    ['at once', [], ['a', 'a']],
    ['later on', [], ['a', 'b', 'c', 'a']],
    ['that was sent', ['--page-token', 'a'], ['a']],
  ])('ends with an error, not an endless loop, if the service repeats a token %s', async (_, flags, tokens) => {
    const service = await serve((_asked, response, count) =>
      reply(response, 200, {customers: [], nextPageToken: tokens[count - 1] ?? 'z'}),
    )
    expect(errorLine(await list(service, '--all', ...flags), 6)).toMatchObject({error: 'PAGE_TOKEN_REPEATED'})
    expect(service.requests).toHaveLength(tokens.length)
  })

  it.each(['7', '{}', '[]', 'true'])(
    'cannot continue from the token %s, which is the service’s fault',
    async (token) => {
      const service = await serve((_, response) => reply(response, 200, `{"customers":[],"nextPageToken":${token}}`))
      expect(await list(service, '--all')).toMatchObject({code: 6, out: ''})
    },
  )

  it('sends a token back exactly, whatever is in it', async () => {
    const token = 'a+b/c==&d=e?#%20 ü"\u{1f98a}'
    const service = await serve((_, response, count) =>
      reply(response, 200, {customers: [], ...(count === 1 && {nextPageToken: token})}),
    )
    expect(await list(service, '--all')).toMatchObject({code: 0})
    expect(service.requests[1]?.query.get('pageToken')).toBe(token)
  })

  it.each([
    [['--all'], 4, 4, undefined],
    [[], 4, 3, 't3'],
    [[], Number.POSITIVE_INFINITY, 21, 't21'],
  ])('continues after an empty page that has a token, but not for ever: %j', async (flags, total, read, token) => {
    const service = await serve((_, response, count) =>
      reply(response, 200, {
        customers: count < 3 || total > 4 ? [] : [customer(count)],
        ...(count < total && {nextPageToken: `t${count}`}),
      }),
    )
    expect(await list(service, ...flags)).toMatchObject({code: 0, ...(token && {nextPageToken: token})})
    expect(service.requests).toHaveLength(read)
  })
})

interface PageQuery {
  pageSize: number
  pageToken?: string
}

interface Row {
  row: number
  matches: boolean | undefined
}

const keep = (item: Readonly<Record<string, unknown>>) => item['matches'] as boolean | undefined

// A list whose tokens are the index of the next row. `sizeOf` decides how many rows it sends.
function source(rows: readonly Row[], sizeOf: (requested: number, call: number) => number = (requested) => requested) {
  const calls: PageQuery[] = []
  const fetchPage = async (query: PageQuery): Promise<Page> => {
    calls.push(query)
    // The round tells apart the tokens of empty pages.
    const [from = 0, round = 0] = (query.pageToken ?? '0').split('.').map(Number)
    const to = Math.min(rows.length, from + sizeOf(query.pageSize, calls.length))
    const next = to === from ? `${to}.${round + 1}` : String(to)
    return {items: rows.slice(from, to), ...(to < rows.length && {nextPageToken: next})}
  }
  return {fetchPage, calls}
}

const toRows = (pattern: ReadonlyArray<boolean | undefined>): Row[] => pattern.map((matches, row) => ({row, matches}))

// Every nth row matches.
const everyNth = (total: number, nth: number) =>
  toRows(Array.from({length: total}, (_, index) => (index + 1) % nth === 0))

async function walkAll(fetchPage: (query: PageQuery) => Promise<Page>, paging: PagingOptions) {
  const pages: WalkedPage[] = []
  for await (const page of walkPages(fetchPage, 'items', paging)) pages.push(page)
  return {rows: pages.flatMap(({items}) => (items as Row[]).map(({row}) => row)), last: pages.at(-1)}
}

const matching = (rows: readonly Row[]) => rows.filter(({matches}) => matches).map(({row}) => row)

describe('a walk', () => {
  const patterns = fc.array(fc.constantFrom(true, false, false, undefined), {maxLength: 80})
  const sizes = fc.integer({min: 1, max: 15})
  const limits = fc.integer({min: 1, max: 70})
  const isFiltered = fc.boolean()

  it('shows every item once and in order up to its limit, and resumes from its token with exactly the rest', async () => {
    await fc.assert(
      fc.asyncProperty(
        patterns,
        isFiltered,
        sizes,
        limits,
        fc.array(fc.nat(15)),
        async (pattern, filtered, pageSize, limit, moods) => {
          const rows = toRows(pattern)
          const filter = filtered ? keep : undefined
          const wanted = filtered ? matching(rows) : rows.map(({row}) => row)
          // A service may send fewer than the page size, or none at all for a while.
          const {fetchPage, calls} = source(rows, (requested, call) => Math.min(requested, moods[call] ?? requested))
          const {rows: first, last} = await walkAll(fetchPage, {limit, pageSize, filter})
          expect(first).toEqual(wanted.slice(0, limit))
          expect(Math.max(...calls.map((call) => call.pageSize))).toBeLessThanOrEqual(
            filtered ? pageSize : Math.min(pageSize, limit),
          )
          const token = last?.resumeToken
          const rest = token === undefined ? [] : (await walkAll(fetchPage, {all: true, pageToken: token, filter})).rows
          expect([...first, ...rest]).toEqual(wanted)
        },
      ),
      {seed, numRuns: 600},
    )
  })

  it('skips no item, and reports cut ones, if the service ignores the page size', async () => {
    await fc.assert(
      fc.asyncProperty(patterns, isFiltered, sizes, sizes, limits, async (pattern, filtered, pageSize, size, limit) => {
        const rows = toRows(pattern)
        const filter = filtered ? keep : undefined
        const wanted = filtered ? matching(rows) : rows.map(({row}) => row)
        const {fetchPage} = source(rows, (requested) => (filtered ? size : requested + size))
        const {rows: first, last} = await walkAll(fetchPage, {limit, pageSize, filter})
        expect(first).toEqual(wanted.slice(0, limit))
        if (first.length === wanted.length) return
        expect(last?.cutCount !== undefined || last?.resumeToken !== undefined).toBe(true)
        const rest = await walkAll(fetchPage, {all: true, pageToken: last?.resumeToken, filter})
        expect(new Set([...first, ...rest.rows])).toEqual(new Set(wanted))
      }),
      {seed, numRuns: 400},
    )
  })

  it('ends even if rows are added in front while it requests a page again', async () => {
    await fc.assert(
      fc.asyncProperty(patterns, fc.array(fc.nat(3)), fc.integer({min: 1, max: 5}), async (pattern, added, limit) => {
        let rows = toRows(pattern)
        let calls = 0
        const fetchPage = (query: PageQuery) => {
          rows = [...toRows(Array.from({length: added[calls++] ?? 0}, () => true)), ...rows]
          return source(rows).fetchPage(query)
        }
        const {rows: found} = await walkAll(fetchPage, {limit, pageSize: 10, filter: keep})
        expect(found.length).toBeLessThanOrEqual(limit)
        expect(calls).toBeLessThan(120)
      }),
      {seed, numRuns: 200},
    )
  })

  it.each([undefined, keep])(
    'requests the next page while the current one is being written, and no further',
    async (filter) => {
      const {fetchPage, calls} = source(everyNth(50, 5))
      const seen: number[] = []
      for await (const page of walkPages(fetchPage, 'items', {all: true, pageSize: 10, filter})) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        seen.push(calls.length)
        expect(page.items).toHaveLength(filter ? 2 : 10)
      }
      expect(seen).toEqual([2, 3, 4, 5, 5])
    },
  )

  it('throws a failure of the next page only after the current page', async () => {
    const pages: unknown[] = []
    const fetchPage = async ({pageToken}: {pageToken?: string}): Promise<Page> => {
      if (pageToken) throw new Error('broken')
      return {items: [1], nextPageToken: 'b'}
    }
    const walking = async () => {
      for await (const {items} of walkPages(fetchPage, 'items', {all: true})) pages.push(items)
    }
    await expect(walking()).rejects.toThrow('broken')
    expect(pages).toEqual([[1]])
    const endless = async (): Promise<Page> => ({items: [], nextPageToken: 'x'})
    expect(await captureError(walkAll(endless, {filter: keep}))).toMatchObject({error: 'PAGE_TOKEN_REPEATED'})
    expect(await findItem(source(everyNth(30, 100)).fetchPage, 'items', keep)).toBeUndefined()
  })
})
