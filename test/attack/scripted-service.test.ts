// The scripted service itself: each behaviour that the attacks rely on.
import {describe, expect, it} from 'vitest'
import {type PaymentService, refusal, servePayments} from '../support/scripted-service.ts'
import {seeded} from '../support/transactions.ts'

type Body = Record<string, unknown>

interface Reply {
  status: number
  body: Body
  date: string | null
}

async function call({url}: PaymentService, method: string, path: string, body?: Body, key?: string): Promise<Reply> {
  const headers: Record<string, string> = {authorization: 'Bearer test-key', ...(key ? {'x-idempotency-key': key} : {})}
  const response = await fetch(url + path, {method, headers, ...(body ? {body: JSON.stringify(body)} : {})})
  return {status: response.status, body: (await response.json()) as Body, date: response.headers.get('date')}
}

async function quote(service: PaymentService, amount = '10'): Promise<Body> {
  const {body} = await call(service, 'POST', '/quotes', {
    customerId: seeded.customer,
    source: {
      sourcePaymentAccountId: seeded.wallet,
      sourceCurrency: 'USDC',
      sourcePaymentMethod: 'SOLANA',
      sourceAmount: amount,
    },
    destination: {
      destinationPaymentAccountId: seeded.externalWallet,
      destinationCurrency: 'USDC',
      destinationPaymentMethod: 'SOLANA',
    },
  })
  return body
}

const create = (service: PaymentService, key: string, {quoteId}: Body, correlationId = 'mine') =>
  call(service, 'POST', '/transactions', {quoteId, correlationId}, key)

const list = async (service: PaymentService, query = ''): Promise<string[]> => {
  const {body} = await call(service, 'GET', `/transactions?customerId=${seeded.customer}${query}`)
  return (body['transactions'] as Body[]).map(({transactionId}) => String(transactionId).slice(-2))
}

describe('the scripted service', () => {
  it('prices, makes and lists a transaction, and records what was made', async () => {
    const service = await servePayments({rate: '0.5', svcFee: '1'})
    const priced = await quote(service)
    expect(priced).toMatchObject({estimatedExchangeRate: '0.5', destinationAmount: '4.5'})
    const {status, body} = await create(service, 'k', priced)
    expect([status, body['transactionStatus'], body['quoteId']]).toEqual([200, 'CREATED', priced['quoteId']])
    expect(await list(service)).toEqual(['01'])
    expect(service.transactionsByKey.get('k')).toEqual([body])
    expect(service.requestsTo('POST /transactions')[0]?.headers['x-idempotency-key']).toBe('k')
  })
})

describe('a key that was used before', () => {
  // The status and the number of transactions after: the same body again, another body with the same key.
  it.each([
    ['honoured', 200, 1, 200, 1],
    ['replayed', 200, 1, 409, 1],
    ['refused', 409, 1, 409, 1],
    ['per-body', 200, 1, 200, 2],
    ['other-body-refused', 200, 1, 422, 1],
    ['ignored', 200, 2, 200, 3],
  ] as const)('%s', async (keys, sameStatus, sameCount, otherStatus, otherCount) => {
    const service = await servePayments({keys, quotes: 'many'})
    const first = await quote(service)
    await create(service, 'k', first)
    const same = await create(service, 'k', first)
    expect([same.status, service.transactions.length]).toEqual([sameStatus, sameCount])
    const other = await create(service, 'k', await quote(service))
    expect([other.status, service.transactions.length]).toEqual([otherStatus, otherCount])
  })

  it('is forgotten after a while, and a refusal can use it up', async () => {
    const service = await servePayments({keysForgottenAfterMs: 60_000, areRefusalsReplayed: true})
    await create(service, 'k', await quote(service))
    service.clock.advance(60_000)
    expect((await create(service, 'k', await quote(service))).status).toBe(200)
    expect((await create(service, 'b', {quoteId: 'none'})).status).toBe(400)
    expect((await create(service, 'b', await quote(service))).body).toMatchObject({message: 'quoteId: no such quote'})
    expect(service.transactions).toHaveLength(2)
  })
})

describe('a scripted reply', () => {
  it('is an error now and a transaction later', async () => {
    const service = await servePayments({keys: 'ignored', quotes: 'many'})
    const priced = await quote(service)
    service.script({acts: {afterMs: 90_000}})
    expect((await create(service, 'k', priced)).status).toBe(504)
    expect([await list(service), service.transactions.length]).toEqual([[], 0])
    await create(service, 'k', priced)
    service.clock.advance(90_000)
    expect([(await list(service)).length, service.transactionsByKey.get('k')?.length]).toEqual([2, 2])
  })

  it('can skip requests, apply to one path, wait for the test, and say when it was reached', async () => {
    const service = await servePayments()
    const {promise, resolve} = Promise.withResolvers<void>()
    const step = service.script({at: 'POST /quotes', skip: 1, before: promise})
    await quote(service)
    const second = quote(service)
    await step.reached
    expect((await quote(service))['quoteId']).toMatch(/2$/)
    resolve()
    expect((await second)['quoteId']).toMatch(/3$/)
    expect(step.hits).toHaveLength(1)
  })
})

describe('the list', () => {
  const createMany = async (service: PaymentService, count: number) => {
    for (let index = 0; index < count; index += 1) await create(service, `k${index}`, await quote(service))
  }

  it('lags, has an order, pages and filters', async () => {
    const service = await servePayments({listLagMs: 30_000, pageItemsMax: 2})
    await createMany(service, 3)
    expect(await list(service)).toEqual([])
    service.clock.advance(30_000)
    expect(await list(service)).toEqual(['03', '02'])
    service.behaviour.listOrder = 'oldest'
    const {body} = await call(service, 'GET', '/transactions?pageSize=2')
    expect(await list(service, `&pageToken=${String(body['nextPageToken'])}`)).toEqual(['03'])
    service.behaviour.listOrder = 'mixed'
    service.behaviour.pageItemsMax = 100
    expect((await list(service)).toSorted()).toEqual(['01', '02', '03'])
    expect(await list(service, '&paymentAccountId=none')).toEqual([])
  })

  it('has page tokens that die', async () => {
    const service = await servePayments({pageItemsMax: 1})
    await createMany(service, 2)
    const {body} = await call(service, 'GET', '/transactions')
    service.behaviour.deadPageTokens = {refusal: refusal(410, 'GONE', 'pageToken'), times: 1}
    const path = `/transactions?pageToken=${String(body['nextPageToken'])}`
    expect((await call(service, 'GET', path)).status).toBe(410)
    expect((await call(service, 'GET', path)).status).toBe(200)
  })

  it('shows a later status after so many reads or so long', async () => {
    const service = await servePayments({laterStatus: {status: 'FAILED', afterReads: 1}})
    await createMany(service, 1)
    const statuses = async () => {
      const {body} = await call(service, 'GET', '/transactions')
      return (body['transactions'] as Body[]).map(({transactionStatus}) => transactionStatus)
    }
    expect([await statuses(), await statuses()]).toEqual([['CREATED'], ['FAILED']])
    service.behaviour.laterStatus = {status: 'COMPLETED', afterMs: 1_000}
    service.clock.advance(1_000)
    expect(await statuses()).toEqual(['COMPLETED'])
  })
})
