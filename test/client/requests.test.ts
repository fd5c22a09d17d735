// Requests are validated against the contract before anything is sent, and all problems are reported at once.
import {describe, expect, it} from 'vitest'
import {customerId, reply, serve} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'
import {createTestClient, expectFailure, captureError} from './raw-service.ts'

const silent = () => serve((_, response) => reply(response, 200, {customers: []}))

describe('an id', () => {
  it.each(['abc', '', '00000000-0000-4000-8000-0000000000000', '../customers', `${customerId(1)}/x`, ' '])(
    'of a customer that is %j ends with 2, and nothing is sent',
    async (id) => {
      const service = await silent()
      expectFailure(await run(freshHome(), ['customers', 'get', id], {env: service.env}), 2)
      expect(await captureError(createTestClient(service.url).customers.get({customerId: id}))).toMatchObject({
        exitCode: 2,
      })
      expect(service.requests).toEqual([])
    },
  )

  it('of a customer that is cut short is looked for, ends with 5 if nothing has it, and is never sent as it is', async () => {
    const service = await silent()
    const id = '00000000-0000-4000-8000-00000000000'
    expectFailure(await run(freshHome(), ['customers', 'get', id], {env: service.env}), 5)
    expect(service.requests.map(({method, path}) => `${method} ${path.split('?')[0]}`)).toEqual(['GET /customers'])
    expect(await captureError(createTestClient(service.url).customers.get({customerId: id}))).toMatchObject({
      exitCode: 2,
    })
  })

  it.each(['.', '..', '', '\u{d800}'])('of a rule that is %j is rejected, and nothing is sent', async (ruleId) => {
    const service = await silent()
    const failure = await captureError(createTestClient(service.url).rules.get({ruleId}))
    expect(failure).toMatchObject({error: 'BAD_USAGE', exitCode: 2})
    expect(service.requests).toEqual([])
  })

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
  ])('of a rule that is %j stays one segment of the path', async (ruleId, encoded) => {
    const service = await silent()
    await createTestClient(`${service.url}/v1`).rules.get({ruleId})
    expect(service.requests.map(({path}) => path)).toEqual([`/v1/automation-rules/${encoded}`])
  })
})

describe('a query', () => {
  it.each([0, 101, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'with a page size of %d is rejected',
    async (pageSize) => {
      const service = await silent()
      const failure = await captureError(createTestClient(service.url).customers.list({pageSize}))
      expect(failure).toMatchObject({error: 'BAD_USAGE', exitCode: 2})
      expect(failure.message).toContain('pageSize')
      expect(service.requests).toEqual([])
    },
  )

  it('with several problems reports each of them', async () => {
    const service = await silent()
    const list = createTestClient(service.url).customers.list({pageSize: 500, organizationId: 'x'})
    const {message} = await captureError(list)
    expect(message).toContain('pageSize must be at most 100')
    expect(message).toContain('organizationId must be a UUID')
    expect(service.requests).toEqual([])
  })

  it('without a required parameter is rejected', async () => {
    const service = await silent()
    const {message} = await captureError(createTestClient(service.url).accounts.list({} as never))
    expect(message).toContain('customerId is missing')
    expect(service.requests).toEqual([])
  })
})

describe('a body', () => {
  const quote = {
    customerId: customerId(1),
    source: {sourcePaymentAccountId: 'a', sourceCurrency: 'USD', sourcePaymentMethod: 'ACH', sourceAmount: '10.50'},
    destination: {destinationPaymentAccountId: 'b', destinationPaymentMethod: 'BASE', destinationCurrency: 'USDC'},
  } as const

  it('with a float for an amount, an unknown field and a bad id is rejected with all three problems', async () => {
    const service = await silent()
    const body = {...quote, customerId: 'x', note: 'hi', source: {...quote.source, sourceAmount: 10.5}}
    const failure = await captureError(createTestClient(service.url).quotes.create({body: body as never}))
    expect(failure).toMatchObject({error: 'BAD_USAGE', exitCode: 2})
    for (const words of ['source.sourceAmount', 'note is not a field', 'customerId must be a UUID'])
      expect(failure.message).toContain(words)
    expect(service.requests).toEqual([])
  })

  it.each(['1e3', '-1', '1,50', '', ' 1', '0x10', '.5', '٣'])(
    'with the amount %j is rejected',
    async (sourceAmount) => {
      const service = await silent()
      const body = {...quote, source: {...quote.source, sourceAmount}}
      expect(await captureError(createTestClient(service.url).quotes.create({body}))).toMatchObject({exitCode: 2})
      expect(service.requests).toEqual([])
    },
  )

  it('with removed fields is rejected, and the message names them and their replacements', async () => {
    const service = await silent()
    const kycData = {middleName: 'M', taxIdNumber: '1', title: 'Dr'}
    const body = {customerType: 'INDIVIDUAL', email: 'ada@example.com', kycData}
    const {message, exitCode} = await captureError(
      createTestClient(service.url).customers.create({body: body as never}),
    )
    expect(exitCode).toBe(2)
    for (const field of Object.keys(kycData)) expect(message).toContain(`kycData.${field}`)
    expect(message).toContain('legalMiddleName')
    expect(service.requests).toEqual([])
  })

  it.each([undefined, null, [], 'x'])('that is %j is rejected', async (body) => {
    const service = await silent()
    expect(await captureError(createTestClient(service.url).quotes.create({body: body as never}))).toMatchObject({
      exitCode: 2,
    })
    expect(service.requests).toEqual([])
  })

  it('that is valid is sent once, as JSON, as it was validated', async () => {
    const service = await serve((_, response) => reply(response, 200, {quoteId: 'q'}))
    await createTestClient(service.url).quotes.create({body: quote})
    expect(service.requests).toMatchObject([
      {method: 'POST', path: '/quotes', headers: {'content-type': 'application/json'}},
    ])
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual(quote)
  })

  it('of a transaction needs its idempotency key, which is sent as a header', async () => {
    const service = await serve((_, response) => reply(response, 200, {transactionId: customerId(2)}))
    const client = createTestClient(service.url)
    const without = await captureError(client.transactions.create({body: {quoteId: 'q'}} as never))
    expect(without.message).toContain('x-idempotency-key')
    expect(service.requests).toEqual([])
    for (const key of ['ü', 'a\nb: c', '\u{1f98a}']) {
      const odd = await captureError(client.transactions.create({'x-idempotency-key': key, body: {quoteId: 'q'}}))
      expect(odd).toMatchObject({error: 'BAD_USAGE', exitCode: 2})
    }
    expect(service.requests).toEqual([])
    await client.transactions.create({'x-idempotency-key': 'k1', body: {quoteId: 'q'}})
    expect(service.requests[0]?.headers['x-idempotency-key']).toBe('k1')
  })
})
