// svc events listen: its output on a terminal, in a pipe and as JSON; verification, forwarding, and input that it rejects.
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, it} from 'vitest'
import {recordEvent} from '../../../src/events/record.ts'
import {openEventStore} from '../../../src/events/store.ts'
import {queryStore, isEvent, startListener, post, secret, sign, createUpdate} from './listener.ts'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome, run} from '../../support/svc.ts'
import {onPty} from '../../support/terminal.ts'

const listen = ['events', 'listen']

function writeEvents(file: string, numbers: readonly number[]): void {
  const events = openEventStore(file)
  for (const number of numbers) {
    const arrival = {rawHeaders: ['webhook-id', `evt_${number}`], body: Buffer.from(createUpdate(number))}
    recordEvent(events, {...arrival, receivedAt: Date.now(), verified: false}, [])
  }
  events.close()
}

describe('svc events listen', () => {
  it('shows its address, whether it verifies, and a line without personal data per event; Ctrl-C ends it with 0', async () => {
    const screen = onPty(freshHome(), listen, {cols: 100})
    await screen.waitFor('only a hint')
    const [, url = ''] = /Listening at (\S+)\. /.exec(screen.text()) ?? []
    for (const body of [createUpdate(1), createUpdate(1)]) expect(await post(url, body)).toBe(204)
    // Without a secret, what is no event is refused.
    expect(await post(url, 'no JSON')).toBe(400)
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

  it('with --json prints a line for every state and event, and stores, shows and forwards only what is signed', async () => {
    const home = freshHome()
    const target = await serve((_, response) => reply(response, 200, {}))
    const flags = ['--path', '/hooks', '--forward-to', target.url]
    const listener = await startListener(home, flags, {SVC_WEBHOOK_SECRET: secret})
    const body = `{"event":"customer.update","data":${JSON.stringify(customer(1))},"score":1.50}`
    const forger = `whsec_${Buffer.from('a secret that is not the one').toString('base64')}`
    const {origin} = new URL(listener.url)
    for (const [status, sent, headers, at] of [
      [401, body, {}],
      [401, body, sign('evt_forged', body, new Date(), forger)],
      [401, createUpdate(2), sign('evt_changed', body)],
      [404, body, sign('evt_path', body), `${origin}/hooksome`],
      [204, body, sign('evt_1', body), `${origin}/hooks/svc?x=1`],
    ] as const) {
      expect(await post(at ?? listener.url, sent, headers)).toBe(status)
    }
    await listener.has(1, ({forward}) => forward === 'delivered')

    // While its store cannot be written, it asks senders to try again, and recovers by itself.
    const store = path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'state', 'events.sqlite')
    const holder = new DatabaseSync(store)
    holder.exec('begin immediate')
    const startedMs = performance.now()
    expect(await post(listener.url, body, sign('evt_2', body))).toBe(503)
    // Before a sender gives up, and far above what a loaded machine needs.
    expect(performance.now() - startedMs).toBeLessThan(10_000)
    holder.exec('rollback')
    holder.close()
    expect(await post(listener.url, body, sign('evt_2', body))).toBe(204)
    await listener.has(2, ({forward}) => forward === 'delivered')

    // Neither its port nor its store can be used by another.
    for (const [more, words] of [
      [['--port', new URL(listener.url).port, '--store', 'other.sqlite'], 'of 127.0.0.1 is in use'],
      [[], 'in use by another'],
    ] as const) {
      const {code, err} = await run(home, [...listen, ...more])
      expect([code, err]).toEqual([2, expect.stringContaining(words)])
    }

    listener.child.kill('SIGINT')
    expect(await listener.ended).toBe(0)
    const lines = listener.lines()
    expect(lines.flatMap(({state}) => state ?? [])).toEqual(['listening', 'lost', 'listening', 'stopped'])
    expect(lines.flatMap(({refused, statusCode}) => (refused ? [statusCode] : []))).toEqual([401, 401, 401, 404, 503])
    expect(lines.find(isEvent)).toEqual({
      id: 'evt_1',
      receivedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      type: 'customer.updated',
      customerId: customerId(1),
      customerStatus: 'ACTIVE',
      updatedAt: '2026-11-01T12:00:00Z',
      verified: true,
      duplicate: false,
      event: JSON.parse(body) as object,
    })
    expect(target.requests.map(({headers}) => headers['webhook-id'])).toEqual(['evt_1', 'evt_2'])
    expect((fs.statSync(store).mode & 0o777).toString(8)).toBe('600')
    const stored = queryStore<{id: string; body: Uint8Array}>(store, 'select id, body from events')
    expect(stored.map((row) => [row.id, Buffer.from(row.body).toString()])).toEqual([
      ['evt_1', body],
      ['evt_2', body],
    ])
    expect(JSON.stringify(lines) + listener.err()).not.toContain(secret.slice('whsec_'.length))
  })

  it('with --replay forwards stored events again, all or the named ones, and keeps listening', async () => {
    const home = freshHome()
    const store = path.join(home.folder, 'events.sqlite')
    writeEvents(store, [1, 2, 3])
    const target = await serve((_, response) => reply(response, 200, {}))
    const flags = ['--store', store, '--forward-to', target.url, '--replay']
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
})
