// Faults: which requests they match, how often they act, what they do to a response in process and over HTTP, and what a command says.
import {describe, expect, it} from 'vitest'
import {errorBody} from '../../src/contract/openapi.ts'
import {ControlError} from '../../src/sandbox/operations/control-error.ts'
import type {FaultOrder} from '../../src/sandbox/orders.ts'
import {openSandbox, type Sandbox} from '../../src/sandbox/sandbox.ts'
import type {Behaviours, FaultKind} from '../../src/sandbox/service/faults/behaviour-table.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {useVirtualTime} from '../support/virtual-time.ts'
import {type Served, sendRawBytes, sendRequest, serveTemporary} from './http/serving.ts'
import {
  call,
  callFromProcess,
  createTransaction,
  findAccountEnds,
  grace,
  listAllCustomers,
  listAllTransactions,
  openTemporary,
  quoteBody,
  requestQuote,
  requestTo,
  sendTransaction,
  temporaryFile,
  zoe,
} from './open.ts'

const refuse: FaultOrder = {method: 'GET', path: '/customers', kind: 'refuse'}

async function requestStatuses(sandbox: Sandbox, count: number): Promise<number[]> {
  const found: number[] = []
  while (found.length < count) found.push((await sandbox.fetch(requestTo(sandbox, 'GET', '/customers'))).status)
  return found
}

describe('a fault', () => {
  it.each([
    ['GET', '/customers', 'GET', '/customers?pageSize=3', true],
    ['GET', '/customers', 'GET', `/customers/${grace}`, false],
    ['GET', '/customers', 'HEAD', '/customers', false],
    ['*', '/customers', 'OPTIONS', '/customers', true],
    ['get', '/customers', 'GET', '/customers', true],
    ['GET', '/customers/{customerId}', 'GET', `/customers/${grace}`, true],
    ['GET', '/customers/{customerId}', 'GET', '/customers', false],
    ['*', '/customers*', 'GET', `/customers/${grace}`, true],
    ['*', '*', 'GET', '/nowhere', true],
    ['*', '/a.c', 'GET', '/abc', false],
  ])('for %s %s matches %s %s: %s', async (method, path, requestMethod, at, matches) => {
    const sandbox = openTemporary()
    sandbox.faults.add({method, path, kind: 'refuse'})
    const {status} = await sandbox.fetch(requestTo(sandbox, requestMethod, at))
    expect(status === 503).toBe(matches)
  })

  it('acts a number of times after a number of requests, the oldest first, and is then used up but still listed', async () => {
    const sandbox = openTemporary()
    const {faultId} = sandbox.faults.add({...refuse, times: 2, after: 1})
    sandbox.faults.add({...refuse, kind: 'status', status: 429, times: 2})
    // Without a credential nothing is used up.
    expect((await sandbox.fetch(new Request('http://sandbox.invalid/customers'))).status).toBe(401)
    expect(await requestStatuses(sandbox, 6)).toEqual([429, 503, 503, 429, 200, 200])
    expect(sandbox.faults.list()[0]).toMatchObject({faultId, times: 2, after: 1, acted: 2, seen: 3})
  })

  it('acts that number of times in all processes together', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    sandbox.faults.add({...refuse, times: 5})
    const requests = Array.from({length: 10}, () => ({method: 'GET', path: '/customers'}))
    const runs = await Promise.all([1, 2, 3].map(() => callFromProcess(file, requests)))
    const statuses = runs.flat().map(({status}) => status)
    expect([503, 200].map((status) => statuses.filter((each) => each === status).length)).toEqual([5, 25])
  })

  it('with a probability affects the same requests with the same seed', async () => {
    const hits = async (seed: string, times?: number) => {
      const sandbox = openTemporary({seed})
      sandbox.faults.add({...refuse, probability: 0.3, ...(times && {times})})
      return requestStatuses(sandbox, 40)
    }
    const first = await hits('dice')
    expect(await hits('dice')).toEqual(first)
    expect(await hits('other dice')).not.toEqual(first)
    const [all = 0, four] = [first, await hits('dice', 4)].map((each) => each.filter((status) => status === 503).length)
    expect([all > 4 && all < 24, four]).toEqual([true, 4])
  })

  it('is cleared by its id, with all others, and by a reset', async () => {
    const sandbox = openTemporary()
    const [first, second] = [sandbox.faults.add(refuse), sandbox.faults.add(refuse)]
    expect(sandbox.faults.clear(first.faultId)).toEqual([first])
    expect(sandbox.faults.list()).toEqual([second])
    expect(() => sandbox.faults.clear(first.faultId)).toThrow(ControlError)
    sandbox.faults.add(refuse)
    expect(sandbox.faults.clear()).toHaveLength(2)
    sandbox.faults.add(refuse)
    const behaviours = sandbox.faults.behaviours()
    expect(sandbox.faults.setBehaviours({tier: 'builder'})).toEqual({...behaviours, tier: 'builder'})
    sandbox.reset()
    expect([sandbox.faults.list(), sandbox.faults.behaviours()]).toEqual([[], behaviours])
  })

  it.each([
    ['a path without a slash or a star at its start', {...refuse, path: 'customers'}],
    ['a delay without a length', {...refuse, kind: 'delay'}],
    ['a status where none is sent', {...refuse, kind: 'lose', status: 500}],
    ['a late commit of what is carried out', {...refuse, kind: 'lose', commitAfterMs: 1_000}],
    ['a Retry-After where nothing is sent', {...refuse, kind: 'hang', retryAfterSeconds: 2}],
  ] satisfies [string, FaultOrder][])('is rejected with %s', (_, fault) => {
    const sandbox = openTemporary()
    expect(() => sandbox.faults.add(fault)).toThrow(ControlError)
    expect(sandbox.faults.list()).toEqual([])
  })
})

