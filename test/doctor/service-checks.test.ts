// What doctor finds at a service: no answer, refusals, a wrong clock, wrong paging, and replies that violate the interface.
import {describe, expect, it} from 'vitest'
import {customer, customerId, reply, serve} from '../support/service.ts'
import {freshHome} from '../support/svc.ts'
import {closedAddress} from '../client/raw-service.ts'
import {account, overridePath, serveForDoctor, customers, runDoctor, toPage, transaction} from './doctor-run.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

useVirtualTime()

const minute = 60_000

describe('doctor on a service that cannot be used', () => {
  it('reports one that cannot be reached', async () => {
    const {code, row} = await runDoctor(freshHome(), {SVC_BASE_URL: closedAddress, SVC_API_KEY: 'test-key'})
    expect(code).toBe(12)
    expect(row('reachable')).toMatchObject({outcome: 'failed'})
    expect(row('reachable').found).toContain('refused the connection')
    expect(row('clock').outcome).toBe('skipped')
  })

  it.each([
    ['--request-timeout', 'allow more with --request-timeout'],
    ['--timeout', 'allow more with --timeout'],
  ])('waits once for one that does not answer, as long as %s says', async (flag, next) => {
    const service = await serve(() => {})
    const startedMs = performance.now()
    const {code, row} = await runDoctor(freshHome(), service.env, flag, '1s')
    expect(code).toBe(12)
    expect(row('reachable').next).toContain(next)
    expect(service.requests).toHaveLength(1)
    // Far below the 30 s that a request may take, and far above what a loaded machine needs.
    expect(performance.now() - startedMs).toBeLessThan(15_000)
  })

  it('reports a web page, even with status 200', async () => {
    const service = await serveForDoctor((_, response) => {
      reply(response, 200, '<html>Welcome</html>')
      return true
    })
    const {code, row} = await runDoctor(freshHome(), service.env)
    expect(code).toBe(12)
    expect(row('reachable').found).toContain('a web page instead of JSON')
    expect(row('clock').outcome).toBe('ok')
  })

  it('shows the first failure and does not retry', async () => {
    const service = await serveForDoctor(
      overridePath('/customers', {error: 'DOWN', message: 'Later.', statusCode: 503}, 503),
    )
    const {row} = await runDoctor(freshHome(), service.env)
    expect(row('reachable').found).toContain('503 DOWN')
    expect(service.requests).toHaveLength(1)
  })

  it('reports a refused credential, and that the service is reachable', async () => {
    const body = {error: 'UNAUTHORIZED', message: 'No such key test-key.', statusCode: 401}
    const service = await serveForDoctor(overridePath('/customers', body, 401))
    const {code, out, row} = await runDoctor(freshHome(), service.env)
    expect(code).toBe(12)
    expect(row('reachable').outcome).toBe('ok')
    expect(row('accepted').found).toContain('refused the credential of the environment')
    expect(row('paging').outcome).toBe('skipped')
    expect(out).not.toContain('test-key')
  })

  it('reports an address with another service', async () => {
    const service = await serveForDoctor(overridePath('/customers', {error: 'NOT_FOUND', statusCode: 404}, 404))
    expect((await runDoctor(freshHome(), service.env)).row('accepted')).toMatchObject({
      outcome: 'failed',
      next: 'Check the base URL',
    })
  })
})

describe('doctor on the clock', () => {
  it.each([
    [10_000, 'ok', 'Within 30 s'],
    [2 * minute, 'warning', /^This clock is 1[12]\d s behind/],
    [-2 * minute, 'warning', /^This clock is 1[12]\d s ahead of/],
    [60 * minute, 'failed', /^This clock is 3(59|60)\d s behind/],
  ])('finds a service that is %i ms ahead %s', async (aheadMs, outcome, found) => {
    const service = await serveForDoctor((_, response) => {
      response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString())
      return false
    })
    const {code, row} = await runDoctor(freshHome(), service.env)
    expect(code).toBe(outcome === 'ok' ? 0 : 12)
    expect(row('clock').outcome).toBe(outcome)
    expect(row('clock').found).toMatch(found)
  })

  it.each([
    ['no date', (response: {sendDate: boolean}) => void (response.sendDate = false)],
    [
      'a date that is none',
      (response: {setHeader: (name: string, value: string) => unknown}) => void response.setHeader('date', 'soon'),
    ],
  ])('skips a service that sends %s', async (_, spoil) => {
    const service = await serveForDoctor((__, response) => {
      spoil(response)
      return false
    })
    const {code, notOk} = await runDoctor(freshHome(), service.env)
    expect({code, notOk}).toEqual({code: 0, notOk: {clock: 'skipped'}})
  })
})

