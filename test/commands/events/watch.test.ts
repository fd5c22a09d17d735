// svc events watch: its output on a terminal, in a pipe and as JSON, input that it rejects, and no lost state after a kill.
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {bin, freshHome, json, run} from '../../support/svc.ts'
import {onPty} from '../../support/terminal.ts'

const watch = ['events', 'watch']
const parseLines = (out: string) => out.trimEnd().split('\n').filter(Boolean).map(json)
const parseIds = (out: string) => parseLines(out).map(({id}) => id)

// Customers in two pages, whose states a test changes.
async function serveChangingStates(states: string[]) {
  return serve(({path: at, query}, response) => {
    if (at === '/transactions') return reply(response, 200, {transactions: []})
    const items = states.map((customerStatus, number) => customer(number, {customerStatus}))
    const isFirst = !query.get('pageToken')
    return reply(response, 200, {
      customers: isFirst ? items.slice(0, 2) : items.slice(2),
      ...(isFirst && {nextPageToken: 'two'}),
    })
  })
}

describe('svc events watch', () => {
  it('shows each state as it changes, and Ctrl-C ends it with 0', async () => {
    const home = freshHome()
    const flags = ['--customers', '--interval', '200ms', '--since', '2000-01-01']
    const screen = onPty(home, [...watch, ...flags, '-p', 'sandbox'], {cols: 120})
    await screen.waitFor('Watching. Ctrl-C stops it.')
    const id = 'f80a5001-be2d-4368-9726-a4523bfb5e71'
    await screen.waitFor(new RegExp(`customer +${id} {2}CREATED`))
    expect((await run(home, ['sandbox', 'verify', id, '--outcome', 'approved'])).code).toBe(0)
    await screen.waitFor(new RegExp(`customer +${id} {2}ACTIVE {2}[\\da-f]{20}\n`))
    expect(screen.text()).not.toContain('transaction ')
    screen.type('\u0003')
    expect(await screen.ended).toBe(0)
  })

  it('in a pipe with --once prints everything at first, and later only what changed', async () => {
    const home = freshHome()
    const once = [...watch, '--once', '-p', 'sandbox']
    const first = await run(home, once)
    expect(first).toMatchObject({code: 0, err: ''})
    expect(first.out.match(/ {2}customer /g)).toHaveLength(24)
    expect(first.out).toMatch(/ {2}transaction {2}\S+ {2}COMPLETED/)
    expect(await run(home, once)).toEqual({code: 0, out: '', err: ''})
    await run(home, ['sandbox', 'verify', 'f80a5001-be2d-4368-9726-a4523bfb5e71', '--outcome', 'approved'])
    const changed = await run(home, once)
    expect(changed.out).toMatch(/^\S+ {2}customer {5}f80a5001-be2d-4368-9726-a4523bfb5e71 {2}ACTIVE {2}\S+\n$/)
  })

  it('with --json prints a line for each state, with an id that is the same for the same state on every machine', async () => {
    const service = await serveChangingStates(['ACTIVE', 'CREATED', 'UNDER_REVIEW'])
    const look = () => run(freshHome(), [...watch, '--once', '--json'], {env: service.env})
    const [first, second] = [await look(), await look()]
    expect(parseLines(first.out)[0]).toEqual({
      id: expect.stringMatching(/^[\da-f]{20}$/) as string,
      kind: 'customer',
      customerId: customerId(0),
      status: 'ACTIVE',
      updatedAt: '2026-11-01T12:00:00Z',
      seenAt: expect.stringMatching(/Z$/) as string,
      item: customer(0),
    })
    expect(new Set(parseIds(first.out)).size).toBe(3)
    expect(parseIds(second.out)).toEqual(parseIds(first.out))
  })

  it('continues from its cursor after kill -9, and prints each state at least once', async () => {
    const states = ['CREATED', 'CREATED', 'CREATED']
    const service = await serveChangingStates(states)
    const home = freshHome()
    const cursor = path.join(home.folder, 'cursor')
    const seen = new Set<string>()
    for (const status of ['UNDER_REVIEW', 'ACTIVE', 'DEACTIVATED']) {
      const child = spawn(process.execPath, [bin, ...watch, '--cursor', cursor, '--interval', '50ms', '-o', 'jsonl'], {
        env: {...home.env, ...service.env},
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      let out = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
      states.fill(status)
      while (!out.includes(`"${status}"`)) await new Promise((resolve) => setTimeout(resolve, 5))
      child.kill('SIGKILL')
      await new Promise((resolve) => child.on('close', resolve))
      for (const line of parseLines(out.slice(0, out.lastIndexOf('\n') + 1)))
        seen.add(`${String(line['customerId'])} ${String(line['status'])}`)
    }
    const last = await run(home, [...watch, '--cursor', cursor, '--once', '-o', 'jsonl'], {env: service.env})
    for (const line of parseLines(last.out)) seen.add(`${String(line['customerId'])} ${String(line['status'])}`)
    for (const number of [0, 1, 2]) expect(seen).toContain(`${customerId(number)} DEACTIVATED`)
    expect((fs.statSync(cursor).mode & 0o777).toString(8)).toBe('600')
    const again = await run(home, [...watch, '--cursor', cursor, '--once', '-o', 'jsonl'], {env: service.env})
    expect(again).toMatchObject({code: 0, out: ''})
  })

  it('reports "lost" while the service does not answer, and recovers by itself', async () => {
    let isDown = false
    const service = await serve((_, response) =>
      isDown ? response.destroy() : reply(response, 200, {customers: [customer(1)]}),
    )
    const home = freshHome()
    const child = spawn(process.execPath, [bin, ...watch, '--customers', '--interval', '100ms', '-o', 'jsonl'], {
      env: {...home.env, ...service.env},
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    const says = async (text: string) => {
      while (!out.includes(text)) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await says('"customer"')
    isDown = true
    await says('"lost"')
    isDown = false
    while (parseLines(out).filter(({state}) => state === 'watching').length < 2)
      await new Promise((resolve) => setTimeout(resolve, 20))
    child.kill('SIGTERM')
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
    expect(parseLines(out).flatMap(({state}) => state ?? [])).toEqual(['watching', 'lost', 'watching', 'stopped'])
  })

  it('rejects a cursor that cannot be written before it sends a request or prints anything', async () => {
    const service = await serveChangingStates(['ACTIVE'])
    const {code, out, err} = await run(freshHome(), [...watch, '--once', '--cursor', '/nonexist/x'], {env: service.env})
    expect({code, out, asked: service.requests}).toEqual({code: 2, out: '', asked: []})
    expect(err).toContain('/nonexist/x cannot be written (ENOENT)')
  })

  it('rejects a file that is not a cursor, a format that cannot be streamed, and a missing credential', async () => {
    const home = freshHome()
    const file = path.join(home.folder, 'important.txt')
    fs.writeFileSync(file, 'important')
    const wrong = await run(home, [...watch, '--once', '--cursor', file, '-p', 'sandbox'])
    expect(wrong).toMatchObject({code: 2, err: expect.stringContaining('is not a cursor') as string})
    expect(fs.readFileSync(file, 'utf8')).toBe('important')
    expect((await run(home, [...watch, '-o', 'csv', '-p', 'sandbox'])).code).toBe(2)
    expect((await run(home, [...watch, '--once'])).code).toBe(4)
  })
})
