// The sandbox that programs import: opened quickly, apart from every other one, and repeatable.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {describe, expect, it, onTestFinished} from 'vitest'
import {SvcError} from '../../../src/errors.ts'
import {type Sandbox, type SandboxOptions, createSandbox} from '../../../src/library/sandbox.ts'
import {verifyEvent} from '../../../src/library/webhooks.ts'
import {openTemporary} from '../../sandbox/open.ts'
import {measureCpuMs} from '../../support/cpu-time.ts'

const demoCustomer = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'

function open(options?: SandboxOptions): Sandbox {
  const sandbox = createSandbox(options)
  onTestFinished(() => sandbox.close())
  return sandbox
}

const createCustomer = ({client}: Sandbox, email = 'ada@example.com') =>
  client.customers.create({customerType: 'INDIVIDUAL', email, firstName: 'Ada', lastName: 'Lindqvist'})

const countCustomers = async ({client}: Sandbox) => {
  let count = 0
  for await (const _ of client.customers.all()) count++
  return count
}

describe('a sandbox in memory', () => {
  it('is apart from the others, with a key of its own', async () => {
    const sandboxes = Array.from({length: 10}, () => open())
    await Promise.all(sandboxes.slice(1).map((sandbox) => createCustomer(sandbox)))
    const counts = await Promise.all(sandboxes.map(countCustomers))
    expect(counts).toEqual([24, ...Array<number>(9).fill(25)])
    expect(new Set(sandboxes.map(({apiKey}) => apiKey)).size).toBe(10)
    const [first, second] = sandboxes as [Sandbox, Sandbox]
    const headers = {authorization: `Bearer ${first.apiKey}`}
    expect((await first.fetch(`${first.baseUrl}/customers`, {headers})).status).toBe(200)
    expect((await second.fetch(new URL('/customers', second.baseUrl), {headers})).status).toBe(401)
  })

  it('takes little time to open after the first one', () => {
    open()
    const openMs = measureCpuMs(() => {
      for (let count = 0; count < 5; count++) createSandbox().close()
    })
    expect(openMs / 5).toBeLessThan(50)
  })

  it('has the same ids with the same seed, and its clock stands still', async () => {
    const options = {seed: 'payroll', now: '2026-03-02T09:00:00Z'}
    const [one, two] = [open(options), open(options)]
    const [first, second] = await Promise.all([one, two].map((sandbox) => createCustomer(sandbox)))
    expect(first).toEqual(second)
    expect(one.clock.now().toISOString()).toBe('2026-03-02T09:00:00.000Z')
    one.clock.advance(60_000)
    expect([one, two].map(({clock}) => clock.now().getUTCMinutes())).toEqual([1, 0])
  })

  it.each([undefined, 'payroll'])(
    'has a clock that shows real time, also after others with the seed %s',
    async (seed) => {
      open({seed}).clock.advance(60_000)
      await sleep(20)
      const before = Date.now()
      const now = open({seed}).clock.now().getTime()
      expect(now).toBeGreaterThanOrEqual(before)
      expect(now).toBeLessThanOrEqual(Date.now())
    },
  )

  it('goes back to a snapshot, and carries one to another sandbox', async () => {
    const sandbox = open()
    const {customerId} = await createCustomer(sandbox)
    const saved = sandbox.snapshot()
    sandbox.verify(customerId, 'rejected', {codes: ['AML_MATCH']})
    sandbox.restore(saved)
    const copy = open({snapshot: saved})
    for (const each of [sandbox, copy]) {
      expect((await each.client.customers.get(customerId)).customerStatus).toBe('CREATED')
    }
    expect(copy.apiKey).toBe(sandbox.apiKey)
    expect(() => sandbox.restore(Buffer.from('no sandbox'))).toThrow('The snapshot is not a saved sandbox')
    expect(() => createSandbox({snapshot: saved, seed: 'x'})).toThrow('A snapshot has its own seed and its own time')
    expect(() => createSandbox({now: 'yesterday'})).toThrow('must stay between the years 1970 and 9999')
  })

  it('begins with a snapshot that the command line saved, and leaves nothing of one that is none', async () => {
    const inner = openTemporary()
    inner.seedCustomers(3)
    inner.snapshots.save('before')
    const saved = fs.readFileSync(path.join(`${inner.status().file}.snapshots`, 'before.sqlite'))
    using sandbox = createSandbox({snapshot: saved})
    expect(sandbox.apiKey).toBe(inner.apiKey)
    const {customers} = await sandbox.client.customers.list({pageSize: 100})
    expect(customers).toHaveLength(27)
    const file = path.join(path.dirname(inner.status().file), 'other.sqlite')
    for (const wrong of [Buffer.from('no sandbox'), saved.subarray(0, 8192)]) {
      expect(() => createSandbox({file, snapshot: wrong})).toThrow(/not a saved sandbox|malformed/)
      expect(fs.existsSync(file)).toBe(false)
    }
    createSandbox({file, snapshot: saved}).close()
  })

  it('keeps everything in a file that is named, and never replaces one with a snapshot', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-library-'))
    onTestFinished(() => fs.rmSync(folder, {recursive: true, force: true}))
    const file = path.join(folder, 'sandbox.sqlite')
    const first = createSandbox({file})
    await createCustomer(first)
    const saved = first.snapshot()
    first.close()
    expect(await countCustomers(open({file}))).toBe(25)
    expect(() => createSandbox({file, snapshot: saved})).toThrow('is a sandbox already')
    expect(await countCustomers(open({file: path.join(folder, 'copy.sqlite'), snapshot: saved}))).toBe(25)
  })

  it('moves money, and simulates failures for the client', async () => {
    const sandbox = open({now: '2026-03-02T09:00:00Z'})
    const wallet = sandbox.addAccount({customerId: demoCustomer, type: 'SVC_CRYPTO_WALLET', balance: '10.00'})
    expect(sandbox.fund(wallet.paymentAccountId, '5.50')).toMatchObject({balances: {USDC: '15.50'}})
    sandbox.faults.add({path: '/customers', kind: 'status', status: 429, retryAfterSeconds: 0, times: 1})
    await expect(sandbox.client.customers.list({pageSize: 1})).resolves.toMatchObject({customers: [{}]})
    expect(sandbox.requests({path: '/customers'}).map(({status}) => status)).toEqual([429, 200])
    // Whatever control refuses, a program cannot do either: no timer waits that long.
    expect(() => sandbox.faults.add({path: '*', kind: 'delay', delayMs: 3e9})).toThrow('DelayMs')
    expect(() => sandbox.faults.behave({tier: 'none' as 'builder'})).toThrow('Tier must be one of')
    sandbox.faults.behave({quoteUse: 'many'})
    expect(sandbox.faults.behaviours().quoteUse).toBe('many')
    const failure: unknown = await sandbox.client.customers.get('not-an-id').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(SvcError)
    expect(failure).toMatchObject({kind: 'usage', effect: 'none'})
  })
})