describe('doctor on the two read paths', () => {
  const gone = {error: 'NOT_FOUND', message: 'No such path.', statusCode: 404}

  it.each([
    ['null', {developerFee: null}],
    ['absent', {}],
  ])('is ok if the developer fee that nobody asked for is %s', async (_, developerFee) => {
    const {feeCurrency, svcFee} = transaction(1).fees
    const transactions = [{...transaction(1), fees: {feeCurrency, svcFee, ...developerFee}}]
    const service = await serveForDoctor(overridePath('/transactions', {transactions}))
    const {code, out} = await runDoctor(freshHome(), service.env)
    expect({code, out}).toEqual({code: 0, out: expect.not.stringContaining('developerFee') as string})
  })

  it.each([
    [`/customers/${customerId(1)}`, '/customer/{customerId}; not /customers/{customerId}'],
    [`/customer/${customerId(1)}`, '/customers/{customerId}; not /customer/{customerId}'],
  ])('is ok if %s is missing and the other exists', async (path, found) => {
    const service = await serveForDoctor(overridePath(path, gone, 404))
    const {code, row} = await runDoctor(freshHome(), service.env)
    expect(code).toBe(0)
    expect(row('read-paths').found).toBe(found)
    expect(row('drift-customer').outcome).toBe('ok')
  })

  it('reports that both are missing', async () => {
    const service = await serveForDoctor(({path}, response) => {
      if (!/^\/customers?\//.test(path)) return false
      reply(response, 404, gone)
      return true
    })
    const {code, notOk} = await runDoctor(freshHome(), service.env)
    expect({code, notOk}).toEqual({code: 12, notOk: {'read-paths': 'failed', 'drift-customer': 'skipped'}})
  })

  it('reports a reply with another customer', async () => {
    const service = await serveForDoctor(overridePath(`/customers/${customerId(1)}`, customer(2)))
    expect((await runDoctor(freshHome(), service.env)).row('read-paths').outcome).toBe('failed')
  })

  it('reads on after an empty page that has a token', async () => {
    const service = await serveForDoctor(({path, query}, response) => {
      const isList = ['/customers', '/transactions', '/payment-accounts'].includes(path)
      const isEmpty = isList && query.get('pageSize') === '100' && !query.has('pageToken')
      const key = path === '/payment-accounts' ? 'paymentAccounts' : path.slice(1)
      if (isEmpty) reply(response, 200, {[key]: [], nextPageToken: '0'})
      return isEmpty
    })
    const {code, notOk, row} = await runDoctor(freshHome(), service.env)
    expect({code, notOk}).toEqual({code: 0, notOk: {}})
    expect(row('drift-customers').found).toContain('5 customers')
    expect(row('drift-accounts').found).toContain('1 account')
    expect(row('drift-transactions').found).toContain('3 transactions')
  })

  it('skips them if there is no customer', async () => {
    const service = await serveForDoctor(overridePath('/customers', {customers: []}))
    const {code, notOk} = await runDoctor(freshHome(), service.env)
    expect({code, notOk}).toEqual({
      code: 0,
      notOk: {'read-paths': 'skipped', 'drift-customer': 'skipped', 'drift-accounts': 'skipped'},
    })
  })
})

describe('doctor on paging', () => {
  it.each([
    ['that is larger than requested', () => ({customers}), 'has 5, though 2 were requested'],
    [
      'that repeats the first',
      () => ({customers: customers.slice(0, 2), nextPageToken: 'x'}),
      'The second page of customers repeats the first',
    ],
    [
      'with the same token again',
      (start: number) => ({customers: customers.slice(start, start + 2), nextPageToken: '2'}),
      'A page token of customers is repeated',
    ],
  ])('reports a page %s', async (_, page, found) => {
    const service = await serveForDoctor((request, response) => {
      if (request.path !== '/customers' || request.query.get('pageSize') !== '2') return false
      reply(response, 200, page(Number(request.query.get('pageToken') ?? 0)))
      return true
    })
    const {code, row, notOk} = await runDoctor(freshHome(), service.env)
    expect({code, notOk}).toEqual({code: 12, notOk: {paging: 'failed'}})
    expect(row('paging').found).toContain(found)
  })

  it('says that a list has only one page', async () => {
    const service = await serveForDoctor(
      overridePath('/transactions', {transactions: [transaction(1)], nextPageToken: ''}),
    )
    expect((await runDoctor(freshHome(), service.env)).row('paging')).toMatchObject({
      outcome: 'ok',
      found: 'As requested; transactions fit one page',
    })
  })
})

describe('doctor on drift', () => {
  it('groups new fields and values by path with their count, and shows no personal data', async () => {
    const grown = customers.map((each, index) => ({
      ...each,
      riskTier: 'gold-tier-of-ada',
      ...(index < 2 && {customerStatus: 'ON_HOLD'}),
      ...(index === 2 && {customerType: 'Ada Lovelace, ada@example.com'}),
    }))
    const service = await serveForDoctor((request, response) => {
      if (request.path !== '/customers') return false
      reply(response, 200, toPage('customers', grown, request))
      return true
    })
    const {code, out, row} = await runDoctor(freshHome(), service.env)
    expect(code).toBe(12)
    expect(row('drift-customers').outcome).toBe('warning')
    expect(row('drift-customers').drift).toEqual([
      {path: 'customers[].customerStatus', kind: 'unknown value', count: 2, detail: 'has the unknown value ON_HOLD'},
      {path: 'customers[].riskTier', kind: 'unknown field', count: 5, detail: 'is not a field of the interface'},
      {path: 'customers[].customerType', kind: 'unknown value', count: 1, detail: 'has an unknown value'},
    ])
    expect(out).not.toMatch(/gold|Ada|ada@/)
  })

  it('reports missing and wrong fields before new ones, and continues', async () => {
    const {email: _, ...without} = customer(1, {name: 7, shoeSize: 44})
    const service = await serveForDoctor(overridePath('/customers', {customers: [without]}))
    const {code, row, notOk} = await runDoctor(freshHome(), service.env)
    expect({code, notOk}).toEqual({code: 12, notOk: {'drift-customers': 'failed'}})
    expect(row('drift-customers').found).toBe(
      '1 customer: customers[].email is missing; customers[].name must be a string; customers[].shoeSize is not a field of the interface',
    )
  })

  it('reports payment methods that were requested and are missing', async () => {
    const single = overridePath(`/customers/${customerId(1)}`, customer(1))
    const service = await serveForDoctor(single)
    expect((await runDoctor(freshHome(), service.env)).row('drift-customer').found).toContain(
      'availablePaymentMethods is missing',
    )
    expect(service.requests.some(({query}) => query.get('includePaymentMethods') === 'true')).toBe(true)
  })

  it('finds unknown payment methods in accounts and transactions', async () => {
    const pix = {...account.externalBankAccount, bankAccountPaymentMethod: 'PIX'}
    const moved = {...transaction(1), source: {...transaction(1).source, sourcePaymentMethod: 'PIX'}}
    const service = await serveForDoctor((request, response) =>
      [
        overridePath('/payment-accounts', {paymentAccounts: [{...account, externalBankAccount: pix}]}),
        overridePath('/transactions', {transactions: [moved]}),
      ].some((override) => override(request, response)),
    )
    const {row} = await runDoctor(freshHome(), service.env)
    expect(row('drift-accounts').found).toBe(
      '1 account: paymentAccounts[].externalBankAccount.bankAccountPaymentMethod has the unknown value PIX',
    )
    expect(row('drift-transactions').found).toBe(
      '1 transaction: transactions[].source.sourcePaymentMethod has the unknown value PIX',
    )
  })

  it('accepts any field in the instructions for a crypto transfer, which the interface does not show', async () => {
    const crypto = {...transaction(1), transferInstructions: {type: 'crypto', transferAddress: '0xabc', memo: '1'}}
    const service = await serveForDoctor(overridePath('/transactions', {transactions: [crypto]}))
    expect((await runDoctor(freshHome(), service.env)).row('drift-transactions').outcome).toBe('ok')
  })

  it('reports a list that cannot be read, and continues with the others', async () => {
    const body = {error: 'FORBIDDEN', message: 'Not for you.', statusCode: 403}
    const service = await serveForDoctor(overridePath('/transactions', body, 403))
    const {code, row, notOk} = await runDoctor(freshHome(), service.env)
    expect(code).toBe(12)
    expect(notOk).toEqual({paging: 'failed', 'drift-transactions': 'failed'})
    expect(row('drift-transactions').found).toContain('403 FORBIDDEN')
  })
})
