// Faults over HTTP and in process: a client sees the same failure, and finds the same state afterwards.
import {describe, expect, it} from 'vitest'
import type {FaultOrder} from '../../../../src/sandbox/orders.ts'
import {openSandbox} from '../../../../src/sandbox/sandbox.ts'
import {type Home, freshHome, json, run} from '../../../support/svc.ts'
import {useVirtualTime} from '../../../support/virtual-time.ts'
import {sendRequest, type Served, serveTemporary, sendRawBytes} from '../../http/serving.ts'

function addFault({file}: Served, fault: Partial<FaultOrder> & Pick<FaultOrder, 'kind'>) {
  const sandbox = openSandbox({file})
  sandbox.faults.add({method: 'POST', path: '/customers', times: 1, ...fault})
  sandbox.close()
}

const person = {customerType: 'INDIVIDUAL', email: 'lost@example.com'}
const create = (served: Served, headers: Record<string, string> = {}) =>
  sendRequest(served, 'POST', '/customers', {body: person, headers})

async function hasCustomer(served: Served): Promise<boolean> {
  return (await sendRequest(served, 'GET', '/customers')).text.includes(person.email)
}

describe('over HTTP', () => {
  it.each([
    ['reset', false],
    ['lose', true],
    ['truncate', true],
  ] as const)('%s breaks the connection; done: %s', async (kind, done) => {
    const served = await serveTemporary()
    addFault(served, {kind})
    await expect(create(served)).rejects.toMatchObject({code: 'ECONNRESET'})
    expect(await hasCustomer(served)).toBe(done)
    expect(await create(served)).toMatchObject({status: 200})
  })

  it('truncate sends the headers and half of the body', async () => {
    const served = await serveTemporary()
    addFault(served, {kind: 'truncate', method: 'GET'})
    const received = await sendRawBytes(
      served.port,
      `GET /customers HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${served.apiKey}\r\n\r\n`,
    )
    const [head = '', body = ''] = received.split('\r\n\r\n')
    const promised = Number(/content-length: (\d+)/i.exec(head)?.[1])
    expect(head).toMatch(/^HTTP\/1\.1 200 /)
    expect(Buffer.byteLength(body)).toBe(Math.floor(promised / 2))
  })

  it('hang never responds, while other requests are answered', async () => {
    const served = await serveTemporary()
    addFault(served, {kind: 'hang'})
    const hung = create(served)
    const first = await Promise.race([
      hung.then(
        () => 'answered',
        () => 'broken',
      ),
      sendRequest(served, 'GET', '/customers'),
    ])
    expect(first).toMatchObject({status: 200})
    await served.stop()
    await expect(hung).rejects.toMatchObject({code: 'ECONNRESET'})
  })

  it('delay responds late, and changes nothing else', async () => {
    const served = await serveTemporary()
    addFault(served, {kind: 'delay', delayMs: 300})
    const started = performance.now()
    expect(await create(served)).toMatchObject({status: 200})
    expect(performance.now() - started).toBeGreaterThan(295)
  })

  it.each([
    ['garbage', 200, 'application/json', true],
    ['html', 502, 'text/html; charset=utf-8', false],
  ] as const)('%s sends %i with %s; done: %s', async (kind, status, type, done) => {
    const served = await serveTemporary()
    addFault(served, {kind})
    const received = await create(served)
    expect(received).toMatchObject({status, headers: {'content-type': type}})
    expect(() => JSON.parse(received.text) as unknown).toThrow(SyntaxError)
    expect(await hasCustomer(served)).toBe(done)
  })

  it('status sends its Retry-After', async () => {
    const served = await serveTemporary()
    addFault(served, {kind: 'status', status: 429, retryAfterSeconds: 7})
    expect(await create(served)).toMatchObject({status: 429, headers: {'retry-after': '7'}})
    expect(await hasCustomer(served)).toBe(false)
  })

  it('has no Date if the behaviours leave it out', async () => {
    const served = await serveTemporary()
    const sandbox = openSandbox({file: served.file})
    expect((await sendRequest(served, 'GET', '/customers')).headers).toHaveProperty('date')
    sandbox.faults.setBehaviours({dateHeader: 'left-out'})
    expect((await sendRequest(served, 'GET', '/customers')).headers).not.toHaveProperty('date')
    sandbox.close()
  })
})