const person = {customerType: 'INDIVIDUAL', email: 'lost@example.com'}

describe('an error of a fault', () => {
  it.each([
    ['refuse', undefined, 503, 'SERVICE_UNAVAILABLE', false],
    ['status', undefined, 429, 'TOO_MANY_REQUESTS', false],
    ['status', 502, 502, 'BAD_GATEWAY', false],
    ['status', 418, 418, 'HTTP_418', false],
    ['refuse', 400, 400, 'BAD_REQUEST', false],
    ['refuse-after', undefined, 500, 'INTERNAL_ERROR', true],
    ['refuse-after', 400, 400, 'BAD_REQUEST', true],
    ['refuse-after', 403, 403, 'FORBIDDEN', true],
    ['refuse-after', 422, 422, 'INSUFFICIENT_BALANCE', true],
    ['refuse-after', 504, 504, 'GATEWAY_TIMEOUT', true],
  ] as const)(
    '%s %s sends %i %s in the service’s format; carried out: %s',
    async (kind, given, status, error, done) => {
      const sandbox = openTemporary()
      sandbox.faults.add({method: 'POST', path: '/customers', kind, status: given, retryAfterSeconds: 2})
      const reply = await call(sandbox, 'POST', '/customers', person)
      const message = done ? 'An injected fault' : 'An injected fault: the request was not carried out'
      expect(errorBody.strict().parse(reply.body)).toEqual({error, message, statusCode: status})
      expect([reply.status, reply.headers.get('retry-after')]).toEqual([status, '2'])
      expect((await listAllCustomers(sandbox)).some(({email}) => email === person.email)).toBe(done)
    },
  )

  it('leaves the service’s own error as it is', async () => {
    const sandbox = openTemporary()
    sandbox.faults.add({method: 'POST', path: '/customers', kind: 'refuse-after', status: 500})
    expect(await call(sandbox, 'POST', '/customers', {})).toMatchObject({status: 400, body: {error: 'BAD_REQUEST'}})
  })
})

