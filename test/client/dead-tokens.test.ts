// A page token that the service refuses in the middle of a list: the list is read again once, and no row is shown twice.
import {describe, expect, it} from 'vitest'
import {type Page, walkPages} from '../../src/client/paging.ts'
import {payment} from '../support/payments.ts'
import {refusal, servePayments} from '../support/scripted-service.ts'
import {customer, reply, serve} from '../support/service.ts'
import {type Home, freshHome, json, run} from '../support/svc.ts'
import {captureError} from './raw-service.ts'

interface DeadTokens {
  // The requests with a token that are refused, counted from 1.
  deaths: number[]
  status?: number
  // Customers that are new, in front of the others, after the first death.
  newCount?: number
  isShuffled?: boolean
}

// A service with this many customers, newest first. Tokens name the last customer of the page before.
async function serveCustomers(total: number, {deaths, status = 400, newCount = 0, isShuffled = false}: DeadTokens) {
  const all = Array.from({length: total + newCount}, (_, index) => customer(index))
  let customers = all.slice(newCount)
  let used = 0
  return serve(({query}, response) => {
    const token = query.get('pageToken')
    if (token !== null && deaths.includes(++used)) {
      customers = isShuffled ? all.toReversed() : all
      return reply(response, status, {error: 'BAD_REQUEST', message: 'pageToken: expired', statusCode: status})
    }
    const from = token === null ? 0 : customers.findIndex(({customerId}) => customerId === token) + 1
    const page = customers.slice(from, from + Number(query.get('pageSize') ?? 10))
    const isLast = from + page.length >= customers.length
    return reply(response, 200, {customers: page, ...(!isLast && {nextPageToken: page.at(-1)?.customerId})})
  })
}

const list = (env: Record<string, string>, ...flags: string[]) =>
  run(freshHome(), ['customers', 'list', '-o', 'jsonl', ...flags], {env})

const readNames = (out: string) =>
  out
    .split('\n')
    .filter(Boolean)
    .map((line) => json(line)['name'])

const numberNames = (from: number, to: number) =>
  Array.from({length: to - from}, (_, index) => `Customer ${from + index}`)

describe('a list whose page token dies', () => {
  it.each([400, 404, 410])('with %i is read again, and shows every row once', async (status) => {
    const service = await serveCustomers(250, {deaths: [2], status, newCount: 7})
    const {code, out, err} = await list(service.env, '--all', '--page-size', '50')
    expect({code, err}).toEqual({code: 0, err: ''})
    const names = readNames(out)
    // What came while the list was read is shown as well, after what was shown already.
    expect(names).toEqual([...numberNames(7, 107), ...numberNames(0, 7), ...numberNames(107, 257)])
  })

  it('repeats and misses nothing if its order changes', async () => {
    const service = await serveCustomers(230, {deaths: [1], isShuffled: true})
    const names = readNames((await list(service.env, '--all')).out)
    expect(new Set(names)).toEqual(new Set(numberNames(0, 230)))
    expect(names).toHaveLength(230)
  })

  it('is joined without repetition in one JSON document', async () => {
    const service = await serveCustomers(250, {deaths: [2]})
    const {out} = await run(freshHome(), ['customers', 'list', '--json', '--all'], {env: service.env})
    expect((json(out)['customers'] as Array<{name: string}>).map(({name}) => name)).toEqual(numberNames(0, 250))
  })

  it('still ends at --limit, with a token that skips nothing', async () => {
    const service = await serveCustomers(250, {deaths: [2]})
    const first = await run(freshHome(), ['customers', 'list', '--json', '--limit', '125', '--page-size', '50'], {
      env: service.env,
    })
    const {customers, nextPageToken} = json(first.out) as {customers: Array<{name: string}>; nextPageToken: string}
    expect(customers.map(({name}) => name)).toEqual(numberNames(0, 125))
    const rest = readNames((await list(service.env, '--all', '--page-token', nextPageToken)).out)
    expect(new Set([...numberNames(0, 125), ...rest])).toEqual(new Set(numberNames(0, 250)))
  })

  it('is an error the second time, which says how far it came', async () => {
    const service = await serveCustomers(500, {deaths: [3, 5]})
    const {code, out, err} = await run(freshHome(), ['customers', 'list', '--all', '--json'], {env: service.env})
    expect(code).toBe(6)
    expect(out).toBe('')
    expect(json(err)).toMatchObject({
      error: 'PAGE_TOKEN_REFUSED',
      statusCode: 400,
      message:
        'After 300 rows the service refused its own page token (400 BAD_REQUEST) twice, so the rest of the list cannot be read.',
    })
    const lines = await serveCustomers(500, {deaths: [3, 5]})
    expect(readNames((await list(lines.env, '--all')).out)).toEqual(numberNames(0, 300))
  })

  it('is not read again for a token that the caller gave, or for another refusal', async () => {
    const own = await serveCustomers(50, {deaths: [1]})
    expect((await list(own.env, '--all', '--page-token', 'old')).code).toBe(3)
    expect(own.requests).toHaveLength(1)
    const forbidden = await serveCustomers(250, {deaths: [1], status: 403})
    expect((await list(forbidden.env, '--all')).code).toBe(4)
    expect(forbidden.requests).toHaveLength(2)
  })
})

