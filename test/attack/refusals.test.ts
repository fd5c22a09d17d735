// A 4xx is no proof that nothing was made: a refusal is believed only after a look at the list, and a status after which the request
// may be under way says nothing.
import {describe, expect, it} from 'vitest'
import {type PaymentService, refusal, servePayments} from '../support/scripted-service.ts'
import {payment} from '../support/payments.ts'
import {run} from '../support/svc.ts'
import {useVirtualTime} from '../support/virtual-time.ts'
import {
  type Host,
  countMostPerKey,
  countSent,
  countStates,
  createHost,
  createRows,
  pay,
  readJournal,
  readRows,
  runPayouts,
  briefly,
} from './attack.ts'

// Replies to a request after which the transaction may exist.
const inconclusive = [
  refusal(408, 'REQUEST_TIMEOUT', 'Too slow'),
  refusal(409, 'CONFLICT', 'Conflict'),
  refusal(409, 'BAD_REQUEST', 'Something else'),
  refusal(425, 'TOO_EARLY', 'Too early'),
  refusal(429, 'TOO_MANY_REQUESTS', 'Slow down'),
  refusal(499, 'CLIENT_CLOSED_REQUEST', 'The client went away'),
]

const conclusive = [
  refusal(400, 'BAD_REQUEST', 'sourceAmount: the balance is too small'),
  refusal(400, 'BAD_REQUEST', 'quoteId: the quote has expired'),
  refusal(400, 'BAD_REQUEST', 'The quote is locked, no executions left'),
  refusal(404, 'NOT_FOUND', 'No such quote'),
  refusal(422, 'IDEMPOTENCY_KEY_REUSED', 'The idempotency key was used with another request body'),
  refusal(422, 'INSUFFICIENT_BALANCE', 'The balance is too small'),
]

// Looks before the payment pass; those after it was sent do not.
const hideListAfterSend = (service: PaymentService) =>
  service.script({
    at: 'GET /transactions',
    times: Infinity,
    matches: () => countSent(service) > 0,
    reply: refusal(403, 'FORBIDDEN', 'No list'),
  })

const name = ({status, error, message}: (typeof conclusive)[number]) => `${status} ${error}: ${message}`

useVirtualTime()

describe('a refusal', () => {
  it.each(conclusive.map((reply) => [name(reply), reply] as const))(
    'is believed after a look: %s',
    async (_, reply) => {
      const service = await servePayments()
      const host = createHost(service)
      service.script({acts: 'never', reply})
      const {code, err} = await pay(host, 'rent', '10')
      expect(code).toBe(reply.status === 404 ? 5 : 3)
      expect(err).toContain('The service refused the payment rent')
      expect(err).not.toContain('not made')
      const order = service.requests.map(({method, path}) => `${method} ${path}`)
      expect(order.slice(order.indexOf('POST /transactions'))).toEqual(['POST /transactions', 'GET /transactions'])
      expect(await readJournal(host, 'rent')).toMatchObject({state: 'REJECTED'})
      // It is tried again at once, also with other content.
      expect((await pay(host, 'rent', '11')).code).toBe(0)
      expect(service.transactions).toHaveLength(1)
    },
  )

  it.each(conclusive.map((reply) => [name(reply), reply] as const))(
    'is not believed if the list has it: %s',
    async (_, reply) => {
      const service = await servePayments({keys: 'ignored', quotes: 'many'})
      const host = createHost(service)
      service.script({reply})
      expect((await pay(host, 'rent', '10')).code).toBe(0)
      expect((await pay(host, 'rent', '10')).code).toBe(0)
      expect(countSent(service)).toBe(1)
    },
  )

  it('is not believed if the list cannot be read', async () => {
    const service = await servePayments()
    const host = createHost(service)
    hideListAfterSend(service)
    service.script({reply: refusal(400, 'BAD_REQUEST', 'The balance is too small')})
    const {code, err} = await pay(host, 'rent', '10', ...briefly)
    expect(code).toBe(7)
    expect(err).not.toContain('was not made')
    expect(await readJournal(host, 'rent')).toMatchObject({state: 'UNKNOWN'})
  })

  it('of a row is adopted as well', async () => {
    const service = await servePayments({keys: 'ignored', quotes: 'many'})
    service.script({reply: refusal(400, 'BAD_REQUEST', 'The balance is too small'), times: Infinity})
    const result = await runPayouts(createHost(service), createRows(5), '--json')
    expect(result.code).toBe(0)
    expect(countStates(result)).toEqual({CREATED: 5})
    expect(countMostPerKey(service)).toBe(1)
  })
})

