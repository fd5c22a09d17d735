// What is stored is forwarded in order, whatever fails, and removed in time.
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
