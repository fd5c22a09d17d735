// Faults: which requests they match, how often they act, and what they do to a response.
import {execFile} from 'node:child_process'
import {promisify} from 'node:util'
import {describe, expect, it} from 'vitest'
import {errorBody} from '../../../../src/contract/openapi.ts'
import {ControlError} from '../../../../src/sandbox/operations/control-error.ts'
import type {Behaviours} from '../../../../src/sandbox/service/faults/behaviour-table.ts'
import type {FaultOrder} from '../../../../src/sandbox/orders.ts'
import type {Sandbox} from '../../../../src/sandbox/sandbox.ts'
import {
  createTransaction,
  findAccountEnds,
  listAllTransactions,
  quoteBody,
  requestQuote,
  sendTransaction,
  zoe,
} from '../money/payments.ts'
import {call, listAllCustomers, openTemporary, requestTo, temporaryFile} from '../../open.ts'
import {bundleProgram} from '../../../support/bundled-program.ts'

const refuseFault: FaultOrder = {method: 'GET', path: '/customers', kind: 'refuse'}

const requestStatus = async (sandbox: Sandbox, method: string, path: string) =>
  (await sandbox.fetch(requestTo(sandbox, method, path))).status

async function requestStatuses(sandbox: Sandbox, count: number): Promise<number[]> {
  const found: number[] = []
  while (found.length < count) found.push(await requestStatus(sandbox, 'GET', '/customers'))
  return found
}

describe('a fault', () => {
  const id = 'f80a5001-be2d-4368-9726-a4523bfb5e71'

  it.each([
    ['GET', '/customers', 'GET', '/customers?pageSize=3', true],
    ['GET', '/customers', 'GET', `/customers/${id}`, false],
    ['GET', '/customers', 'HEAD', '/customers', false],
    ['*', '/customers', 'OPTIONS', '/customers', true],
    ['get', '/customers', 'GET', '/customers', true],
    ['GET', '/customers/{customerId}', 'GET', `/customers/${id}`, true],
    ['GET', '/customers/{customerId}', 'GET', '/customers', false],
    ['*', '/customers*', 'GET', `/customers/${id}`, true],
    ['*', '*', 'GET', '/nowhere', true],
    ['*', '/a.c', 'GET', '/abc', false],
  ])('for %s %s matches %s %s: %s', async (method, path, requestMethod, at, matches) => {
    const sandbox = openTemporary()
    sandbox.faults.add({method, path, kind: 'refuse'})
    expect((await requestStatus(sandbox, requestMethod, at)) === 503).toBe(matches)
  })

  it('acts a number of times after a number of requests, and is then used up but still listed', async () => {
    const sandbox = openTemporary()
    const {faultId} = sandbox.faults.add({...refuseFault, times: 2, after: 1})
    expect(await requestStatuses(sandbox, 5)).toEqual([200, 503, 503, 200, 200])
    expect(sandbox.faults.list()).toMatchObject([{faultId, times: 2, after: 1, acted: 2, seen: 3}])
  })

  it('acts that number of times in all processes together', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    sandbox.faults.add({...refuseFault, times: 5})
    const child = await bundleProgram(new URL('request-customers.ts', import.meta.url))
    const runs = Array.from({length: 3}, () => promisify(execFile)(process.execPath, [child, file, '10']))
    const found = (await Promise.all(runs)).flatMap(({stdout}) => JSON.parse(stdout) as number[])
    expect(found.filter((status) => status === 503)).toHaveLength(5)
    expect(found.filter((status) => status === 200)).toHaveLength(25)
  })

  it('with a probability affects the same requests with the same seed', async () => {
    const hits = async (seed: string) => {
      const sandbox = openTemporary({seed})
      sandbox.faults.add({...refuseFault, probability: 0.3})
      return requestStatuses(sandbox, 40)
    }
    const first = await hits('dice')
    expect(await hits('dice')).toEqual(first)
    expect(await hits('other dice')).not.toEqual(first)
    const share = first.filter((status) => status === 503).length / first.length
    expect(share).toBeGreaterThan(0.1)
    expect(share).toBeLessThan(0.6)
  })

  it('that is older acts first, and the next one when it is used up', async () => {
    const sandbox = openTemporary()
    sandbox.faults.add({...refuseFault, times: 1})
    sandbox.faults.add({...refuseFault, kind: 'status', status: 429, times: 1})
    expect(await requestStatuses(sandbox, 3)).toEqual([503, 429, 200])
  })

  it('does not act on requests without a credential, and is not used up by them', async () => {
    const sandbox = openTemporary()
    sandbox.faults.add({...refuseFault, times: 1})
    expect((await sandbox.fetch(new Request('http://sandbox.invalid/customers'))).status).toBe(401)
    expect(await requestStatuses(sandbox, 2)).toEqual([503, 200])
  })

  it('is cleared by its id, with all others, and by a reset', async () => {
    const sandbox = openTemporary()
    const [first, second] = [sandbox.faults.add(refuseFault), sandbox.faults.add(refuseFault)]
    expect(sandbox.faults.clear(first.faultId)).toEqual([first])
    expect(sandbox.faults.list()).toEqual([second])
    expect(() => sandbox.faults.clear(first.faultId)).toThrow(ControlError)
    sandbox.faults.add(refuseFault)
    expect(sandbox.faults.clear()).toHaveLength(2)
    sandbox.faults.add(refuseFault)
    sandbox.reset()
    expect(sandbox.faults.list()).toEqual([])
    expect(await requestStatuses(sandbox, 1)).toEqual([200])
  })

  it.each([
    ['a path without a slash or a star at its start', {...refuseFault, path: 'customers'}],
    ['a delay without a length', {...refuseFault, kind: 'delay'}],
    ['a status where none is sent', {...refuseFault, kind: 'lose', status: 500}],
    ['a late commit of what is carried out', {...refuseFault, kind: 'lose', commitAfterMs: 1_000}],
    ['a Retry-After where nothing is sent', {...refuseFault, kind: 'hang', retryAfterSeconds: 2}],
  ] satisfies [string, FaultOrder][])('is rejected with %s', (_, fault) => {
    const sandbox = openTemporary()
    expect(() => sandbox.faults.add(fault)).toThrow(ControlError)
    expect(sandbox.faults.list()).toEqual([])
  })
})

