// svc events verify: its output on a terminal, in a pipe and as JSON, and input that it rejects.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {recordEvent} from '../../../src/events/record.ts'
import {openEventStore} from '../../../src/events/store.ts'
import {secret, sign, createUpdate} from './listener.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'

const arrivedAt = new Date(Math.floor(Date.now() / 1000) * 1000 - 29 * 86_400_000)

// A store of four weeks ago with one signed and one unsigned event.
function withStore(): Home & {store: string; secretFile: string} {
  const home = freshHome()
  const [store, secretFile] = [path.join(home.folder, 'events.sqlite'), path.join(home.folder, 'secret')]
  fs.writeFileSync(secretFile, `${secret}\n`)
  const events = openEventStore(store)
  for (const [id, headers] of [
    ['evt_true_1f0b2c3d', sign('evt_true_1f0b2c3d', createUpdate(1), arrivedAt)],
    ['evt_hint', {'webhook-id': 'evt_hint'}],
  ] as const) {
    const arrival = {
      rawHeaders: Object.entries(headers).flat(),
      body: Buffer.from(createUpdate(1)),
      receivedAt: arrivedAt.getTime(),
    }
    recordEvent(events, {...arrival, verified: id === 'evt_true_1f0b2c3d'}, [])
  }
  events.close()
  return {...home, store, secretFile}
}

const verify = (home: ReturnType<typeof withStore>, args: readonly string[], input?: string) =>
  run(
    home,
    ['events', 'verify', ...args, '--store', home.store, '--secret-file', home.secretFile],
    input === undefined ? {} : {input},
  )

describe('svc events verify', () => {
  it('in a pipe lists all stored events, and ends with 12 if one is not signed', async () => {
    const {code, out, err} = await verify(withStore(), [])
    expect(code).toBe(12)
    expect(out).toMatch(/evt_true_1f0b2c3d .* yes/)
    expect(out).toMatch(/evt_hint .* no +it is not signed/)
    expect(err).toMatch(/1 of 2 events are not verified/)
  })

  it('with --json prints what another machine needs to verify it, from a file or from standard input', async () => {
    const home = withStore()
    const {code, out} = await verify(home, ['evt_true_1f', '--json'])
    expect(code).toBe(0)
    expect(json(out)).toEqual({
      id: 'evt_true_1f0b2c3d',
      type: 'customer.updated',
      receivedAt: arrivedAt.toISOString(),
      verified: true,
      headers: Object.fromEntries(Object.entries(sign('evt_true_1f0b2c3d', createUpdate(1), arrivedAt)).slice(1)),
      body: createUpdate(1),
    })
    const file = path.join(home.folder, 'event.json')
    fs.writeFileSync(file, out)
    fs.rmSync(home.store)
    expect(await verify(home, [file, '--json'])).toMatchObject({code: 0, out})
    expect(await verify(home, ['-', '--json'], out)).toMatchObject({code: 0, out})
    const changed = await verify(home, ['-', '--json'], out.replace('ACTIVE', 'REJECTED'))
    expect(changed.code).toBe(12)
    expect(json(changed.err)).toMatchObject({error: 'NOT_VERIFIED', exitCode: 12})
  })
})
