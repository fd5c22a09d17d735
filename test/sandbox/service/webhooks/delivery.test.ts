// Sending webhooks: what arrives, how it is signed, and when it is tried again.
import {Webhook} from 'standardwebhooks'
import {describe, expect, it} from 'vitest'
import {customer} from '../../../../src/contract/customers.ts'
import {openTemporary, temporaryFile} from '../../open.ts'
import {
  changeCustomer,
  parseCustomerId,
  waitUntil,
  respondOk,
  startReceiver,
  startSender,
  respondWith,
  openWithReceiver,
} from './receiver.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

// The schedule of Standard Webhooks: the pause before each attempt.
const pausesMs = [5 * second, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)]

// Long enough to notice a sender with a tick of 20 ms that sends what it must not send.
const waitAWhile = () => new Promise((resolve) => setTimeout(resolve, 150))

describe('a webhook', () => {
  it('is accepted by the public library with the secret of the endpoint, and with no other', async () => {
    const {file, sandbox, receiver, endpoint} = await openWithReceiver()
    startSender(file)
    const changed = await changeCustomer(sandbox)
    await receiver.has(1)
    const {headers, body} = receiver.received[0] as (typeof receiver.received)[number]
    const event = new Webhook(endpoint.secret).verify(body, headers) as Record<string, unknown>
    expect(event).toEqual({
      type: 'customer.updated',
      timestamp: '2026-11-15T12:00:00Z',
      data: expect.anything() as object,
    })
    expect(customer.parse(event['data'])).toEqual(changed)
    expect(body.toString()).toContain('Vardø')
    expect(headers).toMatchObject({'content-type': 'application/json', 'user-agent': 'svc-sandbox'})
    const stranger = openTemporary().webhooks.add({url: receiver.url})
    expect(() => new Webhook(stranger.secret).verify(body, headers)).toThrow(/No matching signature/)
    const altered = Buffer.from(body.toString().replace('Vardø', 'Vardö'))
    expect(() => new Webhook(endpoint.secret).verify(altered, headers)).toThrow(/No matching signature/)
  })

  it('has real time in its header, however far the virtual clock is ahead', async () => {
    const {file, sandbox, receiver} = await openWithReceiver()
    sandbox.clock.advance(10 * hour)
    startSender(file)
    await changeCustomer(sandbox)
    await receiver.has(1)
    const sentAt = Number(receiver.received[0]?.headers['webhook-timestamp']) * second
    expect(Math.abs(Date.now() - sentAt)).toBeLessThan(minute)
  })

  it('arrives in order, and is DELIVERED', async () => {
    const {file, sandbox, receiver} = await openWithReceiver()
    const order: string[] = []
    for (let count = 0; count < 5; count++) order.push((await changeCustomer(sandbox)).customerId)
    const {notices} = startSender(file)
    await receiver.has(5)
    expect(receiver.received.map(parseCustomerId)).toEqual(order)
    await waitUntil(() =>
      expect(sandbox.webhooks.deliveries({status: 'DELIVERED'}).deliveries.map(({lastOutcome}) => lastOutcome)).toEqual(
        Array.from({length: 5}, () => '204'),
      ),
    )
    expect(notices).toHaveLength(5)
    expect(notices[0]).toMatch(/^customer\.updated evt_\w+ → http:\/\/127\.0\.0\.1:\d+\/hook 204$/)
  })

  it('is sent to every endpoint with its own signature, and one that hangs does not delay the others', async () => {
    const {file, sandbox, receiver: hanging} = await openWithReceiver(() => {})
    const quick = await startReceiver()
    const {secret} = sandbox.webhooks.add({url: quick.url})
    await changeCustomer(sandbox)
    await changeCustomer(sandbox)
    startSender(file, {stopGraceMs: 1})
    await quick.has(2)
    await hanging.has(1)
    expect(hanging.received).toHaveLength(1)
    const [one] = quick.received
    expect(() => new Webhook(secret).verify(one?.body ?? '', one?.headers ?? {})).not.toThrow()
    expect(one?.headers['webhook-id']).toBe(hanging.received[0]?.headers['webhook-id'])
  })

  it('never shows a secret or the query of a URL in a notice', async () => {
    const {file, sandbox, receiver} = await openWithReceiver()
    const {secret} = sandbox.webhooks.add({url: `${receiver.url}?token=hidden`})
    await changeCustomer(sandbox)
    const {notices} = startSender(file)
    await receiver.has(2)
    await waitUntil(() => expect(notices).toHaveLength(2))
    expect(notices.join('\n')).not.toMatch(/hidden|whsec/)
    expect(notices.join('\n')).not.toContain(secret)
  })
})