describe('a commit that comes late', () => {
  async function prepare(
    kind: FaultKind,
    more: {idempotency?: Behaviours['idempotency']; commitAfterMs?: number} = {},
  ) {
    const {idempotency = 'replay', commitAfterMs = 90_000} = more
    const sandbox = openTemporary()
    sandbox.faults.setBehaviours({idempotency})
    const status = kind === 'refuse' ? {status: 504} : {}
    sandbox.faults.add({method: 'POST', path: '/transactions', times: 1, kind, commitAfterMs, ...status})
    const {wallet, ACH} = findAccountEnds(sandbox)
    const {quoteId} = await requestQuote(sandbox, quoteBody(wallet, ACH, '10'))
    const count = async () => (await listAllTransactions(sandbox, {customerId: zoe, pageSize: 100})).length
    return {sandbox, body: {quoteId, correlationId: 'late'}, before: await count(), count}
  }

  it.each(['reset', 'hang', 'refuse'] as const)('after %s creates the transaction at that instant', async (kind) => {
    const {sandbox, body, before, count} = await prepare(kind)
    const sent = sendTransaction(sandbox, body, 'k')
    if (kind === 'refuse') expect((await sent).status).toBe(504)
    else await expect(sent).rejects.toThrow(TypeError)
    sandbox.clock.advance(89_999)
    expect(await count()).toBe(before)
    sandbox.clock.advance(1)
    const [newest] = await listAllTransactions(sandbox, {customerId: zoe})
    expect(newest).toMatchObject({correlationId: 'late', createdAt: '2026-11-15T12:01:30Z'})
    expect(await count()).toBe(before + 1)
    sandbox.money.verifyLedger()
  })

  it.each([
    ['the same key was used meanwhile', {}, true, 1],
    ['the quote was used meanwhile', {idempotency: 'ignore'}, true, 1],
    ['the quote has expired by then', {commitAfterMs: 301_000}, false, 0],
  ] as const)('creates nothing if %s', async (_, more, isUsed, created) => {
    const {sandbox, body, before, count} = await prepare('reset', more)
    await expect(sendTransaction(sandbox, body, 'k')).rejects.toThrow(TypeError)
    if (isUsed) await createTransaction(sandbox, body, 'k')
    sandbox.clock.advance(301_000)
    expect(await count()).toBe(before + created)
  })

  it('does not happen to a request that the service rejects at once', async () => {
    const {sandbox, before, count} = await prepare('refuse')
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

describe('over HTTP', () => {
  function change({file}: Served, work: (sandbox: Sandbox) => unknown) {
    const sandbox = openSandbox({file})
    work(sandbox)
    sandbox.close()
  }
  const addFault = (served: Served, fault: Pick<FaultOrder, 'kind'> & Partial<FaultOrder>) =>
    change(served, ({faults}) => faults.add({method: 'POST', path: '/customers', times: 1, ...fault}))
  const create = (served: Served) => sendRequest(served, 'POST', '/customers', {body: person})

  // What a client sees, and whether the request was carried out.
  it.each([
    [{kind: 'reset'}, {code: 'ECONNRESET'}, false],
    [{kind: 'lose'}, {code: 'ECONNRESET'}, true],
    [{kind: 'truncate'}, {code: 'ECONNRESET'}, true],
    [{kind: 'garbage'}, {status: 200, headers: {'content-type': 'application/json'}}, true],
    [{kind: 'html'}, {status: 502, headers: {'content-type': 'text/html; charset=utf-8'}}, false],
    [{kind: 'status', status: 429, retryAfterSeconds: 7}, {status: 429, headers: {'retry-after': '7'}}, false],
    [{kind: 'delay', delayMs: 300}, {status: 200}, true],
  ] satisfies [Pick<FaultOrder, 'kind'> & Partial<FaultOrder>, object, boolean][])(
    '%j is seen as %j; done: %s',
    async (fault, seen, done) => {
      const served = await serveTemporary()
      addFault(served, fault)
      const started = performance.now()
      const reply = await create(served).catch((error: unknown) => error)
      expect(reply).toMatchObject(seen)
      expect(performance.now() - started).toBeGreaterThan((fault as FaultOrder).delayMs ?? 0)
      if (['garbage', 'html'].includes(fault.kind))
        expect(() => JSON.parse((reply as {text: string}).text)).toThrow(SyntaxError)
      expect((await sendRequest(served, 'GET', '/customers')).text.includes(person.email)).toBe(done)
      expect(await create(served)).toMatchObject({status: 200})
    },
  )

  it('truncate sends the headers and half of the body', async () => {
    const served = await serveTemporary()
    addFault(served, {kind: 'truncate', method: 'GET'})
    const head = `GET /customers HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${served.apiKey}\r\n\r\n`
    const [received = '', body = ''] = (await sendRawBytes(served.port, head)).split('\r\n\r\n')
    expect(received).toMatch(/^HTTP\/1\.1 200 /)
    expect(Buffer.byteLength(body)).toBe(Math.floor(Number(/content-length: (\d+)/i.exec(received)?.[1]) / 2))
  })

  it('hang never responds, while other requests are answered; a reply has no Date if that is left out', async () => {
    const served = await serveTemporary()
    addFault(served, {kind: 'hang'})
    const hung = create(served)
    hung.catch(() => {})
    const first = await Promise.race([hung, sendRequest(served, 'GET', '/customers')])
    expect(first).toMatchObject({status: 200, headers: {date: expect.any(String)}})
    change(served, ({faults}) => faults.setBehaviours({dateHeader: 'left-out'}))
    expect((await sendRequest(served, 'GET', '/customers')).headers).not.toHaveProperty('date')
    await served.stop()
    await expect(hung).rejects.toMatchObject({code: 'ECONNRESET'})
  })
})

// In the process of the command. What svc says of each reply over HTTP stands in client/replies.test.ts.
describe('a command in process', () => {
  useVirtualTime()

  const set = `--set customerType=INDIVIDUAL --set email=${person.email}`
  const creating = `api POST /customers --yes ${set} --json --request-timeout 700ms -p sandbox`

  // Each kind, and whether a write was done, whose outcome is unknown in any case.
  it.each([
    ['lose', true],
    ['truncate', true],
    ['garbage', true],
    ['reset', false],
    ['html', false],
    ['refuse', false],
    ['hang', false],
    ['delay --delay 30s', true],
  ])('does not know what became of a write after %s', async (kind, done) => {
    const home = freshHome()
    const svc = (line: string) => run(home, line.split(' '))
    await svc(`sandbox faults add --times 1 --path /customers --method POST --kind ${kind}`)
    const {code, out, err} = await svc(creating)
    expect([code, out, json(err)]).toMatchObject([7, '', {error: 'OUTCOME_UNKNOWN', exitCode: 7}])
    const listed = await svc('customers list -p sandbox -o jsonl')
    expect(listed.out.includes(person.email)).toBe(done)
  })
})
