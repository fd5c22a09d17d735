// svc sandbox start: the line that reports that it is ready, the live log, stopping, and rejected input.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {startSvc} from '../../support/running.ts'
import {serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onPty} from '../../support/terminal.ts'

const readIds = (out: string) => (json(out)['customers'] as Array<{customerId: string}>).map((each) => each.customerId)

describe('svc sandbox start', () => {
  it('prints its addresses in one line of JSON, serves the named database, which is private, and ends with 0', async () => {
    const home = freshHome()
    const file = path.join(home.folder, 'data', 'sandbox.sqlite')
    fs.mkdirSync(path.dirname(file))
    const started = startSvc(home, ['sandbox', 'start', '--port', '0', '--data', path.dirname(file), '--json'])
    const ready = await started.readReady()
    expect(Object.keys(ready)).toEqual([
      'url',
      'formsUrl',
      'consoleUrl',
      'apiKey',
      'controlUrl',
      'controlToken',
      'controlOpenapiUrl',
    ])
    expect(ready['url']).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const headers = {authorization: `Bearer ${ready['controlToken']}`}
    expect((await fetch(`${ready['controlUrl']}/clock`, {headers})).status).toBe(200)
    expect((await fetch(String(ready['controlOpenapiUrl']))).status).toBe(200)
    const list = ['customers', 'list', '--json']
    const served = await run(home, list, {env: {SVC_BASE_URL: ready['url'], SVC_API_KEY: ready['apiKey']}})
    const embedded = await run(home, [...list, '-p', 'sandbox'], {env: {SVC_SANDBOX_FILE: file}})
    expect(readIds(served.out)).toEqual(readIds(embedded.out))
    expect(fs.statSync(file).mode & 0o777).toBe(0o600)
    started.stop('SIGTERM')
    const {code, out, err} = await started.ended
    expect({code, err, lines: out.trimEnd().split('\n').length}).toEqual({code: 0, err: '', lines: 1})
  })

  it('on a terminal shows its address and how to use it, logs every request, and stops with Ctrl-C', async () => {
    const screen = onPty(freshHome(), ['sandbox', 'start', '--port', '0'], {cols: 120})
    await screen.waitFor(/SVC_BASE_URL=http:\S+ SVC_API_KEY=\S+/)
    const [, url = '', apiKey = ''] = /SVC_BASE_URL=(\S+) SVC_API_KEY=(\S+)/.exec(screen.text()) ?? []
    await fetch(`${url}/customers?pageSize=2`, {headers: {authorization: `Bearer ${apiKey}`}})
    await screen.waitFor(/\d\d:\d\d:\d\d\.\d{3} {2}GET {5}200 {2}\/customers\?pageSize=… {2}[\d.]+ ms\n/)
    screen.type('\u0003')
    expect(await screen.ended).toBe(0)
    expect(screen.raw().endsWith('\n')).toBe(true)
  })

  it('rejects a port in use in one sentence, and creates no database', async () => {
    const {port} = await serve(() => {})
    const home = freshHome()
    const file = path.join(home.folder, 'own.sqlite')
    const {code, out, err} = await run(home, ['sandbox', 'start', '--port', String(port), '--data', file])
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toBe(`svc: Port ${port} of 127.0.0.1 is in use. Choose another with --port; 0 picks a free one.\n`)
    expect(fs.existsSync(file)).toBe(false)
  })

  it.each([
    ['a format it does not speak', ['-o', 'yaml']],
    ['an origin that is none', ['--allow-frames', 'https://shop.example/checkout', '--port', '0']],
    ['a file that is no sandbox', ['--data', 'notes.txt', '--port', '0']],
    ['another seed than the database has', ['--data', 'seeded.sqlite', '--seed', 'other', '--port', '0']],
  ])('rejects %s, with code 2 and one line', async (_, args) => {
    const home = freshHome()
    const notes = path.join(home.folder, 'notes.txt')
    const text = 'my notes, not a database at all, long enough for a header'
    fs.writeFileSync(notes, text)
    const env = {SVC_SANDBOX_FILE: path.join(home.folder, 'seeded.sqlite')}
    expect(await run(home, ['sandbox', 'status', '--quiet'], {env})).toMatchObject({code: 0})
    const {code, out, err} = await run(home, ['sandbox', 'start', ...args], {env})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect(fs.readFileSync(notes, 'utf8')).toBe(text)
  })
})
