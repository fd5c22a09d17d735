// What is sent, where, and with which credential; and what is refused before anything is sent, with all problems at once.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import type {Client} from '../../src/client/client.ts'
import {type Service, customer, customerId, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {useVirtualTime} from '../support/virtual-time.ts'
import {captureError, createTestClient, expectFailure} from './raw-service.ts'

useVirtualTime()

const serveOk = () => serve((_, response) => reply(response, 200, {ok: true, customers: [], quoteId: 'q'}))

const quote = {
  customerId: customerId(1),
  source: {sourcePaymentAccountId: 'a', sourceCurrency: 'USD', sourcePaymentMethod: 'ACH', sourceAmount: '10.50'},
  destination: {destinationPaymentAccountId: 'b', destinationPaymentMethod: 'BASE', destinationCurrency: 'USDC'},
} as const

const createQuote = (body: unknown) => (client: Client) => client.quotes.create({body: body as never})
const withAmount = (sourceAmount: unknown) => createQuote({...quote, source: {...quote.source, sourceAmount}})
const pay = (key?: string) => (client: Client) =>
  client.transactions.create({...(key !== undefined && {'x-idempotency-key': key}), body: {quoteId: 'q'}} as never)
const removed = {
  customerType: 'INDIVIDUAL',
  email: 'ada@example.com',
  kycData: {middleName: 'M', taxIdNumber: '1', title: 'Dr'},
}

type Row = [what: string, send: (client: Client) => Promise<unknown>, ...says: string[]]

describe('a request that is refused before it is sent', () => {
  it.each([
    ...['abc', '', '00000000-0000-4000-8000-0000000000000', '../customers', `${customerId(1)}/x`, ' '].map(
      (id): Row => [`a customer "${id}"`, (client) => client.customers.get({customerId: id}), 'customerId'],
    ),
    ...['.', '..', '', '\u{d800}'].map((ruleId): Row => [
      `a rule "${ruleId}"`,
      (client) => client.rules.get({ruleId}),
      'ruleId',
    ]),
    ...[0, 101, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY].map((pageSize): Row => [
      `a page of ${pageSize}`,
      (client) => client.customers.list({pageSize}),
      'pageSize',
    ]),
    [
      'several parameters',
      (client) => client.customers.list({pageSize: 500, organizationId: 'x'}),
      'pageSize must be at most 100',
      'organizationId must be a UUID',
    ],
    ['a missing parameter', (client) => client.accounts.list({} as never), 'customerId is missing'],
    [
      'a float for an amount, an unknown field and a bad id',
      createQuote({...quote, customerId: 'x', note: 'hi', source: {...quote.source, sourceAmount: 10.5}}),
      'source.sourceAmount',
      'note is not a field',
      'customerId must be a UUID',
    ],
    ...['1e3', '-1', '1,50', '', ' 1', '0x10', '.5', '٣'].map((amount): Row => [
      amount,
      withAmount(amount),
      'sourceAmount',
    ]),
    [
      'removed fields, with their replacements',
      (client) => client.customers.create({body: removed as never}),
      'kycData.middleName',
      'legalMiddleName',
      'kycData.taxIdNumber',
      'kycData.title',
    ],
    ...[undefined, null, [], 'x'].map((body): Row => [`the body ${JSON.stringify(body)}`, createQuote(body)]),
    ['a transaction without its key', pay(), 'x-idempotency-key'],
    ...['ü', 'a\nb: c', '\u{1f98a}'].map((key): Row => [`the key ${key}`, pay(key), 'x-idempotency-key']),
  ])('for %s', async (_, send, ...says) => {
    const service = await serveOk()
    const failure = await captureError(send(createTestClient(service.url)))
    expect(failure).toMatchObject({error: 'BAD_USAGE', exitCode: 2})
    for (const words of says) expect(failure.message).toContain(words)
    expect(service.requests).toEqual([])
  })
})

describe('a request', () => {
  it.each([
    ['a/b', 'a%2Fb'],
    ['../customers', '..%2Fcustomers'],
    ['a?b', 'a%3Fb'],
    ['a#b', 'a%23b'],
    ['ü', '%C3%BC'],
    ['%2e%2e', '%252e%252e'],
    ['a\\b', 'a%5Cb'],
    ['...', '...'],
    [' ', '%20'],
    ['rule_01:x', 'rule_01%3Ax'],
  ])('has the id %j as one segment of its path', async (ruleId, encoded) => {
    const service = await serveOk()
    await createTestClient(`${service.url}/v1`).rules.get({ruleId})
    expect(service.requests.map((request) => request.path)).toEqual([`/v1/automation-rules/${encoded}`])
  })

  it('that is valid is sent once, as JSON, as it was validated, with its key as a header', async () => {
    const service = await serve((_, response) => reply(response, 200, {quoteId: 'q', transactionId: customerId(2)}))
    const client = createTestClient(service.url)
    await createQuote(quote)(client)
    await pay('k1')(client)
    expect(service.requests).toMatchObject([
      {
        method: 'POST',
        path: '/quotes',
        headers: {'content-type': 'application/json', authorization: 'Bearer test-key'},
      },
      {method: 'POST', path: '/transactions', headers: {'x-idempotency-key': 'k1'}},
    ])
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual(quote)
  })
})

describe('the credential', () => {
  const away = ['//HOST/x', '/\\HOST/x', '\\\\HOST/x', 'http://HOST/x', '@HOST/x', '/\t/HOST/x']
  const outside = ['/../x', '/a/../../x', '/%2e%2e/x', '/.%2E/x', '/..', '/..\\x', '/a\\..\\..\\x', '/.\t./x']
  const afterBase = ['evil', ':1/x', '.evil.example/x', '?x', '#x']
  // A URL would rewrite these, which could bypass the write gate.
  const rewritten = [
    '/./transactions',
    '/x/../transactions',
    '/\ttransactions',
    '/transactions ',
    '/\\transactions',
    '/x#/y',
  ]

  it.each([...away, ...outside, ...afterBase, ...rewritten])('is not sent elsewhere by the path %j', async (text) => {
    const [service, other] = [await serveOk(), await serveOk()]
    const at = text.replace('HOST', `127.0.0.1:${other.port}`)
    const base = `${service.url}/v1`
    // Without a folder, what follows the address may become part of it.
    const bare = await createTestClient(service.url)
      .raw({method: 'GET', path: at})
      .catch((error: unknown) => error)
    if (text.startsWith('@')) expect(bare).toMatchObject({exitCode: 2})
    service.requests.length = 0
    const isRefused = [...outside, ...rewritten].includes(text)
    for (const method of ['GET', 'POST']) {
      const failed = await createTestClient(base)
        .raw({method, path: at, ...(method === 'POST' && {body: '{}'})})
        .then(
          () => undefined,
          (error: unknown) => error,
        )
      if (isRefused) expect(failed).toMatchObject({exitCode: 2})
    }
    const ended = await run(freshHome(), ['api', 'GET', at], {env: {...service.env, SVC_BASE_URL: base}})
    if (outside.includes(text)) expectFailure(ended, 2)
    expect(other.requests).toEqual([])
    expect(service.requests.filter((request) => isRefused || !/^\/v1(\/|$)/.test(request.path))).toEqual([])
  })

  it.each(['/customers/a%20b', '/ü', '/a..b', '/...', '/.well-known/x', '/x?next=../y z', "/a:b@c;d='e'"])(
    'is sent to an ordinary path such as %j',
    async (at) => {
      const service = await serveOk()
      expect(await createTestClient(service.url).raw({method: 'GET', path: at})).toMatchObject({status: 200})
      expect(service.requests).toHaveLength(1)
    },
  )
})

describe('a refused token of a credential command', () => {
  const listTokens = ({requests}: Service) => requests.map(({headers}) => headers.authorization?.replace('Bearer ', ''))

  // A profile whose command prints token-1, which the login takes, token-2 and so on.
  it.each([
    ['GET', 'token-2', 0],
    // 401 means that nothing was done.
    ['POST', 'token-2', 0],
    ['GET', /token-[2-9]/, 4],
  ])('is renewed once, and %s is sent again', async (method, refused, code) => {
    const service = await serve(({headers, path: at}, response) => {
      const isRefused = new RegExp(refused).test(headers.authorization ?? '')
      reply(response, isRefused ? 401 : 200, at === '/customers' ? {customers: []} : {ok: true})
    })
    const home = freshHome()
    const count = path.join(home.folder, 'count')
    const command = `printf x >> '${count}'; printf 'token-%s' "$(wc -c < '${count}' | tr -d ' ')"`
    const login = ['login', '-p', 'acme', '--base-url', service.url, '--sandbox', '--credential-command', command]
    expect(await run(home, login)).toMatchObject({code: 0})
    service.requests.length = 0
    const body = method === 'POST' ? ['--set', 'a=b'] : []
    expect(await run(home, ['api', method, '/x', ...body, '-p', 'acme'])).toMatchObject({code})
    expect(listTokens(service)).toEqual(['token-2', 'token-3'])
    expect(new Set(service.requests.map((request) => request.body)).size).toBe(1)
    expect(fs.readFileSync(count, 'utf8')).toBe('xxx')
  })

  it('is renewed only after a refusal, not for the retries that follow, and only if it can be', async () => {
    const service = await serve((_, response, count) =>
      reply(response, count === 1 ? 401 : count < 4 ? 503 : 200, {ok: true}, {'retry-after': '0'}),
    )
    const refusals: boolean[] = []
    const credential = async (refused: boolean) => {
      refusals.push(refused)
      return 'test-key'
    }
    await createTestClient(service.url, {renewable: true, credential}).raw({method: 'GET', path: '/x'})
    expect(refusals).toEqual([false, true, false, false])
    const fixed = await serve((_, response) => reply(response, 401, {}))
    expect(await captureError(createTestClient(fixed.url).raw({method: 'GET', path: '/x'}))).toMatchObject({
      exitCode: 4,
    })
    expect(fixed.requests).toHaveLength(1)
  })
})

// The interface does not fix the path of one customer: both forms are tried, and the one that works is remembered.
describe('the read of one customer', () => {
  const get = ['customers', 'get', customerId(1), '--payment-methods', '--json']
  const [plural, singular] = [`/customers/${customerId(1)}`, `/customer/${customerId(1)}`]
  const noCustomer = {error: 'CUSTOMER_NOT_FOUND', message: 'No such customer', statusCode: 404}
  const listPaths = ({requests}: Service) => requests.map((request) => request.path)

  it.each([404, 405])('works if the service has only /customer/{id} and answers %i elsewhere', async (status) => {
    const service = await serve(({path: at}, response) =>
      at === singular ? reply(response, 200, customer(1)) : reply(response, status, {error: 'ELSEWHERE'}),
    )
    const {code, out, err} = await run(freshHome(), get, {env: service.env})
    expect({code, err, out: json(out)}).toEqual({code: 0, err: '', out: customer(1)})
    expect(listPaths(service)).toEqual([plural, singular])
    for (const {query} of service.requests) expect(query.get('includePaymentMethods')).toBe('true')
  })

  it('uses the form that worked before, and finds the other one if it no longer works', async () => {
    let form = singular
    const service = await serve(({path: at}, response) =>
      at === form ? reply(response, 200, customer(1)) : reply(response, 404, {error: 'ELSEWHERE'}),
    )
    const client = createTestClient(service.url)
    for (const right of [singular, singular, plural, plural]) {
      form = right
      expect(await client.customers.get({customerId: customerId(1)})).toEqual(customer(1))
    }
    expect(listPaths(service)).toEqual([plural, singular, singular, singular, plural, plural])
  })

  it.each([
    ['no body that is JSON', 404, '<h1>Not found</h1>'],
    ['no route', 404, {error: 'NOT_FOUND', message: 'No route', statusCode: 404}],
    ['another method', 405, {error: 'METHOD', message: 'Not here', statusCode: 405}],
    ['the words of a framework', 404, {error: 'Not Found', message: 'Cannot GET', statusCode: 404}],
  ])('shows the error about the customer if the other route answers with %s', async (_, status, noRoute) => {
    for (const right of ['/customer/', '/customers/']) {
      const service = await serve(({path: at}, response) =>
        at.startsWith(right) ? reply(response, 404, noCustomer) : reply(response, status, noRoute),
      )
      const failure = await captureError(createTestClient(service.url).customers.get({customerId: customerId(1)}))
      expect(failure).toMatchObject({error: 'CUSTOMER_NOT_FOUND', exitCode: 5})
      expect(service.requests).toHaveLength(2)
    }
  })
})
