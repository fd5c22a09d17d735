// What is stored is forwarded in order, whatever fails, and removed in time.
import fs from 'node:fs'
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {type ForwardOutcome, Forwarder} from '../../../src/events/forward.ts'
import {startListener} from '../../../src/events/listener.ts'
import {listNewestEvents, recordEvent} from '../../../src/events/record.ts'
import {type EventStore, openEventStore} from '../../../src/events/store.ts'
import {temporaryFolder} from '../../support/svc.ts'
import {createUpdate} from './listener.ts'

const dayMs = 86_400_000

const receive = (store: EventStore, id: string, targets: readonly string[], receivedAt = Date.now()) =>
  recordEvent(
    store,
    {rawHeaders: ['webhook-id', id], body: Buffer.from(createUpdate(1)), receivedAt, verified: true},
    targets,
  )

describe('a resend', () => {
  // When it is signed, and when the sender has tried again before.
  const messages: Array<
    [what: string, verified: boolean, signedAtSeconds: number, isForwarded: boolean, triedAgain: number[]]
  > = [
    ['signed later', true, 101, true, []],
    ['signed at the same time, as one that was captured', true, 100, false, []],
    ['signed before', true, 99, false, []],
    ['that nobody signs', false, 100, true, []],
    ['signed later than a second try', true, 106, true, [105]],
    ['signed as a second try that was captured', true, 105, false, [105]],
    ['signed as the first of three tries', true, 105, false, [105, 110, 107]],
  ]

  it.each(messages)('%s is forwarded again: %j', (_, verified, signedAtSeconds, isForwarded, triedAgain) => {
    const store = openEventStore(':memory:')
    const target = 'http://127.0.0.1:1/'
    const arrive = (seconds: number, ...more: string[]) => {
      const rawHeaders = ['webhook-id', 'evt_1', 'webhook-timestamp', String(seconds), ...more]
      return recordEvent(store, {rawHeaders, body: Buffer.from('{}'), receivedAt: Date.now(), verified}, [target])
    }
    expect(arrive(100)).toMatchObject({duplicate: false})
    store.run("update deliveries set status = 'DELIVERED'")
    for (const seconds of triedAgain) expect(arrive(seconds)).toMatchObject({duplicate: true, resent: false})
    const again = arrive(signedAtSeconds, 'svc-event-resend', 'true')
    expect(again).toMatchObject({duplicate: true, resent: isForwarded})
    const [{status} = {status: ''}] = store.all<{status: string}>('select status from deliveries')
    expect(status).toBe(isForwarded ? 'PENDING' : 'DELIVERED')
    // What was captured is neither shown nor forwarded.
    const [stored] = listNewestEvents(store, undefined, 1)
    expect(stored?.headers.includes('svc-event-resend')).toBe(isForwarded)
  })
})

it('nothing of an event is left in the store once its time is over', () => {
  const file = path.join(temporaryFolder(), 'events.sqlite')
  const store = openEventStore(file)
  const body = Buffer.from(JSON.stringify({type: 'x', name: 'Ermintrude'.repeat(200)}))
  for (let count = 0; count < 20; count++) {
    const rawHeaders = ['webhook-id', `evt_${count}`]
    recordEvent(store, {rawHeaders, body, receivedAt: Date.now() - 31 * dayMs, verified: true}, [])
  }
  store.close()
  openEventStore(file).close()
  expect(fs.readFileSync(file, 'latin1')).not.toContain('Ermintrude')
})

// Answers what `decide` says to the id of each event.
async function startTarget(decide: (id: string) => number) {
  const seen: string[] = []
  const server = http.createServer((request, response) => {
    const id = String(request.headers['webhook-id'])
    seen.push(id)
    request.resume().on('end', () => response.writeHead(decide(id)).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return {url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen}
}

function startForwarder(store: EventStore, target: string) {
  const outcomes: ForwardOutcome[] = []
  const forwarder = new Forwarder(store, target, (outcome) => outcomes.push(outcome))
  forwarder.start()
  onTestFinished(() => forwarder.stop())
  return outcomes
}

describe('a target', () => {
  it('gets events in the order of their arrival, also after one that it refused at first', async () => {
    const store = openEventStore(':memory:')
    let refusals = 2
    const {url, seen} = await startTarget((id) => (id === 'evt_1' && refusals-- > 0 ? 503 : 204))
    for (const id of ['evt_1', 'evt_2', 'evt_3']) receive(store, id, [url])
    startForwarder(store, url)
    await expect.poll(() => seen).toHaveLength(5)
    expect(seen).toEqual(['evt_1', 'evt_1', 'evt_1', 'evt_2', 'evt_3'])
  })

  it('gets them although the store fails, however often', async () => {
    const store = openEventStore(':memory:')
    const {url, seen} = await startTarget(() => 204)
    receive(store, 'evt_1', [url])
    const one = store.one.bind(store)
    let failures = 3
    store.one = (...query: Parameters<typeof one>) => {
      if (failures-- > 0) throw new Error('the disk is full')
      return one(...query) as never
    }
    startForwarder(store, url)
    await expect.poll(() => seen).toEqual(['evt_1'])
  })
})

describe('an event', () => {
  it('is removed after thirty days, with where it was sent, when another arrives or the store is opened', () => {
    const file = path.join(temporaryFolder(), 'events.sqlite')
    const store = openEventStore(file)
    receive(store, 'evt_old', ['http://localhost/'], Date.now() - 31 * dayMs)
    receive(store, 'evt_new', ['http://localhost/'], Date.now() - 29 * dayMs)
    expect(listNewestEvents(store, undefined, 10).map(({id}) => id)).toEqual(['evt_new', 'evt_old'])
    store.close()
    const again = openEventStore(file)
    expect(listNewestEvents(again, undefined, 10).map(({id}) => id)).toEqual(['evt_new'])
    expect(again.all('select seq from deliveries')).toHaveLength(1)
    receive(again, 'evt_next', [], Date.now() + 2 * dayMs)
    expect(listNewestEvents(again, undefined, 10).map(({id}) => id)).toEqual(['evt_next'])
    again.close()
  })

  it('that is stored and cannot be shown is answered as stored, and ends the listener', async () => {
    const store = openEventStore(':memory:')
    const failed = Promise.withResolvers<never>()
    failed.promise.catch(() => {})
    const {promise: url, resolve: setUrl} = Promise.withResolvers<string>()
    const listener = await startListener({
      store,
      secrets: undefined,
      subscribe: undefined,
      host: '127.0.0.1',
      port: 0,
      path: '/',
      targets: [],
      replay: undefined,
      reporter: {
        reportState: (_, {url: at}) => at !== undefined && setUrl(at),
        reportEvent: () => failed.reject(new Error('cannot be rendered')),
        reportRejection: () => {},
        reportForward: () => {},
        isBehind: () => false,
        drain: async () => {},
        failure: failed.promise,
      },
    })
    const ended = listener.runUntil(new Promise(() => {}))
    ended.catch(() => {})
    expect((await fetch(await url, {method: 'POST', body: createUpdate(1)})).status).toBe(204)
    await expect(ended).rejects.toThrow('cannot be rendered')
    store.close()
  })
})
