// What needs a yes: on live a request that moves money does. What a read-only profile refuses stands in client/write-gate.test.ts.
import {describe, expect, test} from 'vitest'
import type {Caller} from '../../../src/profiles/caller.ts'
import {needsConfirmation} from '../../../src/profiles/write-gate.ts'
import {captureError, createTestClient} from '../../client/raw-service.ts'
import {reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const serveAnything = () => serve((_, response) => reply(response, 200, {customers: [], transactionId: 't1'}))

// Spellings that a URL, a proxy or a service may read as a path that moves money.
const spellings: ReadonlyArray<readonly [method: string, path: string]> = [
  ['POST', '/transactions'],
  ['POST', '/transactions/'],
  ['POST', '/transactions?a=b'],
  ['POST', '/transactions#x'],
  ['POST', '/Transactions'],
  ['POST', '//transactions'],
  ['POST', '/%74ransactions'],
  ['POST', '/%2574ransactions'],
  ['POST', '/./transactions'],
  ['POST', '/customers/../transactions'],
  ['POST', '/customers/%2e%2e/transactions'],
  ['POST', '/customers/..%2ftransactions'],
  ['POST', String.raw`/\transactions`],
  ['POST', '/trans\tactions'],
  ['POST', '/transactions;v=1'],
  ['POST', '/transactions%20'],
  ['POST', '/v1/transactions'],
  ['PUT', '/transactions/%zz'],
  ['DELETE', '/automation-rules/x'],
  ['PATCH', '/automation%2Drules/x'],
  ['POST', '/AUTOMATION-RULES'],
]

const statuses = [408, 409, 425, 429, 499, 500, 503]

test('A payment is unknown after any answer that is no refusal, wherever the gate takes the path for one', async () => {
  const wrong: string[] = []
  for (const status of statuses) {
    const service = await serve((_, response) => reply(response, status, {error: 'NO', message: 'No.'}))
    const client = createTestClient(service.url)
    for (const [method, path] of spellings) {
      if (/automation/i.test(path)) continue
      const before = service.requests.length
      const {exitCode} = await captureError(client.raw({method, path}))
      // Some spellings are refused here.
      const expected = service.requests.length === before ? 2 : 7
      if (exitCode !== expected) wrong.push(`${method} ${path}, ${status}: ${exitCode}`)
    }
  }
  expect(wrong).toEqual([])
})

test('What is created without an id in the answer is unknown to svc api, however its path is written', async () => {
  const service = await serve((_, response) => reply(response, 200, {}))
  const [home, wrong] = [freshHome(), [] as string[]]
  for (const [method, path] of spellings.filter(([verb]) => verb === 'POST')) {
    const before = service.requests.length
    const {code} = await run(home, ['api', method, path, '--yes'], {env: service.env})
    const expected = service.requests.length === before ? 2 : 7
    if (code !== expected) wrong.push(`${path}: ${code}`)
  }
  expect(wrong).toEqual([])
})

const live = {environment: 'live', baseUrl: 'https://api.example.com'} as unknown as Caller

describe('A live profile', () => {
  test('needs a yes for what moves money or touches a rule, however it is written, and a sandbox never does', () => {
    const sandbox = {...live, environment: 'sandbox'} as Caller
    for (const [method, path] of spellings) {
      expect([path, needsConfirmation(live, {method, path})]).toEqual([path, true])
      expect(needsConfirmation(sandbox, {method, path})).toBe(false)
    }
    for (const [method, path] of [
      ['GET', '/transactions'],
      ['POST', '/customers'],
      ['POST', '/quotes'],
      ['PATCH', '/customers/x?then=/transactions'],
    ] as const) {
      expect([path, needsConfirmation(live, {method, path})]).toEqual([path, false])
    }
  })

  test('names --yes and the address, and sends the write with --yes', async () => {
    const service = await serveAnything()
    const home = freshHome()
    const args = ['api', 'POST', '/transactions', '--set', 'quoteId=q', '--json']
    const {err} = await run(home, args, {env: service.env})
    expect(json(err)).toMatchObject({error: 'BAD_USAGE', exitCode: 2})
    expect(err).toContain('--yes')
    expect(err).toContain(service.url)
    expect(await run(home, [...args, '--yes'], {env: service.env})).toMatchObject({code: 0})
    expect(service.requests.map(({method, body}) => [method, body])).toEqual([['POST', '{"quoteId":"q"}']])
  })

  test.each([
    ['return alone', '\r'],
    ['Tab', '\t\r'],
    ['Shift-Tab', '\u001B[Z\r'],
    ['Esc before return', '\u001B\r'],
    ['anything but a yes', 'yeah\r'],
  ])('asks a person, and %s means no', async (_, keys) => {
    const service = await serveAnything()
    const screen = onTerminal(freshHome(), ['api', 'POST', '/transactions'], {env: service.env, cols: 200})
    await screen.waitFor('Send POST /transactions')
    screen.type(keys)
    expect(await screen.ended).toBe(130)
    expect(service.requests).toEqual([])
  })

  test.each(['y', 'Yes'])('accepts a typed %s as a yes', async (word) => {
    const service = await serveAnything()
    const screen = onTerminal(freshHome(), ['api', 'POST', '/transactions'], {env: service.env, cols: 200})
    await screen.waitFor('(y/N)')
    screen.type(`${word}\r`)
    expect(await screen.ended).toBe(0)
    expect(service.requests).toHaveLength(1)
  })
})
