// Events and endpoints in the database, before anything is sent.
import {describe, expect, it} from 'vitest'
import {ControlError} from '../../../../src/sandbox/operations/control-error.ts'
import {customer} from '../../../../src/contract/customers.ts'
import {DatabaseSync} from 'node:sqlite'
import {dumpTables, noon, openTemporary, patchCustomer, readCustomer, temporaryFile} from '../../open.ts'
import {changeCustomer} from './receiver.ts'

const url = 'http://localhost:3000/hook'
const hour = 3_600_000

function readEvents(file: string) {
  const database = new DatabaseSync(file, {readOnly: true})
  const rows = database.prepare('select body from webhookEvents order by rowid').all() as {body: string}[]
  database.close()
  return rows.map(({body}) => JSON.parse(body) as {type: string; timestamp: string; data: Record<string, unknown>})
}

describe('an endpoint', () => {
  it('has a secret of its own, of 32 bytes, which lists show only on request', () => {
    const sandbox = openTemporary()
    const [one, other] = [sandbox.webhooks.add({url}), sandbox.webhooks.add({url})]
    expect(one.secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/)
    expect(Buffer.from(one.secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
    expect(other.secret).not.toBe(one.secret)
    expect(openTemporary().webhooks.add({url}).secret).not.toBe(one.secret)
    const [listed] = sandbox.webhooks.list()
    expect(listed).toEqual({...one, secret: `whsec_…${one.secret.slice(-4)}`})
    expect(sandbox.webhooks.list({showSecrets: true})).toEqual([one, other])
    expect(sandbox.webhooks.remove(one.endpointId).secret).toBe(listed?.secret)
  })

  it.each([
    'http://localhost:3000/x',
    'http://127.0.0.1',
    'http://127.8.8.8:1/',
    'https://[::1]:8443/',
    'http://127.1',
  ])('may be on this machine: %s', (address) => {
    expect(openTemporary().webhooks.add({url: address}).url).toBe(new URL(address).href)
  })

  it.each([
    ['https://example.com/hook', /example\.com is another machine/],
    ['http://localhost.example.com/', /another machine/],
    ['http://[::ffff:7f00:1]/', /another machine/],
    ['ftp://localhost/', /http:\/\/ or https:\/\//],
    ['localhost:3000', /http:\/\/ or https:\/\//],
    ['http://me:word@localhost/', /credential/],
  ])('may not be elsewhere: %s', (address, sentence) => {
    const sandbox = openTemporary()
    expect(() => sandbox.webhooks.add({url: address})).toThrow(ControlError)
    expect(() => sandbox.webhooks.add({url: address})).toThrow(sentence)
    expect(sandbox.webhooks.list()).toEqual([])
  })

  it('may be on another machine if that is allowed, over HTTPS only', () => {
    const {webhooks} = openTemporary()
    expect(webhooks.add({url: 'https://example.com/hook', allowRemote: true}).url).toBe('https://example.com/hook')
    expect(() => webhooks.add({url: 'http://example.com/hook', allowRemote: true})).toThrow(/https:\/\/ only/)
  })
})

describe('customer.updated', () => {
  it('is stored when a status changes, with the customer as in replies, including issues', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    sandbox.webhooks.add({url})
    const reviewed = await changeCustomer(sandbox)
    sandbox.clock.advance(hour)
    const decided = await readCustomer(sandbox, reviewed.customerId)
    expect(decided.customerStatus).toBe('NEEDS_ADDITIONAL_INFORMATION')
    const corrected = await patchCustomer(sandbox, reviewed.customerId, {kycData: {nationality: 'NO'}})
    expect(corrected.customerStatus).toBe('UNDER_REVIEW')
    const events = readEvents(file)
    expect(events.map(({type, data}) => [type, data['customerStatus']])).toEqual([
      ['customer.updated', 'UNDER_REVIEW'],
      ['customer.updated', 'NEEDS_ADDITIONAL_INFORMATION'],
      ['customer.updated', 'UNDER_REVIEW'],
    ])
    for (const [index, shown] of [reviewed, decided, corrected].entries()) {
      const {data, timestamp} = events[index] as (typeof events)[number]
      expect(data).toEqual(shown)
      expect(timestamp).toBe(shown.updatedAt)
      expect(customer.safeParse(data).success).toBe(true)
    }
    expect(events[1]?.data['verificationIssues']).not.toEqual([])
    expect(events[0]?.timestamp).toBe('2026-11-15T12:00:00Z')
  })

  it('has one delivery for each endpoint, which waits until a server runs', async () => {
    const sandbox = openTemporary()
    const [one, other] = [sandbox.webhooks.add({url}), sandbox.webhooks.add({url})]
    const {customerId} = await changeCustomer(sandbox)
    sandbox.clock.untilIdle()
    sandbox.clock.advance(hour)
    const {deliveries: all} = sandbox.webhooks.deliveries({limit: 100})
    const deliveries = all.filter((delivery) => delivery.customerId === customerId)
    expect(deliveries.filter((delivery) => delivery.endpointId === one.endpointId)).toHaveLength(2)
    expect(deliveries.filter((delivery) => delivery.endpointId === other.endpointId)).toHaveLength(2)
    expect(deliveries.at(-1)).toEqual({
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
  })

  it('does not stop the clock: an attempt that waits for a server is not the next task', async () => {
    const sandbox = openTemporary()
    sandbox.webhooks.add({url})
    await changeCustomer(sandbox)
    const {now} = sandbox.clock.toNext()
    expect(Date.parse(now)).toBeGreaterThan(noon.getTime())
  })

  it('is not stored without endpoints, nor for a rejected change', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const {customerId} = await changeCustomer(sandbox)
    expect(readEvents(file)).toEqual([])
    sandbox.webhooks.add({url})
    await expect(patchCustomer(sandbox, customerId, {kycData: {nationality: 'NO'}})).rejects.toThrow(/400/)
    expect(readEvents(file)).toEqual([])
  })
})

describe('deliveries', () => {
  it('can be filtered, and the list says if there are more', async () => {
    const sandbox = openTemporary()
    const [one] = [sandbox.webhooks.add({url}), sandbox.webhooks.add({url})]
    for (let count = 0; count < 3; count++) await changeCustomer(sandbox)
    const all = sandbox.webhooks.deliveries({limit: 6})
    expect([all.deliveries.length, all.more]).toEqual([6, false])
    expect(sandbox.webhooks.deliveries({limit: 5})).toEqual({deliveries: all.deliveries.slice(0, 5), more: true})
    expect(sandbox.webhooks.deliveries({endpointId: one.endpointId}).deliveries).toHaveLength(3)
    const eventId = all.deliveries[0]?.eventId
    expect(sandbox.webhooks.deliveries({eventId, status: 'PENDING'}).deliveries).toHaveLength(2)
    expect(sandbox.webhooks.deliveries({status: 'FAILED'}).deliveries).toEqual([])
    expect(() => sandbox.webhooks.deliveries({endpointId: 'we_none'})).toThrow(/no webhook endpoint we_none/)
  })

  it('go with their endpoint, whose secret is nowhere left; the event stays, and a reset deletes it', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const {endpointId, secret} = sandbox.webhooks.add({url})
    await changeCustomer(sandbox)
    const {eventId = ''} = sandbox.webhooks.events().events[0] ?? {}
    sandbox.webhooks.remove(endpointId)
    expect([sandbox.webhooks.list(), sandbox.webhooks.deliveries().deliveries]).toEqual([[], []])
    expect(dumpTables(file)).not.toContain(secret)
    expect(() => sandbox.webhooks.remove(endpointId)).toThrow(ControlError)
    sandbox.webhooks.add({url})
    expect(sandbox.webhooks.resend(eventId)).toMatchObject([{eventId, status: 'PENDING'}])
    sandbox.reset()
    expect(sandbox.webhooks.list()).toEqual([])
    expect(readEvents(file)).toEqual([])
  })

  it('are rejected for an unknown id, and if no endpoint is enabled', async () => {
    const sandbox = openTemporary()
    const {endpointId} = sandbox.webhooks.add({url})
    await changeCustomer(sandbox)
    const [delivery] = sandbox.webhooks.deliveries().deliveries
    expect(() => sandbox.webhooks.resend('evt_none')).toThrow(/no event and no delivery evt_none/)
    sandbox.webhooks.remove(endpointId)
    expect(() => sandbox.webhooks.resend(delivery?.eventId ?? '')).toThrow(/cannot be sent/)
  })
})
