// Spaces: sandboxes of their own behind one port, named by a header, by the key, or by the host name.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import type {LoggedRequest} from '../../../src/sandbox/service/log/request-log.ts'
import {openSandbox} from '../../../src/sandbox/sandbox.ts'
import {type Served, sendRequest, serveTemporary} from '../http/serving.ts'
import {temporaryFile} from '../open.ts'
import {control} from './calling.ts'

const serveSpaces = (file?: string) => serveTemporary(file, {hasSpaces: true})
const inSpace = (name: string) => ({'svc-sandbox-space': name})
const withKey = (server: Served, name: string): Served => ({...server, apiKey: `${server.apiKey}@${name}`})

const ada = {customerType: 'INDIVIDUAL', email: 'ada@example.com', firstName: 'Ada', lastName: 'Vance'}

async function countCustomers(server: Served, headers: Record<string, string> = {}): Promise<number> {
  const {body} = await control(server, 'GET', '/status', undefined, headers)
  return Object.values(body['customers'] as Record<string, number>).reduce((sum, count) => sum + count, 0)
}

const listNames = async (server: Served) =>
  ((await control(server, 'GET', '/spaces/list')).body['spaces'] as Array<{name: string}>).map(({name}) => name)

describe('a space', () => {
  it('is made at its first use, and nothing in it is seen elsewhere', async () => {
    const server = await serveSpaces()
    const before = await countCustomers(server)
    expect(await listNames(server)).toEqual([])
    const created = await sendRequest(server, 'POST', '/customers', {body: ada, headers: inSpace('one')})
    expect(created.status).toBe(200)
    expect(await countCustomers(server, inSpace('one'))).toBe(before + 1)
    expect(await countCustomers(server, inSpace('two'))).toBe(before)
    expect(await countCustomers(server)).toBe(before)
    expect(await listNames(server)).toEqual(['one', 'two'])
    const {customerId} = JSON.parse(created.text) as {customerId: string}
    expect((await sendRequest(server, 'GET', `/customers/${customerId}`)).status).toBe(404)
  })

  it('has its own clock, faults, webhooks, requests and events', async () => {
    const server = await serveSpaces()
    await control(server, 'POST', '/clock/freeze', {at: '2031-01-01T00:00:00Z'}, inSpace('one'))
    await control(server, 'POST', '/faults/add', {kind: 'status', path: '/customers', status: 429}, inSpace('one'))
    const {port} = new URL(server.url)
    await control(server, 'POST', '/webhooks/add', {url: `http://127.0.0.1:${port}/hook`}, inSpace('one'))
    expect((await sendRequest(server, 'GET', '/customers', {headers: inSpace('one')})).status).toBe(429)
    await sendRequest(server, 'POST', '/customers', {body: {...ada, kycData: {}}, headers: inSpace('two')})
    expect((await sendRequest(server, 'GET', '/customers', {headers: inSpace('two')})).status).toBe(200)
    const read = async (at: string, name: string) => (await control(server, 'GET', at, undefined, inSpace(name))).body
    expect(await read('/clock', 'one')).toMatchObject({now: '2031-01-01T00:00:00.000Z', frozen: true})
    expect(await read('/clock', 'two')).toMatchObject({frozen: false})
    expect(await read('/faults/list', 'two')).toMatchObject({faults: []})
    expect(await read('/webhooks/list', 'two')).toMatchObject({endpoints: []})
    expect(await read('/requests', 'one')).toMatchObject({requests: [{path: '/customers', status: 429}]})
    expect((await read('/requests', 'two'))['requests']).toHaveLength(2)
    expect((await control(server, 'GET', '/requests')).body).toMatchObject({requests: []})
  })

  it('keeps its events although no endpoint gets them', async () => {
    const server = await serveSpaces()
    const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
    await control(server, 'POST', '/verify', {customerId: zoe, outcome: 'deactivated'}, inSpace('one'))
    const {body} = await control(server, 'GET', '/webhooks/events', undefined, inSpace('one'))
    expect(body).toMatchObject({events: [{type: 'customer.updated', customerId: zoe}]})
  })

  it('is named by the API key, by a token of its own, or by the control token', async () => {
    const server = await serveSpaces()
    expect((await sendRequest(withKey(server, 'one'), 'POST', '/customers', {body: ada})).status).toBe(200)
    const byHeader = await countCustomers(server, inSpace('one'))
    const {controlToken} = server.control
    const authorization = `Bearer ${controlToken}@one`
    expect(await countCustomers(server, {authorization})).toBe(byHeader)
    const {body} = await control(server, 'POST', '/token', {expiresIn: '5m'}, {authorization})
    expect(body['token']).toMatch(/@one$/)
    const byToken = await sendRequest({...server, apiKey: String(body['token'])}, 'GET', '/customers?pageSize=100')
    expect(JSON.parse(byToken.text)).toMatchObject({
      customers: expect.arrayContaining([expect.objectContaining({email: ada.email})]) as unknown[],
    })
    await control(server, 'POST', '/clock/advance', {duration: '10m'}, inSpace('one'))
    expect((await sendRequest({...server, apiKey: String(body['token'])}, 'GET', '/customers')).status).toBe(401)
    expect(await listNames(server)).toEqual(['one'])
  })

  it('shows its forms and its console at a host name of its own', async () => {
    const server = await serveSpaces()
    const created = await sendRequest(withKey(server, 'one'), 'POST', '/customers', {body: ada})
    const {verificationLink} = JSON.parse(created.text) as {verificationLink: string}
    const link = new URL(verificationLink)
    expect(link.host).toBe(`one.localhost:${server.port}`)
    const page = await sendRequest(server, 'GET', link.pathname, {headers: {host: link.host, accept: 'text/html'}})
    expect(page.status).toBe(200)
    expect(page.text).toContain('Verify your identity')
    expect((await sendRequest(server, 'GET', link.pathname)).status).toBe(404)
    const {body} = await control(server, 'GET', '/spaces/list')
    const [{consoleUrl}] = body['spaces'] as [{consoleUrl: string}]
    const {host, pathname} = new URL(consoleUrl)
    const entered = await sendRequest(server, 'GET', pathname, {headers: {host}})
    const [cookie = ''] = (entered.headers['set-cookie']?.[0] ?? '').split(';')
    const shown = await sendRequest(server, 'GET', pathname.replace(/enter\/.*$/, 'console/customers'), {
      headers: {host, cookie, accept: 'text/html'},
    })
    expect(shown.status).toBe(200)
    expect(shown.text).toContain('Ada Vance')
  })

  it('is made by nobody who has neither the API key nor the control token', async () => {
    const server = await serveSpaces()
    const host = `one.localhost:${server.port}`
    expect((await sendRequest(server, 'GET', '/customers', {headers: {host}})).status).toBe(404)
    for (const apiKey of ['svc_wrong', 'svc_wrong@one']) {
      const reply = await sendRequest({...server, apiKey}, 'GET', '/customers', {headers: inSpace('one')})
      expect(reply.status).toBe(401)
    }
    expect(
      (await sendRequest(server, 'GET', '/customers', {headers: {...inSpace('one'), authorization: ''}})).status,
    ).toBe(401)
    expect(
      (await control(server, 'GET', '/status', undefined, {...inSpace('one'), authorization: 'Bearer x'})).status,
    ).toBe(401)
    expect(await listNames(server)).toEqual([])
  })

  it('does not accept another key once it exists', async () => {
    const server = await serveSpaces()
    await countCustomers(server, inSpace('one'))
    const reply = await sendRequest({...server, apiKey: 'svc_wrong@one'}, 'GET', '/customers')
    expect(reply.status).toBe(401)
    const alone = {host: `one.localhost:${server.port}`, authorization: ''}
    expect((await sendRequest(server, 'GET', '/customers', {headers: alone})).status).toBe(401)
  })

  it('accepts the API key of the server after a reset with a seed', async () => {
    const server = await serveSpaces()
    await control(server, 'POST', '/reset', {seed: 'docs', now: '2026-11-15T12:00:00Z'}, inSpace('one'))
    expect((await sendRequest(withKey(server, 'one'), 'GET', '/customers')).status).toBe(200)
  })

  it('has the ids of the seed that the server was given', async () => {
    const file = temporaryFile()
    openSandbox({file, seed: 'docs'}).close()
    const server = await serveSpaces(file)
    const create = async (name: string) => {
      const {text} = await sendRequest(withKey(server, name), 'POST', '/customers', {body: ada})
      return (JSON.parse(text) as {customerId: string}).customerId
    }
    expect(await create('one')).toBe(await create('two'))
  })

  it('has ids of its own without a seed', async () => {
    const server = await serveSpaces()
    const ids = await Promise.all(
      ['one', 'two', 'three'].map(async (name) => {
        const {text} = await sendRequest(withKey(server, name), 'POST', '/customers', {body: ada})
        return (JSON.parse(text) as {customerId: string}).customerId
      }),
    )
    expect(new Set(ids).size).toBe(3)
  })

  it('has a name that a host can have', async () => {
    const server = await serveSpaces()
    const {controlToken} = server.control
    for (const name of ['One', 'a.b', '-a', 'a-', 'a/b', '../a', 'x'.repeat(64), '%C3%A4', '']) {
      const reply = await control(server, 'GET', '/status', undefined, {
        authorization: `Bearer ${controlToken}@${name}`,
      })
      expect(reply).toMatchObject({status: 400, body: {error: 'BAD_REQUEST'}})
      expect(reply.body['message']).toContain(`"${name}" is not a name for a space: use 1 to 63`)
    }
    expect(await listNames(server)).toEqual([])
  })

  it('is one in a request: two names are rejected', async () => {
    const server = await serveSpaces()
    const reply = await sendRequest(withKey(server, 'one'), 'GET', '/customers', {headers: inSpace('two')})
    expect(reply.status).toBe(400)
    expect(JSON.parse(reply.text)).toMatchObject({message: 'The request names two spaces, two and one: name one'})
    expect((await sendRequest(withKey(server, 'one'), 'GET', '/customers', {headers: inSpace('one')})).status).toBe(200)
  })

  it('is removed with its files, and can be made again, empty', async () => {
    const server = await serveSpaces()
    const before = await countCustomers(server)
    await sendRequest(withKey(server, 'one'), 'POST', '/customers', {body: ada})
    await control(server, 'POST', '/snapshot/save', {name: 'here'}, inSpace('one'))
    const {body: status} = await control(server, 'GET', '/status', undefined, inSpace('one'))
    const file = String(status['file'])
    expect((fs.statSync(path.dirname(file)).mode & 0o777).toString(8)).toBe('700')
    const removed = await control(server, 'POST', '/spaces/remove', {name: 'one'})
    expect(removed.body).toMatchObject({name: 'one', apiKey: `${server.apiKey}@one`})
    const left = fs.readdirSync(path.dirname(file)).filter((entry) => entry.startsWith('one'))
    expect(left).toEqual([])
    expect(await control(server, 'POST', '/spaces/remove', {name: 'one'})).toMatchObject({status: 404})
    expect(await countCustomers(server, inSpace('one'))).toBe(before)
    expect((await control(server, 'GET', '/snapshot/list', undefined, inSpace('one'))).body).toEqual({snapshots: []})
  })

  it('is answered to the end when it is removed in the middle of requests', async () => {
    const server = await serveSpaces()
    await countCustomers(server, inSpace('one'))
    const requests = Array.from({length: 20}, () => sendRequest(withKey(server, 'one'), 'GET', '/customers'))
    const scenario = `steps:\n${'  - customer: ada\n    data: complete\n  - clock: until-idle\n'.repeat(5)}`
    const played = control(server, 'POST', '/play', {scenario, fresh: true}, inSpace('one'))
    const removal = control(server, 'POST', '/spaces/remove', {name: 'one'})
    expect(await played).toMatchObject({status: 200, body: {ok: true}})
    expect((await Promise.all(requests)).map(({status}) => status)).toEqual(Array(20).fill(200))
    expect((await removal).status).toBe(200)
  })

  it('is neither made nor missed by what concerns all spaces', async () => {
    const server = await serveSpaces()
    expect((await control(server, 'GET', '/spaces/list', undefined, inSpace('one'))).body).toEqual({spaces: []})
    await countCustomers(server, inSpace('one'))
    expect((await control(server, 'POST', '/spaces/remove', {name: 'one'}, inSpace('one'))).status).toBe(200)
    expect(await listNames(server)).toEqual([])
  })

  it('ends with the server, and leaves nothing behind', async () => {
    const server = await serveSpaces()
    const {body} = await control(server, 'GET', '/status', undefined, inSpace('one'))
    const folder = path.dirname(String(body['file']))
    expect(path.dirname(folder)).toBe(os.tmpdir())
    await server.stop()
    expect(fs.existsSync(folder)).toBe(false)
  })

  it('is named with its requests in the log of the server', async () => {
    const logged: Array<[string, string | undefined]> = []
    const onRequest = ({path: at}: LoggedRequest, space?: string) => void logged.push([at, space])
    const server = await serveTemporary(undefined, {hasSpaces: true, onRequest})
    await sendRequest(withKey(server, 'one'), 'GET', '/customers')
    await sendRequest(server, 'GET', '/transactions')
    expect(logged).toEqual([
      ['/customers', 'one'],
      ['/transactions', undefined],
    ])
  })

  it('is one of a limited number', async () => {
    const server = await serveTemporary(undefined, {hasSpaces: true, spacesMax: 2})
    for (const name of ['one', 'two'])
      expect((await sendRequest(withKey(server, name), 'GET', '/customers')).status).toBe(200)
    const more = await control(server, 'GET', '/status', undefined, inSpace('one-more'))
    expect(more).toMatchObject({status: 422, body: {error: 'NOT_POSSIBLE'}})
    expect(more.body['message']).toBe('There are 2 spaces, and there can be no more: remove some')
    expect((await sendRequest(withKey(server, 'one-more'), 'GET', '/customers')).status).toBe(503)
    await control(server, 'POST', '/spaces/remove', {name: 'two'})
    expect((await sendRequest(withKey(server, 'one-more'), 'GET', '/customers')).status).toBe(200)
  })
})

describe('a server without --spaces', () => {
  it('has none, and says so', async () => {
    const server = await serveTemporary()
    for (const reply of [
      await sendRequest(withKey(server, 'one'), 'GET', '/customers'),
      await sendRequest(server, 'GET', '/customers', {headers: inSpace('one')}),
      await control(server, 'GET', '/status', undefined, inSpace('one')),
    ]) {
      expect(reply.status).toBe(400)
      expect(reply.text).toContain('This server has no spaces: `svc sandbox start --spaces` serves some')
    }
    const host = `one.localhost:${server.port}`
    expect((await sendRequest(server, 'GET', '/customers', {headers: {host}})).status).toBe(200)
  })
})