const person = {customerType: 'INDIVIDUAL', email: 'lost@example.com'}
const hasCustomer = async (sandbox: Sandbox) =>
  (await listAllCustomers(sandbox)).some(({email}) => email === person.email)

describe('before the commit', () => {
  it.each([
    ['refuse', undefined, 503, 'SERVICE_UNAVAILABLE'],
    ['status', undefined, 429, 'TOO_MANY_REQUESTS'],
    ['status', 502, 502, 'BAD_GATEWAY'],
    ['status', 418, 418, 'HTTP_418'],
    ['refuse', 400, 400, 'BAD_REQUEST'],
  ] as const)(
    '%s %s sends %i %s in the service’s format, and the request is not carried out',
    async (kind, given, status, error) => {
      const sandbox = openTemporary()
      sandbox.faults.add({method: 'POST', path: '/customers', kind, status: given, retryAfterSeconds: 2})
      const reply = await call(sandbox, 'POST', '/customers', person)
      expect(reply.status).toBe(status)
      expect(errorBody.strict().parse(reply.body)).toMatchObject({error, statusCode: status})
      expect(reply.headers.get('retry-after')).toBe('2')
      expect(await hasCustomer(sandbox)).toBe(false)
    },
  )
})

describe('an error after the commit', () => {
  it.each([
    [undefined, 500, 'INTERNAL_ERROR'],
    [400, 400, 'BAD_REQUEST'],
    [403, 403, 'FORBIDDEN'],
    [422, 422, 'INSUFFICIENT_BALANCE'],
    [504, 504, 'GATEWAY_TIMEOUT'],
  ] as const)('refuse-after %s sends %i %s, and the request is carried out', async (given, status, error) => {
    const sandbox = openTemporary()
    sandbox.faults.add({method: 'POST', path: '/customers', kind: 'refuse-after', status: given, retryAfterSeconds: 2})
    const reply = await call(sandbox, 'POST', '/customers', person)
    expect(reply.status).toBe(status)
    expect(errorBody.strict().parse(reply.body)).toEqual({error, message: 'An injected fault', statusCode: status})
    expect(reply.headers.get('retry-after')).toBe('2')
    expect(await hasCustomer(sandbox)).toBe(true)
  })

  it('leaves the service’s own error as it is', async () => {
    const sandbox = openTemporary()
    sandbox.faults.add({method: 'POST', path: '/customers', kind: 'refuse-after', status: 500})
    expect(await call(sandbox, 'POST', '/customers', {})).toMatchObject({status: 400, body: {error: 'BAD_REQUEST'}})
  })
})