it('an event of the sandbox is what an endpoint gets, and is verified with the secret', async () => {
  const sandbox = open()
  const {customerId} = await createCustomer(sandbox)
  sandbox.verify(customerId, 'approved')
  const events = sandbox.events.list({customerId})
  const last = events.at(-1)
  if (!last) throw new Error('there is no event')
  const request = sandbox.events.toRequest(last)
  const body = await request.text()
  const delivery = {headers: request.headers, body}
  expect(verifyEvent(delivery, ['whsec_b2xkZXIgc2VjcmV0', sandbox.webhookSecret])).toMatchObject({
    id: last.eventId,
    type: 'customer.updated',
    customer: {customerId, customerStatus: 'ACTIVE'},
  })
  const node = {headers: Object.fromEntries(request.headers), body: Buffer.from(body)}
  expect(verifyEvent(node, sandbox.webhookSecret).id).toBe(last.eventId)
  const changed = {headers: request.headers, body: body.replace('ACTIVE', 'REJECTED')}
  expect(() => verifyEvent(changed, sandbox.webhookSecret)).toThrow('its signature does not match')
  expect(() => verifyEvent({headers: {}, body}, sandbox.webhookSecret)).toThrow('it is not signed')
  expect(() => verifyEvent(delivery, 'whsec_!')).toThrow('The secret holds no secret in the format')
})