describe('a failed delivery', () => {
  it('is tried ten times, on the schedule of Standard Webhooks by the virtual clock, and then given up', async () => {
    const {file, sandbox, receiver} = await openWithReceiver(respondWith(500))
    await changeCustomer(sandbox)
    const {notices} = startSender(file)
    const only = () => sandbox.webhooks.deliveries({limit: 100}).deliveries.at(-1)
    for (const [index, wait] of pausesMs.entries()) {
      const attempts = index + 1
      await waitUntil(() => expect(only()).toMatchObject({status: 'PENDING', attempts, lastOutcome: '500'}))
      const due = Date.parse(only()?.nextAttemptAt ?? '')
      expect(due - Date.parse(sandbox.clock.status().now)).toBe(wait)
      sandbox.clock.advance(wait - 1)
      await waitAWhile()
      expect(only()?.attempts).toBe(attempts)
      sandbox.clock.advance(1)
    }
    await waitUntil(() => expect(only()).toMatchObject({status: 'FAILED', attempts: 10, lastOutcome: '500'}))
    expect(only()).not.toHaveProperty('nextAttemptAt')
    sandbox.clock.advance(1000 * hour)
    await waitAWhile()
    expect(only()?.attempts).toBe(10)
    const ofFirst = receiver.received.filter(({headers}) => headers['webhook-id'] === only()?.eventId)
    expect(ofFirst).toHaveLength(10)
    expect(new Set(ofFirst.map(({body}) => body.toString())).size).toBe(1)
    expect(notices).toContainEqual(expect.stringMatching(/500, given up after 10 attempts$/))
  })

  it.each([
    ['a redirect, which is not followed', respondWith(302, 204), '302', {}],
    ['an answer that never comes', (response: {socket: unknown}) => void response.socket, 'TIMEOUT', {timeoutMs: 200}],
    ['a connection that breaks', (response: {destroy(): void}) => response.destroy(), 'ECONNRESET', {}],
  ] as const)('may be %s', async (_, answer, lastOutcome, settings) => {
    const {file, sandbox} = await openWithReceiver(answer)
    await changeCustomer(sandbox)
    startSender(file, settings)
    await waitUntil(() =>
      expect(sandbox.webhooks.deliveries().deliveries).toMatchObject([
        {status: 'PENDING', attempts: 1, lastOutcome, nextAttemptAt: '2026-11-15T12:00:05Z'},
      ]),
    )
  })

  it('to an endpoint that is down succeeds when the endpoint is up again', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    sandbox.webhooks.add({url: 'http://127.0.0.1:1/'})
    const receiver = await startReceiver(respondWith(503, 200))
    sandbox.webhooks.add({url: receiver.url})
    await changeCustomer(sandbox)
    startSender(file)
    await waitUntil(() =>
      expect(sandbox.webhooks.deliveries().deliveries.map(({lastOutcome}) => lastOutcome)).toEqual([
        '503',
        'ECONNREFUSED',
      ]),
    )
    sandbox.clock.advance(5 * second)
    const [first] = receiver.received
    const ofFirst = () =>
      receiver.received.filter(({headers}) => headers['webhook-id'] === first?.headers['webhook-id'])
    await waitUntil(() => expect(ofFirst()).toHaveLength(2))
    expect(ofFirst()[1]?.body.equals(first?.body ?? Buffer.from(''))).toBe(true)
  })

  it('with 410 disables the endpoint: nothing more is sent to it, and its pending deliveries have failed', async () => {
    const {file, sandbox, receiver, endpoint} = await openWithReceiver(respondWith(410))
    const other = await startReceiver()
    await changeCustomer(sandbox)
    await changeCustomer(sandbox)
    const {notices} = startSender(file)
    await waitUntil(() => expect(sandbox.webhooks.list()).toMatchObject([{status: 'DISABLED'}]))
    sandbox.webhooks.add({url: other.url})
    await changeCustomer(sandbox)
    await other.has(1)
    await waitAWhile()
    expect(receiver.received).toHaveLength(1)
    const {deliveries} = sandbox.webhooks.deliveries({endpointId: endpoint.endpointId})
    expect(deliveries.map(({status: state, attempts}) => [state, attempts])).toEqual([
      ['FAILED', 0],
      ['FAILED', 1],
    ])
    expect(deliveries.filter(({nextAttemptAt}) => nextAttemptAt !== undefined)).toEqual([])
    expect(notices[0]).toMatch(/410, the endpoint is disabled$/)
    expect(() => sandbox.webhooks.resend(deliveries[0]?.deliveryId ?? '')).toThrow(/is disabled: remove it and add it/)
  })
})

describe('on request', () => {
  it('each event arrives several times, with one id and one body', async () => {
    const {file, sandbox, receiver} = await openWithReceiver(respondOk, {copies: 3})
    await changeCustomer(sandbox)
    startSender(file)
    await receiver.has(3)
    await waitAWhile()
    expect(receiver.received).toHaveLength(3)
    expect(new Set(receiver.received.map(({headers}) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(receiver.received.map(({body}) => body.toString())).size).toBe(1)
  })

  it('an event or a delivery is sent again with the same id and bytes, also by a server at another address', async () => {
    const {file, sandbox, receiver} = await openWithReceiver()
    const other = await startReceiver()
    const first = startSender(file)
    await changeCustomer(sandbox)
    await receiver.has(1)
    await first.stop()
    sandbox.webhooks.add({url: other.url})
    const [delivery] = sandbox.webhooks.deliveries().deliveries
    sandbox.webhooks.resend(delivery?.deliveryId ?? '')
    expect(sandbox.webhooks.resend(delivery?.eventId ?? '')).toHaveLength(2)
    startSender(file, {formsUrl: 'http://elsewhere.test'})
    await receiver.has(3)
    await other.has(1)
    const all = [...receiver.received, ...other.received]
    expect(new Set(all.map(({headers}) => headers['webhook-id']))).toEqual(new Set([delivery?.eventId]))
    expect(new Set(all.map(({body}) => body.toString())).size).toBe(1)
  })

  it('a removed endpoint gets nothing more, not even a queued retry', async () => {
    const {file, sandbox, receiver, endpoint} = await openWithReceiver(respondWith(500))
    await changeCustomer(sandbox)
    startSender(file)
    await waitUntil(() => expect(sandbox.webhooks.deliveries().deliveries).toMatchObject([{attempts: 1}]))
    sandbox.webhooks.remove(endpoint.endpointId)
    sandbox.clock.advance(hour)
    await waitAWhile()
    expect(receiver.received).toHaveLength(1)
  })
})