// The same sandbox in the process of the command, and over HTTP.
const transports: ReadonlyArray<readonly [string, (home: Home) => Promise<Record<string, string>>]> = [
  ['in process', async () => ({SVC_PROFILE: 'sandbox'})],
  [
    'over HTTP',
    async (home) => {
      const {url, apiKey} = await serveTemporary(`${home.env['SVC_CONFIG_DIR']}/state/sandbox.sqlite`)
      return {SVC_BASE_URL: url, SVC_API_KEY: apiKey}
    },
  ],
]

describe.each(transports)('a command %s', (_, reach) => {
  useVirtualTime()

  const add = (home: Home, ...flags: string[]) => run(home, ['sandbox', 'faults', 'add', '--times', '1', ...flags])
  const emails = async (home: Home) => (await run(home, ['customers', 'list', '-p', 'sandbox', '-o', 'jsonl'])).out
  const creating = [
    'api',
    'POST',
    '/customers',
    '--yes',
    '--set',
    'customerType=INDIVIDUAL',
    '--set',
    `email=${person.email}`,
  ]

  it.each(['lose', 'reset', 'truncate', 'garbage', 'html', 'refuse'])(
    'reads again after %s if that can help, and succeeds or reports why not',
    async (kind) => {
      const home = freshHome()
      const env = await reach(home)
      expect(await add(home, '--method', 'GET', '--path', '/customers', '--kind', kind)).toMatchObject({code: 0})
      const first = await run(home, ['customers', 'list', '--json', '--verbose'], {env})
      // A complete response that is not JSON is not requested again.
      expect(first.code).toBe(kind === 'garbage' ? 6 : 0)
      expect(first.err).toMatch(kind === 'garbage' ? /not valid JSON/ : /again in/)
      expect(await run(home, ['customers', 'list', '--json'], {env})).toMatchObject({code: 0})
    },
  )

  it.each([
    ['lose', true],
    ['truncate', true],
    ['garbage', true],
    ['reset', false],
    ['html', false],
    ['refuse', false],
  ])('that writes ends with an unknown outcome after %s; done: %s', async (kind, done) => {
    const home = freshHome()
    const env = await reach(home)
    await add(home, '--method', 'POST', '--path', '/customers', '--kind', kind)
    const {code, out, err} = await run(home, [...creating, '--json'], {env})
    expect({code, out}).toEqual({code: 7, out: ''})
    expect(json(err)).toMatchObject({error: 'OUTCOME_UNKNOWN', exitCode: 7})
    expect((await emails(home)).includes(person.email)).toBe(done)
  })

  it.each([
    ['hang', [], false],
    ['delay', ['--delay', '30s'], true],
  ] as const)('waits no longer than its timeout for %s', async (kind, more, done) => {
    const home = freshHome()
    const env = await reach(home)
    await add(home, '--method', 'POST', '--path', '/customers', '--kind', kind, ...more)
    const {code, err} = await run(home, [...creating, '--request-timeout', '700ms'], {env})
    expect(code).toBe(7)
    expect(err).toMatch(/did not answer in time/)
    expect((await emails(home)).includes(person.email)).toBe(done)
  })

  it('waits for the time in Retry-After, and succeeds', async () => {
    const home = freshHome()
    const env = await reach(home)
    await add(
      home,
      '--method',
      'GET',
      '--path',
      '/customers',
      '--kind',
      'status',
      '--status',
      '429',
      '--retry-after',
      '1',
    )
    const started = performance.now()
    expect(await run(home, ['customers', 'list', '--json'], {env})).toMatchObject({code: 0})
    expect(performance.now() - started).toBeGreaterThanOrEqual(1_000)
  })
})