describe('a filtered list whose page token dies', () => {
  const readRows = async (deaths: number[]) => {
    let used = 0
    const rows = Array.from({length: 50}, (_, id) => ({id: `row-${id}`, matches: id % 2 === 0}))
    const fetchPage = async ({pageToken = '0'}: {pageToken?: string}): Promise<Page> => {
      if (pageToken !== '0' && deaths.includes(++used)) {
        const {createReplyFailure} = await import('../../src/client/failures.ts')
        const request = {
          method: 'GET',
          path: '/rows',
          host: 'h',
          url: 'https://h/rows',
          caller: 'c',
          listBaseUrl: undefined,
        }
        throw createReplyFailure(request, {status: 410, headers: new Headers()} as never, {
          json: {error: 'GONE'},
          text: '',
        })
      }
      const from = Number(pageToken)
      return {items: rows.slice(from, from + 10), ...(from + 10 < 50 && {nextPageToken: String(from + 10)})}
    }
    const shown: string[] = []
    const filter = ({matches}: Readonly<Record<string, unknown>>) => matches === true
    let read
    for await (const page of walkPages(fetchPage, 'items', {all: true, filter})) {
      shown.push(...(page.items as Array<{id: string}>).map(({id}) => id))
      read = page.read
    }
    return {shown, read}
  }

  it('shows every match once, and counts what it read once', async () => {
    const {shown, read} = await readRows([3])
    expect(shown).toEqual(Array.from({length: 25}, (_, index) => `row-${index * 2}`))
    expect(read).toMatchObject({items: 50, pages: 5})
  })

  it('is an error the second time', async () => {
    const error = await captureError(readRows([3, 5]))
    expect(error).toMatchObject({error: 'PAGE_TOKEN_REFUSED', exitCode: 6})
    expect((error as Error).message).toMatch(/^After 30 rows /)
  })
})

describe('a list that is too long to remember', () => {
  it('is not read again, since rows would be repeated', async () => {
    const perPage = 100_000
    const fetchPage = async ({pageToken = '0'}: {pageToken?: string}): Promise<Page> => {
      const from = Number(pageToken)
      if (from >= 1_100_000) {
        const {createReplyFailure} = await import('../../src/client/failures.ts')
        const request = {
          method: 'GET',
          path: '/rows',
          host: 'h',
          url: 'https://h/rows',
          caller: 'c',
          listBaseUrl: undefined,
        }
        throw createReplyFailure(request, {status: 400, headers: new Headers()} as never, {
          json: {error: 'EXPIRED'},
          text: '',
        })
      }
      const items = Array.from({length: perPage}, (_, index) => ({id: String(from + index)}))
      return {items, nextPageToken: String(from + perPage)}
    }
    let count = 0
    const readAll = async () => {
      for await (const {items} of walkPages(fetchPage, 'items', {all: true})) count += items.length
    }
    const error = await captureError(readAll())
    expect(count).toBe(1_100_000)
    expect((error as Error).message).toBe(
      'After 1100000 rows the service refused its own page token (400 EXPIRED), and they are too many to read the list again without repeating any, so the rest of the list cannot be read',
    )
  })
})

describe('a payment whose list loses its page token', () => {
  // Each key has an amount of its own.
  const pay = (home: Home, key: string, env: Record<string, string>) =>
    run(home, [...payment(key, String(key.charCodeAt(0))), '--yes', '--quiet'], {env})

  it('is still found at the end of the list, and not paid again', async () => {
    const service = await servePayments({keys: 'ignored', pageItemsMax: 1})
    const [here, elsewhere] = [freshHome(), freshHome()]
    for (const key of ['a', 'b', 'c', 'd']) expect((await pay(elsewhere, key, service.env)).code).toBe(0)
    // The newest is first, so "a" is on the last page.
    service.behaviour.deadPageTokens = {refusal: refusal(410, 'GONE', 'pageToken: expired'), times: 1}
    expect((await pay(here, 'a', service.env)).code).toBe(0)
    expect(service.transactions).toHaveLength(4)
    expect(service.behaviour.deadPageTokens.times).toBe(0)
  })

  it('stops before anything is sent if the list cannot be read to its end', async () => {
    const service = await servePayments({keys: 'ignored', pageItemsMax: 1})
    const [here, elsewhere] = [freshHome(), freshHome()]
    for (const key of ['a', 'b', 'c']) await pay(elsewhere, key, service.env)
    service.behaviour.deadPageTokens = {refusal: refusal(400, 'BAD_REQUEST', 'pageToken: expired'), times: 9}
    const {code, err} = await pay(here, 'a', service.env)
    expect(code).toBe(6)
    expect(err).toContain('After one row the service refused its own page token')
    expect(service.transactions).toHaveLength(3)
  })
})
