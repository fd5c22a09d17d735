// svc events listen: its output on a terminal, in a pipe and as JSON; verification, forwarding, and input that it rejects.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {queryStore, isEvent, startListener, post, secret, sign, createUpdate} from '../../events/listener.ts'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome, run} from '../../support/svc.ts'
import {onPty} from '../../support/terminal.ts'

const listen = ['events', 'listen']

describe('svc events listen', () => {
  it('shows its address, whether it verifies, and a line without personal data per event; Ctrl-C ends it with 0', async () => {
    const screen = onPty(freshHome(), listen, {cols: 100})
    await screen.waitFor('only a hint')
    const [, url = ''] = /Listening at (\S+)\. /.exec(screen.text()) ?? []
    await post(url, createUpdate(1))
    await post(url, createUpdate(1))
    await screen.waitFor(
      new RegExp(
        `\\d\\d:\\d\\d:\\d\\d {2}sha256_[0-9a-f]{8} {2}customer\\.updated {2}00000000 {2}ACTIVE {2}unverified\n`,
      ),
    )
    await screen.waitFor('unverified  duplicate\n')
    expect(screen.text()).not.toMatch(/Customer 1|example\.com/)
    screen.type('\u0003')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/Stopped; every event that got a 2xx reply is stored\.\n$/)
  })

  it('with --json prints a line for every state and event, the event unchanged', async () => {
    const home = freshHome()
    const listener = await startListener(home)
    const body = `{"event":"customer.update","data":${JSON.stringify(customer(1))},"score":1.50}`
    expect(await post(listener.url, body, {'webhook-id': 'evt_1'})).toBe(204)
    await listener.has(1, isEvent)
    listener.child.kill('SIGINT')
    expect(await listener.ended).toBe(0)
    const [ready, event, stopped, ...none] = listener.lines()
    expect(ready).toEqual({state: 'listening', url: listener.url})
    expect(event).toEqual({
      id: 'evt_1',
      receivedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      type: 'customer.updated',
      customerId: customerId(1),
      customerStatus: 'ACTIVE',
      updatedAt: '2026-11-01T12:00:00Z',
      verified: false,
      duplicate: false,
      event: JSON.parse(body) as object,
    })
    expect(stopped).toEqual({state: 'stopped'})
    expect(none).toEqual([])
    const file = path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'state', 'events.sqlite')
    expect((fs.statSync(file).mode & 0o777).toString(8)).toBe('600')
    expect(
      queryStore<{body: Uint8Array}>(file, 'select body from events').map((row) => Buffer.from(row.body).toString()),
    ).toEqual([body])
  })

  it('with a secret accepts events that are signed with it; others are rejected, and neither stored nor forwarded', async () => {
    const home = freshHome()
    const store = path.join(home.folder, 'events.sqlite')
    const target = await serve((_, response) => reply(response, 200, {}))
    const listener = await startListener(home, ['--store', store, '--forward-to', target.url], {
      SVC_WEBHOOK_SECRET: secret,
    })
    const body = createUpdate(1)
    const forger = `whsec_${Buffer.from('a secret that is not the one').toString('base64')}`
    expect(await post(listener.url, body)).toBe(401)
    expect(await post(listener.url, body, sign('evt_forged', body, new Date(), forger))).toBe(401)
    expect(await post(listener.url, createUpdate(2), sign('evt_changed', body))).toBe(401)
    expect(await post(listener.url, body, sign('evt_true', body))).toBe(204)
    await listener.has(1, ({forward}) => forward === 'delivered')
    expect(listener.lines().filter(isEvent)).toMatchObject([{id: 'evt_true', verified: true}])
    expect(listener.lines().flatMap(({refused: rejections}) => rejections ?? [])).toEqual([
      'it is not signed',
      'its signature does not match',
      'its signature does not match',
    ])
    expect(queryStore(store, 'select id, trust from events')).toEqual([{id: 'evt_true', trust: 1}])
    expect(target.requests.map(({headers}) => headers['webhook-id'])).toEqual(['evt_true'])
    expect(JSON.stringify(listener.lines()) + listener.err()).not.toContain(secret.slice('whsec_'.length))
  })

  it('with --replay forwards stored events again, all or the named ones, and keeps listening', async () => {
    const home = freshHome()
    const first = await startListener(home)
    for (const number of [1, 2, 3]) await post(first.url, createUpdate(number), {'webhook-id': `evt_${number}`})
    first.child.kill('SIGTERM')
    await first.ended
    const target = await serve((_, response) => reply(response, 200, {}))
    const flags = ['--forward-to', target.url, '--replay']
    const named = await startListener(home, [...flags, '--event', 'evt_2'])
    await post(named.url, createUpdate(4), {'webhook-id': 'evt_4'})
    await named.has(2, ({forward}) => forward === 'delivered')
    named.child.kill('SIGTERM')
    await named.ended
    expect(named.err()).toContain('Sending 1 stored event again.')
    expect(target.requests.map(({headers}) => headers['webhook-id'])).toEqual(['evt_2', 'evt_4'])
    const all = await startListener(home, flags)
    await all.has(4, ({forward}) => forward === 'delivered')
    const again = target.requests.slice(2).map(({headers}) => headers['webhook-id'])
    expect(again).toEqual(['evt_1', 'evt_2', 'evt_3', 'evt_4'])
  })

  it('rejects bad requests at once, with a reason', async () => {
    const listener = await startListener(freshHome(), ['--path', '/hooks'])
    const {origin} = new URL(listener.url)
    const body = createUpdate(1)
    expect(await post(`${origin}/hooks/svc?x=1`, body)).toBe(204)
    expect(await post(`${origin}/hooksome`, body)).toBe(404)
    expect(await post(listener.url, 'no JSON')).toBe(400)
    const rejections = await listener.has(2, (line) => 'refused' in line)
    expect(rejections.map(({statusCode}) => statusCode)).toEqual([404, 400])
  })

  it('reports "lost" while its store cannot be written, asks senders to try again, and recovers by itself', async () => {
    const home = freshHome()
    const store = path.join(home.folder, 'events.sqlite')
    const listener = await startListener(home, ['--store', store])
    const {DatabaseSync} = await import('node:sqlite')
    const holder = new DatabaseSync(store)
    holder.exec('begin immediate')
    const startedMs = performance.now()
    expect(await post(listener.url, createUpdate(1), {'webhook-id': 'evt_1'})).toBe(503)
    // Before a sender gives up, and far above what a loaded machine needs.
    expect(performance.now() - startedMs).toBeLessThan(10_000)
    holder.exec('rollback')
    holder.close()
    expect(await post(listener.url, createUpdate(1), {'webhook-id': 'evt_1'})).toBe(204)
    await listener.has(1, isEvent)
    expect(listener.lines().flatMap(({state}) => state ?? [])).toEqual(['listening', 'lost', 'listening'])
  })

  it('rejects a port in use, and a store in use', async () => {
    const {port} = await serve(() => {})
    const home = freshHome()
    await startListener(home)
    for (const [flags, words] of [
      [['--port', String(port), '--store', 'other.sqlite'], `Port ${port} of 127.0.0.1 is in use`],
      [[], 'in use by another'],
    ] as const) {
      const {code, err} = await run(home, [...listen, ...flags])
      expect([code, err]).toEqual([2, expect.stringContaining(words)])
    }
  })
})
