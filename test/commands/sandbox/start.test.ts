// svc sandbox start: the line that reports that it is ready, the live log, stopping, and rejected input.
import {type ChildProcessWithoutNullStreams, spawn} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {waitForActedFaults} from '../../support/acted-faults.ts'
import {serve} from '../../support/service.ts'
import {type Home, bin, freshHome, json, run} from '../../support/svc.ts'
import {onPty} from '../../support/terminal.ts'

interface Started {
  child: ChildProcessWithoutNullStreams
  out: () => string
  err: () => string
  // Resolves when this many lines are on standard output.
  lines: (count: number) => Promise<Array<Record<string, unknown>>>
  ended: Promise<{code: number | null; signal: string | null}>
}

function start(home: Home, ...args: string[]): Started {
  const child = spawn(process.execPath, [bin, 'sandbox', 'start', ...args], {cwd: home.folder, env: home.env})
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const ended = new Promise<{code: number | null; signal: string | null}>((resolve) =>
    child.on('close', (code, signal) => resolve({code, signal})),
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const whole = () => out.split('\n').slice(0, -1)
  return {
    child,
    out: () => out,
    err: () => err,
    async lines(count) {
      while (whole().length < count && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 20))
      return whole().map(json)
    },
    ended,
  }
}

const fetchPath = (ready: Record<string, unknown> | undefined, at: string) =>
  fetch(`${String(ready?.['url'])}${at}`, {headers: {authorization: `Bearer ${String(ready?.['apiKey'])}`}})

describe('svc sandbox start', () => {
  it('keeps its database in a folder that is named, and shows a hosted form as its very first request', async () => {
    const home = freshHome()
    const folder = fs.mkdtempSync(path.join(home.folder, 'data-'))
    await start(home, '--port', '0', '--data', folder, '--json').lines(1)
    const env = {SVC_SANDBOX_FILE: path.join(folder, 'sandbox.sqlite')}
    const found = await run(home, ['customers', 'get', 'mateo.q@example.com', '-p', 'sandbox', '--json'], {env})
    const form = await fetch(String(json(found.out)['verificationLink']))
    expect([form.status, await form.text()]).toEqual([200, expect.stringContaining('kycData.documents')])
  })

  it('prints its address in one line of JSON, and serves the database of -p sandbox', async () => {
    const home = freshHome()
    const started = start(home, '--port', '0', '--json')
    const [ready] = await started.lines(1)
    expect(Object.keys(ready ?? {})).toEqual([
      'url',
      'formsUrl',
      'consoleUrl',
      'apiKey',
      'controlUrl',
      'controlToken',
      'controlOpenapiUrl',
    ])
    const headers = {authorization: `Bearer ${String(ready?.['controlToken'])}`}
    expect((await fetch(`${String(ready?.['controlUrl'])}/clock`, {headers})).status).toBe(200)
    expect((await fetch(String(ready?.['controlOpenapiUrl']))).status).toBe(200)
    expect(ready?.['url']).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(ready?.['formsUrl']).toBe(`${String(ready?.['url'])}/forms`)
    const env = {SVC_BASE_URL: String(ready?.['url']), SVC_API_KEY: String(ready?.['apiKey'])}
    const [served, embedded] = [
      await run(home, ['customers', 'list', '--json'], {env}),
      await run(home, ['customers', 'list', '--json', '-p', 'sandbox']),
    ]
    expect(served.code).toBe(0)
    const ids = ({out}: {out: string}) =>
      (json(out)['customers'] as Array<{customerId: string}>).map(({customerId}) => customerId)
    expect(ids(served)).toEqual(ids(embedded))
    started.child.kill('SIGTERM')
    expect(await started.ended).toEqual({code: 0, signal: null})
    expect(started.out().trimEnd().split('\n')).toHaveLength(1)
    expect(started.err()).toBe('')
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with 0 on %s, and answers open requests first', async (signal) => {
    const home = freshHome()
    const file = path.join(home.folder, 'own.sqlite')
    const started = start(home, '--port', '0', '--data', file, '--json', '--seed', 'docs')
    const [ready] = await started.lines(1)
    const flags = ['--kind', 'delay', '--delay', '500ms', '--path', '/customers']
    const added = await run(home, ['sandbox', 'faults', 'add', ...flags], {env: {SVC_SANDBOX_FILE: file}})
    expect(added.code).toBe(0)
    const answer = fetchPath(ready, '/customers')
    await waitForActedFaults(file, 1)
    started.child.kill(signal)
    expect((await answer).status).toBe(200)
    expect(await started.ended).toEqual({code: 0, signal: null})
    expect((fs.statSync(file).mode & 0o777).toString(8)).toBe('600')
  })

  it('on a terminal shows its address and how to use it, logs every request, and stops with Ctrl-C', async () => {
    const screen = onPty(freshHome(), ['sandbox', 'start', '--port', '0'], {cols: 120})
    await screen.waitFor(/SVC_BASE_URL=http:\S+ SVC_API_KEY=\S+/)
    const [, url = '', apiKey = ''] = /SVC_BASE_URL=(\S+) SVC_API_KEY=(\S+)/.exec(screen.text()) ?? []
    await fetchPath({url, apiKey}, '/customers?pageSize=2')
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
  ])('rejects %s, with code 2 and one line of JSON', async (_, args) => {
    const home = freshHome()
    fs.writeFileSync(path.join(home.folder, 'notes.txt'), 'my notes, not a database at all, long enough for a header')
    const env = {SVC_SANDBOX_FILE: path.join(home.folder, 'seeded.sqlite'), SVC_JSON: '1'}
    expect(await run(home, ['sandbox', 'status', '--quiet'], {env})).toMatchObject({code: 0})
    const {code, out, err} = await run(home, ['sandbox', 'start', ...args], {env: {...env, SVC_JSON: undefined}})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })
})
