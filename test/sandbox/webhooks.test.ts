// Webhooks: which events are stored, what arrives and how it is signed, when it is tried again, and what survives a process.
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import {Webhook} from 'standardwebhooks'
import {describe, expect, it, onTestFinished} from 'vitest'
import {ControlError} from '../../src/sandbox/operations/control-error.ts'
import {bundleProgram} from '../support/bundled-program.ts'
import {
  dumpTables,
  hourMs,
  minuteMs,
  noon,
  openTemporary,
  patchCustomer,
  querySql,
  readCustomer,
  temporaryFile,
} from './open.ts'
import {
  changeCustomer,
  changeCustomers,
  openWithReceiver,
  respondWith,
  startReceiver,
  startSender,
  waitUntil,
} from './receiver.ts'

const url = 'http://localhost:3000/hook'

// Long enough to notice a sender with a tick of 20 ms that sends what it must not send.
const waitAWhile = () => new Promise((resolve) => setTimeout(resolve, 150))

describe('an endpoint', () => {
  it('has a secret of its own, of 32 bytes, which lists show only on request', () => {
    const {webhooks} = openTemporary()
    const [one, other] = [webhooks.add({url}), webhooks.add({url})]
    expect(Buffer.from(one.secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32)
    expect(new Set([one, other, openTemporary().webhooks.add({url})].map(({secret}) => secret)).size).toBe(3)
    const masked = {...one, secret: `whsec_…${one.secret.slice(-4)}`}
    expect(webhooks.list()[0]).toEqual(masked)
    expect(webhooks.list({showSecrets: true})).toEqual([one, other])
    expect(webhooks.remove(one.endpointId)).toEqual(masked)
  })

  it.each([
    ['http://localhost:3000/x', {}],
    ['http://127.0.0.1', {}],
    ['http://127.8.8.8:1/', {}],
    ['https://[::1]:8443/', {}],
    ['http://127.1', {}],
    ['https://example.com/hook', {allowRemote: true}],
  ])('may be %s %j', (address, more) => {
    expect(openTemporary().webhooks.add({url: address, ...more}).url).toBe(new URL(address).href)
  })

  it.each([
    ['https://example.com/hook', {}, /example\.com is another machine/],
    ['http://localhost.example.com/', {}, /another machine/],
    ['http://[::ffff:7f00:1]/', {}, /another machine/],
    ['ftp://localhost/', {}, /http:\/\/ or https:\/\//],
    ['localhost:3000', {}, /http:\/\/ or https:\/\//],
    ['http://me:word@localhost/', {}, /credential/],
    ['http://example.com/hook', {allowRemote: true}, /https:\/\/ only/],
  ])('may not be %s %j', (address, more, sentence) => {
    const {webhooks} = openTemporary()
    expect(() => webhooks.add({url: address, ...more})).toThrow(ControlError)
    expect(() => webhooks.add({url: address, ...more})).toThrow(sentence)
    expect(webhooks.list()).toEqual([])
  })
})

describe('customer.updated', () => {
  it('is stored when a status changes, with the customer as in replies, including issues', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const readEvents = () => querySql(file, 'select body from webhookEvents order by rowid')
    const {customerId: early} = await changeCustomer(sandbox)
    expect(readEvents()).toEqual([])
    sandbox.webhooks.add({url})
    await expect(patchCustomer(sandbox, early, {kycData: {nationality: 'NO'}})).rejects.toThrow(/400/)
    const reviewed = await changeCustomer(sandbox)
    // The review of the other customer makes an event before this one.
    sandbox.clock.advance(hourMs)
    const decided = await readCustomer(sandbox, reviewed.customerId)
    const corrected = await patchCustomer(sandbox, reviewed.customerId, {kycData: {nationality: 'NO'}})
    const events = readEvents()
      .map(({body}) => JSON.parse(String(body)) as {type: string; timestamp: string; data: {customerId: string}})
      .filter(({data}) => data.customerId === reviewed.customerId)
    const shown = [reviewed, decided, corrected]
    expect(events).toEqual(shown.map((data) => ({type: 'customer.updated', timestamp: data.updatedAt, data})))
    expect(shown.map(({customerStatus}) => customerStatus)).toEqual([
      'UNDER_REVIEW',
      'NEEDS_ADDITIONAL_INFORMATION',
      'UNDER_REVIEW',
    ])
    expect(decided.verificationIssues).not.toEqual([])
  })

  it('has one delivery for each endpoint, which waits until a server runs, and does not stop the clock', async () => {
    const sandbox = openTemporary()
    const [one, other] = [sandbox.webhooks.add({url}), sandbox.webhooks.add({url})]
    const {customerId} = await changeCustomer(sandbox)
    expect(sandbox.webhooks.deliveries().deliveries.at(-1)).toEqual({
      deliveryId: expect.stringMatching(/^dlv_/) as string,
      eventId: expect.stringMatching(/^evt_/) as string,
      type: 'customer.updated',
      customerId,
      endpointId: one.endpointId,
      url,
      status: 'PENDING',
      attempts: 0,
      nextAttemptAt: '2026-11-15T12:00:00Z',
      createdAt: '2026-11-15T12:00:00Z',
    })
    expect(Date.parse(sandbox.clock.toNext().now)).toBeGreaterThan(noon.getTime())
    sandbox.clock.untilIdle()
    const {deliveries} = sandbox.webhooks.deliveries({limit: 100})
    const ofCustomer = deliveries.filter((each) => each.customerId === customerId)
    expect(ofCustomer.filter(({endpointId}) => endpointId === other.endpointId)).toHaveLength(2)
    expect(ofCustomer).toHaveLength(4)
  })

  it('can be listed by what became of it, and goes with its endpoint, whose secret is nowhere left', async () => {
    const file = temporaryFile()
    const {webhooks, ...sandbox} = openTemporary({file})
    const [one, other] = [webhooks.add({url}), webhooks.add({url})]
    await changeCustomers({webhooks, ...sandbox}, 3)
    const all = webhooks.deliveries({limit: 6})
    expect([all.deliveries.length, all.more]).toEqual([6, false])
    expect(webhooks.deliveries({limit: 5})).toEqual({deliveries: all.deliveries.slice(0, 5), more: true})
    expect(webhooks.deliveries({endpointId: one.endpointId}).deliveries).toHaveLength(3)
    const [{eventId, deliveryId} = expect.fail()] = all.deliveries
    expect(webhooks.deliveries({eventId, status: 'PENDING'}).deliveries).toHaveLength(2)
    expect(webhooks.deliveries({status: 'FAILED'}).deliveries).toEqual([])
    expect(() => webhooks.deliveries({endpointId: 'we_none'})).toThrow(/no webhook endpoint we_none/)
    expect(() => webhooks.resend('evt_none')).toThrow(/no event and no delivery evt_none/)
    for (const {endpointId} of [one, other]) webhooks.remove(endpointId)
    expect([webhooks.list(), webhooks.deliveries().deliveries]).toEqual([[], []])
    expect(dumpTables(file)).not.toContain(one.secret)
    expect(() => webhooks.remove(one.endpointId)).toThrow(ControlError)
    expect(() => webhooks.resend(eventId)).toThrow(/cannot be sent/)
    expect(() => webhooks.resend(deliveryId)).toThrow(ControlError)
    webhooks.add({url})
    expect(webhooks.resend(eventId)).toMatchObject([{eventId, status: 'PENDING'}])
    sandbox.reset()
    expect([webhooks.list(), webhooks.events().events]).toEqual([[], []])
  })
})

describe('a webhook', () => {
  it('arrives in order, and is DELIVERED, with a notice that shows no secret and no query', async () => {
    const {file, sandbox, receiver, deliveries} = await openWithReceiver()
    const {secret} = sandbox.webhooks.add({url: `${receiver.url}?token=hidden`})
    const order = await changeCustomers(sandbox, 5)
    const {notices} = startSender(file)
    await waitUntil(() => expect(notices).toHaveLength(10))
    expect(deliveries().map(({status, lastOutcome}) => `${status} ${lastOutcome}`)).toEqual(
      Array.from({length: 10}, () => 'DELIVERED 204'),
    )
    expect([...new Set(receiver.listCustomers())]).toEqual(order)
    expect(notices[0]).toMatch(/^customer\.updated evt_\w+ → http:\/\/127\.0\.0\.1:\d+\/hook 204$/)
    expect(notices.join('\n')).not.toMatch(/hidden|whsec/)
    expect(notices.join('\n')).not.toContain(secret)
  })

  it('is sent to every endpoint with its own signature, and one that hangs does not delay the others', async () => {
    const {file, sandbox, endpoint, receiver: hanging} = await openWithReceiver(() => {})
    const quick = await startReceiver()
    const {secret} = sandbox.webhooks.add({url: quick.url})
    // Signatures are of real time, however far the virtual clock is ahead.
    sandbox.clock.advance(10 * hourMs)
    await changeCustomers(sandbox, 2)
    startSender(file, {stopGraceMs: 1})
    await quick.has(2)
    await hanging.has(1)
    expect(hanging.received).toHaveLength(1)
    const [{body, headers} = expect.fail()] = quick.received
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({timestamp: '2026-11-15T22:00:00Z'})
    expect(() => new Webhook(endpoint.secret).verify(body, headers)).toThrow(/No matching signature/)
    expect(headers['webhook-id']).toBe(hanging.received[0]?.headers['webhook-id'])
  })

  it('arrives several times on request, with one id and one body', async () => {
    const {file, sandbox, receiver} = await openWithReceiver(respondWith(204), {copies: 3})
    await changeCustomer(sandbox)
    startSender(file)
    await receiver.has(3)
    await waitAWhile()
    expect(receiver.received).toHaveLength(3)
    receiver.expectOne()
  })

  it('is sent again with the same id and bytes, as an event or a delivery, also by a server at another address', async () => {
    const {file, sandbox, receiver, deliveries} = await openWithReceiver()
    const first = startSender(file)
    await changeCustomer(sandbox)
    await receiver.has(1)
    await first.stop()
    const [{deliveryId, eventId} = expect.fail()] = deliveries()
    sandbox.webhooks.resend(deliveryId)
    sandbox.webhooks.add({url: receiver.url})
    expect(sandbox.webhooks.resend(eventId)).toHaveLength(2)
    startSender(file, {formsUrl: 'http://elsewhere.test'})
    await receiver.has(4)
    receiver.expectOne(eventId)
  })
})

describe('a failed delivery', () => {
  // The schedule of Standard Webhooks: the pause before each attempt.
  const pausesMs = [5_000, 5 * minuteMs, 30 * minuteMs, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs)]

  it('is tried ten times, on the schedule of Standard Webhooks by the virtual clock, and then given up', async () => {
    const {file, sandbox, receiver, deliveries} = await openWithReceiver(respondWith(500))
    await changeCustomer(sandbox)
    const {notices} = startSender(file)
    const only = () => deliveries().at(-1)
    for (const [index, wait] of pausesMs.entries()) {
      const attempts = index + 1
      await waitUntil(() => expect(only()).toMatchObject({status: 'PENDING', attempts, lastOutcome: '500'}))
      expect(Date.parse(only()?.nextAttemptAt ?? '') - Date.parse(sandbox.clock.status().now)).toBe(wait)
      sandbox.clock.advance(wait - 1)
      await waitAWhile()
      expect(only()?.attempts).toBe(attempts)
      sandbox.clock.advance(1)
    }
    await waitUntil(() => expect(only()).toMatchObject({status: 'FAILED', attempts: 10, lastOutcome: '500'}))
    expect(only()).not.toHaveProperty('nextAttemptAt')
    sandbox.clock.advance(1000 * hourMs)
    await waitAWhile()
    expect(only()?.attempts).toBe(10)
    const ofFirst = receiver.received.filter(({headers}) => headers['webhook-id'] === only()?.eventId)
    expect(ofFirst).toHaveLength(10)
    expect(new Set(ofFirst.map(({body}) => body)).size).toBe(1)
    expect(notices).toContainEqual(expect.stringMatching(/500, given up after 10 attempts$/))
  })

  it.each([
    ['a redirect, which is not followed', respondWith(302, 204), '302', {}],
    ['an answer that never comes', () => {}, 'TIMEOUT', {timeoutMs: 200}],
    ['a connection that breaks', (response: {destroy(): void}) => response.destroy(), 'ECONNRESET', {}],
    ['an endpoint that is down', undefined, 'ECONNREFUSED', {}],
  ] as const)('may be %s', async (_, respond, lastOutcome, settings) => {
    const {file, sandbox, endpoint, deliveries} = await openWithReceiver(respond)
    if (respond === undefined) {
      sandbox.webhooks.remove(endpoint.endpointId)
      sandbox.webhooks.add({url: 'http://127.0.0.1:1/'})
    }
    await changeCustomer(sandbox)
    startSender(file, settings)
    const failed = {status: 'PENDING', attempts: 1, lastOutcome, nextAttemptAt: '2026-11-15T12:00:05Z'}
    await waitUntil(() => expect(deliveries()).toMatchObject([failed]))
  })

  it('succeeds when the endpoint is up again; one that was removed gets nothing more', async () => {
    const {file, sandbox, receiver} = await openWithReceiver(respondWith(503, 200))
    const removed = await startReceiver(respondWith(500))
    const {endpointId} = sandbox.webhooks.add({url: removed.url})
    await changeCustomer(sandbox)
    startSender(file)
    await waitUntil(() =>
      expect(sandbox.webhooks.deliveries().deliveries).toMatchObject([{attempts: 1}, {attempts: 1}]),
    )
    sandbox.webhooks.remove(endpointId)
    sandbox.clock.advance(4_999)
    sandbox.clock.advance(1)
    const [first] = receiver.received
    const isOfFirst = ({headers}: {headers: Record<string, string>}) =>
      headers['webhook-id'] === first?.headers['webhook-id']
    await waitUntil(() => expect(receiver.received.filter(isOfFirst)).toHaveLength(2))
    expect(removed.received).toHaveLength(1)
  })

  it('with 410 disables the endpoint: nothing more is sent to it, and its pending deliveries have failed', async () => {
    const {file, sandbox, receiver, endpoint} = await openWithReceiver(respondWith(410))
    const other = await startReceiver()
    await changeCustomers(sandbox, 2)
    const {notices} = startSender(file)
    await waitUntil(() => expect(sandbox.webhooks.list()).toMatchObject([{status: 'DISABLED'}]))
    sandbox.webhooks.add({url: other.url})
    await changeCustomer(sandbox)
    await other.has(1)
    await waitAWhile()
    expect(receiver.received).toHaveLength(1)
    const {deliveries} = sandbox.webhooks.deliveries({endpointId: endpoint.endpointId})
    expect(deliveries.map(({status, attempts, nextAttemptAt}) => [status, attempts, nextAttemptAt])).toEqual([
      ['FAILED', 0, undefined],
      ['FAILED', 1, undefined],
    ])
    expect(notices[0]).toMatch(/410, the endpoint is disabled$/)
    expect(() => sandbox.webhooks.resend(deliveries[0]?.deliveryId ?? '')).toThrow(/is disabled: remove it and add it/)
  })
})

async function startSenderProcess(file: string): Promise<ChildProcess> {
  const program = await bundleProgram(new URL('sender.ts', import.meta.url))
  const child = spawn(process.execPath, [program, file], {stdio: ['ignore', 'pipe', 'inherit']})
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

async function kill(child: ChildProcess) {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

// Answers every request but the first.
const ignoreFirst = (response: {writeHead(status: number): {end(): void}}, count: number) => {
  if (count > 1) response.writeHead(204).end()
}

describe('a server', () => {
  it('that is killed between sending an event and recording it is followed by one that sends it again at once', async () => {
    const {file, sandbox, receiver, deliveries} = await openWithReceiver(ignoreFirst)
    await changeCustomer(sandbox)
    const child = await startSenderProcess(file)
    await receiver.has(1)
    await kill(child)
    expect(deliveries()).toMatchObject([{status: 'PENDING', attempts: 0}])
    await startSenderProcess(file)
    await receiver.has(2)
    receiver.expectOne()
    await waitUntil(() => expect(deliveries()).toMatchObject([{status: 'DELIVERED', attempts: 1}]))
  })

  it('that is one of two on a file sends each event once, in order', async () => {
    const {file, sandbox, receiver} = await openWithReceiver((response) => {
      setTimeout(() => response.writeHead(204).end(), 10)
    })
    await Promise.all([startSenderProcess(file), startSenderProcess(file)])
    const order = await changeCustomers(sandbox, 20)
    const delivered = () => sandbox.webhooks.deliveries({status: 'DELIVERED', limit: 20}).deliveries
    await waitUntil(() => expect(delivered()).toHaveLength(20))
    await waitAWhile()
    expect(receiver.listCustomers()).toEqual(order)
  })

  it('that stops lets an attempt finish, or aborts one that takes too long, which counts as not made', async () => {
    const slow = await openWithReceiver((response) => {
      setTimeout(() => response.writeHead(204).end(), 100)
    })
    const stuck = await openWithReceiver(ignoreFirst)
    for (const {file, sandbox, receiver} of [slow, stuck]) {
      await changeCustomer(sandbox)
      const {stop} = startSender(file, receiver === stuck.receiver ? {stopGraceMs: 20} : {})
      await receiver.has(1)
      await stop()
    }
    expect(slow.deliveries()).toMatchObject([{status: 'DELIVERED', attempts: 1}])
    expect(stuck.deliveries()).toMatchObject([{status: 'PENDING', attempts: 0}])
    startSender(stuck.file)
    await stuck.receiver.has(2)
  })
})
