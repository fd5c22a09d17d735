// Lists that svc filters itself: no match is skipped or shown twice, whatever page sizes the service uses.
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {type Page, type PagingOptions, type WalkedPage, findItem, walkPages} from '../../src/client/paging.ts'
import {captureError} from './raw-service.ts'

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
    const from = Number(query.pageToken ?? 0)
    const to = Math.min(rows.length, from + sizeOf(query.pageSize, calls.length))
    return {items: rows.slice(from, to), ...(to < rows.length && {nextPageToken: String(to)})}
  }
  return {fetchPage, calls}
}

const toRows = (pattern: ReadonlyArray<boolean | undefined>): Row[] => pattern.map((matches, row) => ({row, matches}))

// Every nth row matches.
const everyNth = (total: number, nth: number) =>
  toRows(Array.from({length: total}, (_, index) => (index + 1) % nth === 0))

async function walkAll(fetchPage: (query: PageQuery) => Promise<Page>, paging: PagingOptions) {
  const pages: WalkedPage[] = []
  for await (const page of walkPages(fetchPage, 'items', {...paging, filter: keep})) pages.push(page)
  return {rows: pages.flatMap(({items}) => (items as Row[]).map(({row}) => row)), last: pages.at(-1)}
}

const matching = (rows: readonly Row[]) => rows.filter(({matches}) => matches).map(({row}) => row)

describe('a filtered walk', () => {
  it('requests the largest pages until 20 items match', async () => {
    const rows = everyNth(1000, 10)
    const {fetchPage, calls} = source(rows)
    const found = await walkAll(fetchPage, {})
    expect(found.rows).toEqual(matching(rows).slice(0, 20))
    expect(calls).toEqual([{pageSize: 100}, {pageSize: 100, pageToken: '100'}])
    expect(found.last).toMatchObject({resumeToken: '200', read: {items: 200, pages: 2, undecided: 0}})
  })

  it('requests a page with too many matches again, so that it ends with the last wanted match', async () => {
    const rows = everyNth(1000, 10)
    const {fetchPage, calls} = source(rows)
    const found = await walkAll(fetchPage, {limit: 13})
    expect(found.rows).toEqual(matching(rows).slice(0, 13))
    expect(calls).toEqual([{pageSize: 100}, {pageSize: 100, pageToken: '100'}, {pageSize: 30, pageToken: '100'}])
    expect(found.last).toMatchObject({resumeToken: '130', read: {items: 130, pages: 2}})
  })

  it('reads to the end with --all, and requests pages ahead as every walk does', async () => {
    const rows = everyNth(250, 50)
    const {fetchPage, calls} = source(rows)
    const ahead: number[] = []
    for await (const page of walkPages(fetchPage, 'items', {all: true, filter: keep})) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(page.items.length).toBeLessThanOrEqual(2)
      ahead.push(calls.length)
    }
    expect(ahead).toEqual([2, 3, 3])
  })

  it('counts undecided items once, even on a page that is requested again', async () => {
    const {fetchPage} = source(toRows([undefined, true, undefined, true, true]))
    const found = await walkAll(fetchPage, {limit: 2})
    expect(found.rows).toEqual([1, 3])
    expect(found.last?.read).toEqual({items: 4, pages: 1, undecided: 2})
  })

  it('reports what it left out, and resumes at the same page, if the service sends more than the page size', async () => {
    const {fetchPage, calls} = source(everyNth(90, 3), () => 30)
    const found = await walkAll(fetchPage, {limit: 12})
    expect(found.rows).toEqual([2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 32, 35])
    expect(calls.map(({pageSize}) => pageSize)).toEqual([100, 100, 6])
    expect(found.last).toMatchObject({cutCount: 8, resumeToken: '30'})
  })

  it('ends with an error, not an endless loop, if a token is repeated', async () => {
    const fetchPage = async (): Promise<Page> => ({items: [], nextPageToken: 'x'})
    expect(await captureError(walkAll(fetchPage, {}))).toMatchObject({error: 'PAGE_TOKEN_REPEATED'})
  })

  const patterns = fc.array(fc.constantFrom(true, false, false, undefined), {maxLength: 80})
  const sizes = fc.integer({min: 1, max: 15})

  it('shows every match once and in order up to its limit, and resumes from its token with exactly the rest', async () => {
    await fc.assert(
      fc.asyncProperty(
        patterns,
        fc.option(sizes, {nil: undefined}),
        fc.integer({min: 1, max: 30}),
        fc.array(fc.integer({min: 0, max: 15})),
        async (pattern, pageSize, limit, moods) => {
          const rows = toRows(pattern)
          // A service may send fewer than the page size, but not none forever.
          const {fetchPage, calls} = source(rows, (requested, call) => Math.min(requested, moods[call] || requested))
          const first = await walkAll(fetchPage, {limit, pageSize})
          expect(first.rows).toEqual(matching(rows).slice(0, limit))
          expect(calls.every((call) => call.pageSize >= 1 && call.pageSize <= (pageSize ?? 100))).toBe(true)
          const token = first.last?.resumeToken
          const rest = token === undefined ? [] : (await walkAll(fetchPage, {all: true, pageToken: token})).rows
          expect([...first.rows, ...rest]).toEqual(matching(rows))
        },
      ),
      {numRuns: 500},
    )
  })

  it('skips no match if the service ignores the page size', async () => {
    await fc.assert(
      fc.asyncProperty(patterns, sizes, fc.integer({min: 1, max: 30}), async (pattern, size, limit) => {
        const rows = toRows(pattern)
        const {fetchPage} = source(rows, () => size)
        const first = await walkAll(fetchPage, {limit})
        expect(first.rows).toEqual(matching(rows).slice(0, limit))
        const isWhole = first.last?.cutCount === undefined && first.last?.resumeToken === undefined
        const rest = isWhole ? [] : (await walkAll(fetchPage, {all: true, pageToken: first.last?.resumeToken})).rows
        expect(new Set([...first.rows, ...rest])).toEqual(new Set(matching(rows)))
      }),
      {numRuns: 300},
    )
  })

  it('ends even if rows are added in front while it requests a page again', async () => {
    await fc.assert(
      fc.asyncProperty(patterns, fc.array(fc.nat(3)), fc.integer({min: 1, max: 5}), async (pattern, added, limit) => {
        let rows = toRows(pattern)
        let calls = 0
        const fetchPage = async ({pageSize, pageToken}: PageQuery): Promise<Page> => {
          const more = added[calls++] ?? 0
          rows = [...toRows(Array.from({length: more}, () => true)), ...rows]
          const from = Number(pageToken ?? 0)
          const to = Math.min(rows.length, from + pageSize)
          return {items: rows.slice(from, to), ...(to < rows.length && {nextPageToken: `${to}`})}
        }
        expect((await walkAll(fetchPage, {limit, pageSize: 10})).rows.length).toBeLessThanOrEqual(limit)
        expect(calls).toBeLessThan(120)
      }),
      {numRuns: 200},
    )
  })
})

describe('finding one item', () => {
  it('returns undefined at the end of the list', async () => {
    expect(await findItem(source(everyNth(30, 100)).fetchPage, 'items', keep)).toBeUndefined()
  })
})
