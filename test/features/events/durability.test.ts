// No event is lost: not by kill -9 at any moment, and not on the way to a target.
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {reply, serve} from '../../support/service.ts'
import {freshHome} from '../../support/svc.ts'
import {queryStore, isEvent, startListener, post, postAll, createUpdate} from './listener.ts'

const createIds = (count: number) => Array.from({length: count}, (_, number) => `evt_${number}`)
const parseNumber = (id: string) => Number(id.slice('evt_'.length))
const createBody = (id: string) => createUpdate(parseNumber(id))
const readStoredIds = (file: string) => queryStore<{id: string}>(file, 'select id from events').map(({id}) => id)

describe('a listener', () => {
  it('loses nothing by kill -9: acknowledged events are stored, and others are received again', async () => {
    const home = freshHome()
    const file = path.join(home.folder, 'events.sqlite')
    const ids = createIds(2000)
    const shown = new Set<unknown>()
    let missing = ids
    // Killed while some events are stored and not yet answered, and others not yet stored.
    for (const killAfter of [40, 400, Number.POSITIVE_INFINITY]) {
      const listener = await startListener(home, ['--store', file])
      const sending = postAll(listener.url, missing, createBody)
      if (Number.isFinite(killAfter)) {
        await listener.has(killAfter, isEvent)
        listener.child.kill('SIGKILL')
      }
      const acknowledged = await sending
      const stored = new Set(readStoredIds(file))
      expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([])
      missing = missing.filter((id) => !acknowledged.has(id))
      if (Number.isFinite(killAfter)) expect(missing.length).toBeGreaterThan(0)
      else await listener.has(acknowledged.size, isEvent)
      listener.child.kill('SIGKILL')
      await listener.ended
      for (const {id} of listener.lines().filter(isEvent)) shown.add(id)
    }
    expect(missing).toEqual([])
    expect(readStoredIds(file).toSorted()).toEqual(ids.toSorted())
    expect(shown).toEqual(new Set(ids))
  })

  it('shows after a restart what was stored and not yet shown', async () => {
    const home = freshHome()
    const file = path.join(home.folder, 'events.sqlite')
    const first = await startListener(home, ['--store', file])
    // Nobody reads its output, so most lines stay unwritten.
    first.child.stdout?.pause()
    const ids = createIds(1500)
    const acknowledged = await postAll(first.url, ids, createBody)
    first.child.kill('SIGKILL')
    await first.ended
    const second = await startListener(home, ['--store', file])
    const shown = new Set([...first.lines(), ...second.lines()].filter(isEvent).map(({id}) => id))
    expect(second.lines().some(isEvent)).toBe(true)
    expect([...acknowledged].filter((id) => !shown.has(id))).toEqual([])
  })
})

describe('a forward target', () => {
  it('gets each event at least once under a stable id, although the listener is killed and the target fails', async () => {
    const home = freshHome()
    const file = path.join(home.folder, 'events.sqlite')
    let isSlow = true
    const target = await serve((_, response, count) => {
      // Rejects one, accepts one without a reply, and stops replying after a hundred until the listener was killed.
      if (count === 50) return reply(response, 500, {})
      if (count === 70) return response.destroy()
      return isSlow && count > 100 ? undefined : reply(response, 200, {})
    })
    const flags = ['--store', file, '--forward-to', `${target.url}/hook`]
    const ids = createIds(300)
    const first = await startListener(home, flags)
    expect((await postAll(first.url, ids, createBody)).size).toBe(ids.length)
    first.child.kill('SIGKILL')
    await first.ended
    expect(target.requests.length).toBeLessThan(ids.length)
    isSlow = false
    const second = await startListener(home, flags)
    const pending = () =>
      queryStore<{n: number}>(file, "select count(*) as n from deliveries where status = 'PENDING'")[0]?.n
    while (pending() !== 0) await new Promise((resolve) => setTimeout(resolve, 50))
    expect(new Set(target.requests.map(({headers}) => headers['webhook-id']))).toEqual(new Set(ids))
    for (const {headers, body} of target.requests) {
      expect(headers['svc-event-id']).toBe(headers['webhook-id'])
      expect(body).toBe(createBody(String(headers['webhook-id'])))
    }
    expect(second.lines().some(({forward}) => forward === 'delivered')).toBe(true)
  })

  it('that is down is tried again after a pause, which is shown', async () => {
    const home = freshHome()
    const target = await serve((_, response, count) => reply(response, count === 1 ? 503 : 200, {}))
    const listener = await startListener(home, ['--forward-to', `${target.url}/hook?token=hidden`])
    await post(listener.url, createUpdate(1), {'webhook-id': 'evt_1'})
    const [failed, delivered] = await listener.has(2, (line) => 'forward' in line)
    expect(failed).toMatchObject({
      forward: 'retrying',
      id: 'evt_1',
      outcome: '503',
      attempts: 1,
      target: `${target.url}/hook`,
    })
    expect(failed).toHaveProperty('nextAttemptAt')
    expect(delivered).toMatchObject({forward: 'delivered', outcome: '200', attempts: 2})
    expect(target.requests[0]?.query.get('token')).toBe('hidden')
  })
})