describe('a commit that comes late', () => {
  const late = {method: 'POST', path: '/transactions', times: 1, commitAfterMs: 90_000} as const

  async function prepareTransaction(kind: FaultOrder['kind'], idempotency: Behaviours['idempotency'] = 'replay') {
    const sandbox = openTemporary()
    sandbox.faults.setBehaviours({idempotency})
    sandbox.faults.add({...late, kind, ...(kind === 'refuse' && {status: 504})})
    const {wallet, ACH} = findAccountEnds(sandbox)
    const {quoteId} = await requestQuote(sandbox, quoteBody(wallet, ACH, '10'))
    const count = async () => (await listAllTransactions(sandbox, {customerId: zoe, pageSize: 100})).length
    return {sandbox, body: {quoteId, correlationId: 'late'}, before: await count(), count}
  }

  it.each(['reset', 'hang', 'refuse'] as const)('after %s creates the transaction at that instant', async (kind) => {
    const {sandbox, body, before, count} = await prepareTransaction(kind)
    const sent = sendTransaction(sandbox, body, 'k')
    if (kind === 'refuse') expect((await sent).status).toBe(504)
    else await expect(sent).rejects.toThrow(TypeError)
    expect(await count()).toBe(before)
    sandbox.clock.advance(89_999)
    expect(await count()).toBe(before)
    sandbox.clock.advance(1)
    const [newest] = await listAllTransactions(sandbox, {customerId: zoe})
    expect(newest).toMatchObject({correlationId: 'late', createdAt: '2026-11-15T12:01:30Z'})
    expect(await count()).toBe(before + 1)
    sandbox.money.verifyLedger()
  })

  it('creates nothing if the same key was used meanwhile, or the quote', async () => {
    for (const idempotency of ['replay', 'ignore'] as const) {
      const {sandbox, body, before, count} = await prepareTransaction('reset', idempotency)
      await expect(sendTransaction(sandbox, body, 'k')).rejects.toThrow(TypeError)
      await createTransaction(sandbox, body, 'k')
      sandbox.clock.advance(90_000)
      expect(await count()).toBe(before + 1)
    }
  })

  it('creates nothing if the quote has expired by then', async () => {
    const {sandbox, body, before, count} = await prepareTransaction('reset')
    sandbox.faults.clear()
    sandbox.faults.add({...late, kind: 'reset', commitAfterMs: 301_000})
    await expect(sendTransaction(sandbox, body, 'k')).rejects.toThrow(TypeError)
    sandbox.clock.advance(301_000)
    expect(await count()).toBe(before)
  })

  it('does not happen to a request that the service rejects at once', async () => {
    const {sandbox, before, count} = await prepareTransaction('refuse')
    expect((await sendTransaction(sandbox, {}, 'k')).status).toBe(400)
    sandbox.clock.advance(90_000)
    expect(await count()).toBe(before)
  })
})

describe('the Date of a reply', () => {
  it.each([
    [{}, 'Sun, 15 Nov 2026 12:00:00 GMT'],
    [{dateSkewSeconds: 90}, 'Sun, 15 Nov 2026 12:01:30 GMT'],
    [{dateSkewSeconds: -3600}, 'Sun, 15 Nov 2026 11:00:00 GMT'],
    [{dateHeader: 'left-out'}, null],
  ] satisfies [Partial<Behaviours>, string | null][])('with %o is %s', async (behaviours, expected) => {
    const sandbox = openTemporary()
    sandbox.faults.setBehaviours(behaviours)
    expect((await call(sandbox, 'GET', '/customers')).headers.get('date')).toBe(expected)
  })
})

describe('behaviours', () => {
  it('are stored in the database, and can be reset to their defaults', () => {
    const sandbox = openTemporary()
    const beginning = sandbox.faults.behaviours()
    expect(sandbox.faults.setBehaviours({tier: 'builder', listLagSeconds: 30})).toEqual({
      ...beginning,
      tier: 'builder',
      listLagSeconds: 30,
    })
    expect(sandbox.faults.resetBehaviours()).toEqual(beginning)
  })
})