describe('a refusal after which the payment may exist', () => {
  it.each(inconclusive.map((reply) => [name(reply), reply] as const))(
    'ends 7 while the list lags: %s',
    async (_, reply) => {
      const service = await servePayments({keys: 'ignored', quotes: 'many', listLagMs: 60_000})
      const host = createHost(service)
      service.script({reply})
      const {code, err} = await pay(host, 'rent', '10', ...briefly)
      expect(code).toBe(7)
      expect(err).not.toContain('was not made')
      expect(await readJournal(host, 'rent')).toMatchObject({state: 'UNKNOWN'})
      service.clock.advance(60_000)
      expect((await pay(host, 'rent', '10')).code).toBe(0)
      expect(countSent(service)).toBe(1)
    },
  )

  it('leaves a row unknown, and not rejected', async () => {
    const service = await servePayments({keys: 'ignored', quotes: 'many', listLagMs: 60_000})
    const host = createHost(service)
    service.script({reply: refusal(409, 'CONFLICT', 'The quote was used before'), times: 3})
    const result = await runPayouts(host, createRows(3), '--json', ...briefly)
    expect(result.code).toBe(7)
    expect(countStates(result)).toEqual({UNKNOWN: 3})
    service.clock.advance(60_000)
    expect(countStates(await runPayouts(host, createRows(3), '--json'))).toEqual({CREATED: 3})
    expect(countSent(service)).toBe(3)
  })
})

describe('two hosts and a service that refuses a reused key with another body', () => {
  it('never call a paid row rejected, with 409 and a list that lags', async () => {
    const otherBodyRefusal = refusal(409, 'CONFLICT', 'The request is in progress or was made')
    const service = await servePayments({keys: 'other-body-refused', otherBodyRefusal, listLagMs: 60_000})
    const rows = createRows(60)
    expect((await runPayouts(createHost(service), rows, '--timeout', '60s')).code).toBe(0)
    const second = createHost(service)
    const early = await runPayouts(second, rows, '--json', ...briefly)
    expect(early.code).toBe(7)
    expect(countStates(early)).not.toHaveProperty('REJECTED')
    expect(countStates(early)).toHaveProperty('UNKNOWN')
    service.clock.advance(60_000)
    const late = await runPayouts(second, rows, '--json')
    expect([late.code, countStates(late)]).toEqual([0, {CREATED: 60}])
    expect(new Set(readRows(late).map(({transaction}) => transaction)).size).toBe(60)
    expect(service.transactions).toHaveLength(60)
  })
})

describe('a list that the service does not show', () => {
  it('is not taken for a rejection of the payment, which another host may have made', async () => {
    const service = await servePayments()
    expect((await runPayouts(createHost(service), createRows(2))).code).toBe(0)
    service.script({at: 'GET /transactions', times: Infinity, reply: refusal(403, 'FORBIDDEN', 'No list')})
    const result = await runPayouts(createHost(service), createRows(2), '--json')
    expect(countStates(result)).not.toHaveProperty('REJECTED')
    expect(countStates(result)).toHaveProperty('UNKNOWN')
    expect(countSent(service)).toBe(2)
  })
})

describe('the cap of a day', () => {
  const createProfile = async (host: Host, url: string) => {
    await run(host.home, ['login', '-p', 'acme', '--base-url', url, '--sandbox', '--quiet'], {input: 'test-key\n'})
    await run(host.home, ['profiles', 'set', 'acme', '--day-max', 'USDC=100', '--quiet'])
  }
  const payWithProfile = ({home}: Host, key: string, amount: string) =>
    run(home, [...payment(key, amount), '-p', 'acme', '--yes', '--timeout', '900ms'])

  it('counts what was refused until a list has cleared it', async () => {
    const service = await servePayments()
    const host: Host = {...createHost(service), env: {}}
    await createProfile(host, service.url)
    const blind = hideListAfterSend(service)
    service.script({acts: 'never', reply: refusal(400, 'BAD_REQUEST', 'Not today')})
    expect((await payWithProfile(host, 'one', '60')).code).toBe(7)
    blind.remove()
    expect((await payWithProfile(host, 'two', '60')).code).toBe(10)
    expect(countSent(service)).toBe(1)
  })

  it('does not count what the list has cleared', async () => {
    const service = await servePayments()
    const host: Host = {...createHost(service), env: {}}
    await createProfile(host, service.url)
    service.script({acts: 'never', reply: refusal(400, 'BAD_REQUEST', 'Not today')})
    expect((await payWithProfile(host, 'one', '60')).code).toBe(3)
    expect((await payWithProfile(host, 'two', '61')).code).toBe(0)
  })
})
