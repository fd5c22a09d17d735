// Connections: whose certificates are trusted, that a proxy never sees the credential, and that a write never goes onto a closed one.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {payment} from '../support/payments.ts'
import {servePayments} from '../support/scripted-service.ts'
import {reply, serve} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'
import {useVirtualTime} from '../support/virtual-time.ts'
import {createAuthority} from './certificates.ts'
import {closedAddress, createTestClient, expectFailure, serveRaw, serveSecurely, startProxy} from './raw-service.ts'

useVirtualTime()

const read = ['api', 'GET', '/x']
const write = ['api', 'POST', '/x', '--set', 'a=b']

describe('a service whose authority is not trusted', () => {
  it.each([
    ['a read', read, {}],
    ['a write', write, {}],
    ['NODE_TLS_REJECT_UNAUTHORIZED=0', read, {NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1'}],
  ])('gets no request: code 6, one attempt, and a hint how to trust it, with %s', async (_, args, more) => {
    const service = await serveSecurely(createAuthority())
    const ended = await run(freshHome(), [...args, '--verbose'], {env: {...service.env, ...more}})
    expect(ended).toMatchObject({code: 6, out: ''})
    expect(ended.err).toContain('SVC_CA_FILE')
    expect(ended.err.match(/^(GET|POST) \/x → /gm)).toHaveLength(1)
    expect(service.requests).toEqual([])
  })

  it.each(['SVC_CA_FILE', 'NODE_EXTRA_CA_CERTS'])('gets requests once %s names the authority', async (variable) => {
    const authority = createAuthority()
    const service = await serveSecurely(authority)
    const {code, out, err} = await run(freshHome(), read, {env: {...service.env, [variable]: authority.file}})
    expect({code, err, out: JSON.parse(out)}).toEqual({code: 0, err: '', out: {ok: true}})
    expect(service.authorizations).toEqual(['Bearer test-key'])
  })

  it('is not trusted because of a file that is missing, has no certificate, or has another one', async () => {
    const service = await serveSecurely(createAuthority())
    const home = freshHome()
    const garbage = path.join(home.folder, 'garbage.pem')
    fs.writeFileSync(garbage, 'no certificate\n')
    for (const [file, code] of [
      [garbage, 6],
      [createAuthority().file, 6],
      ['/nowhere/ca.pem', 2],
    ] as const) {
      const ended = await run(home, read, {env: {...service.env, SVC_CA_FILE: file}})
      expect(ended).toMatchObject({code, out: ''})
      if (code === 2) expect(ended.err).toMatch(/\/nowhere\/ca\.pem.*ENOENT/)
    }
    expect(service.requests).toEqual([])
  })

  it.each([
    ['for another name', {host: 'other.example'}],
    ['expired', {days: 0.5}],
  ])('is not trusted with a certificate that is %s, whatever its authority', async (words, options) => {
    const authority = createAuthority(options)
    const service = await serveSecurely(authority)
    const ended = await run(freshHome(), read, {env: {...service.env, SVC_CA_FILE: authority.file}})
    expectFailure(ended, 6)
    expect(ended.err).toContain(words)
    expect(service.requests).toEqual([])
  })

  it('gets no write if it speaks plain HTTP on an HTTPS address', async () => {
    const service = await serveRaw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
    const env = {...service.env, SVC_BASE_URL: service.url.replace('http:', 'https:')}
    expectFailure(await run(freshHome(), write, {env}), 6)
    expect(service.requests.join('')).not.toContain('test-key')
  })
})

describe('HTTPS_PROXY', () => {
  async function start(status?: number) {
    const authority = createAuthority()
    const service = await serveSecurely(authority)
    const proxy = await startProxy(status)
    return {service, proxy, env: {...service.env, SVC_CA_FILE: authority.file}}
  }

  it.each([
    ['HTTPS_PROXY', 'http://'],
    ['https_proxy', 'http://'],
    ['HTTPS_PROXY', ''],
  ])('set as %s, as other programs take it, opens a tunnel and never sees the credential', async (name, scheme) => {
    const {service, proxy, env} = await start()
    const address = proxy.url.replace('http://', scheme)
    expect(await run(freshHome(), read, {env: {...env, [name]: address}})).toMatchObject({code: 0, err: ''})
    expect(service.authorizations).toEqual(['Bearer test-key'])
    expect(proxy.connects.length).toBeGreaterThan(0)
    expect(proxy.connects.every((connect) => connect.startsWith(`127.0.0.1:${service.port} `))).toBe(true)
    expect(proxy.connects.join('') + proxy.readTraffic()).not.toMatch(/test-key|bearer/i)
    expect(proxy.requests).toEqual([])
  })

  it.each(['socks5://127.0.0.1:9', 'http://[bad', '::bad::'])(
    'that is %s ends with 2, and is not bypassed',
    async (HTTPS_PROXY) => {
      const {service, env} = await start()
      const ended = await run(freshHome(), read, {env: {...env, HTTPS_PROXY}})
      expectFailure(ended, 2)
      expect(ended.err).toContain('HTTPS_PROXY')
      expect(service.requests).toEqual([])
    },
  )

  it.each(['127.0.0.1', '*', 'example.com,127.0.0.1'])('is not used for the hosts of NO_PROXY=%s', async (NO_PROXY) => {
    const {service, proxy, env} = await start()
    expect(await run(freshHome(), read, {env: {...env, HTTPS_PROXY: proxy.url, NO_PROXY}})).toMatchObject({code: 0})
    expect([proxy.connects, service.requests]).toEqual([[], ['GET /x']])
  })

  it('is not used for plain HTTP on loopback, nor is HTTP_PROXY', async () => {
    const service = await serve((_, response) => reply(response, 200, {ok: true}))
    const {url, connects, requests} = await startProxy()
    const env = {
      ...service.env,
      HTTPS_PROXY: url,
      HTTP_PROXY: url,
      http_proxy: url,
      ALL_PROXY: url,
      NODE_USE_ENV_PROXY: '1',
    }
    expect(await run(freshHome(), read, {env})).toMatchObject({code: 0})
    expect([connects, requests, service.requests.length]).toEqual([[], [], 1])
  })

  it.each([403, 407, 502])(
    'that answers %i is the cause of code 6, for a read and a write, without its password',
    async (status) => {
      const {service, proxy, env} = await start(status)
      const secret = proxy.url.replace('http://', 'http://someone:hunter2@')
      for (const args of [read, write]) {
        const ended = await run(freshHome(), args, {env: {...env, HTTPS_PROXY: secret}})
        expectFailure(ended, 6)
        expect(ended.err).toContain('HTTPS_PROXY')
        expect(ended.err).not.toContain('hunter2')
      }
      expect(service.requests).toEqual([])
    },
  )

  it('is named if it cannot be reached, and does not make an untrusted certificate trusted', async () => {
    const {service, proxy, env} = await start()
    const away = await run(freshHome(), write, {env: {...env, HTTPS_PROXY: closedAddress}})
    expectFailure(away, 6)
    expect(away.err).toContain('through the proxy')
    const untrusted = await run(freshHome(), write, {env: {...env, SVC_CA_FILE: undefined, HTTPS_PROXY: proxy.url}})
    expectFailure(untrusted, 6)
    expect(untrusted.err).toContain('SVC_CA_FILE')
    expect(service.requests).toEqual([])
  })
})

// HTTP allows a service to close the connection after each reply without saying so. A write on the closed connection would fail as
// one that may have happened.
describe('a service that closes each connection without saying so', () => {
  it.each(['POST', 'PATCH', 'PUT', 'DELETE', 'GET'])('gets %s on a new one', async (method) => {
    const service = await serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'))
    const client = createTestClient(service.url, {retriesReads: method !== 'GET'})
    for (let count = 1; count <= 5; count++) {
      await client.raw({method: 'GET', path: '/first'})
      expect((await client.raw({method, path: '/x'})).body).toEqual({})
    }
    expect(service.requests.filter((head) => head.startsWith(`${method} /x`))).toHaveLength(5)
  })

  it('is paid', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    // The service is in this process, so it closes the connection before svc reads the reply.
    service.intercept = (_, response) => {
      const {socket} = response
      response.once('finish', () => socket?.destroy())
      return false
    }
    for (const key of ['a', 'b', 'c']) {
      expect(await run(home, [...payment(key, '10'), '--yes', '--quiet'], service)).toEqual({code: 0, out: '', err: ''})
    }
    expect(service.requestsTo('POST /transactions')).toHaveLength(3)
  })
})
