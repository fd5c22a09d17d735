// HTTPS goes through a proxy in a tunnel, so the proxy never sees the credential. Plain HTTP never uses the proxy.
import {describe, expect, it} from 'vitest'
import {reply, serve} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'
import {createAuthority} from './certificates.ts'
import {expectFailure, closedAddress, startProxy, serveSecurely} from './raw-service.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

useVirtualTime()

const read = ['api', 'GET', '/x']
const write = ['api', 'POST', '/x', '--set', 'a=b']

async function startServiceBehindProxy(status?: number) {
  const authority = createAuthority()
  const service = await serveSecurely(authority)
  const way = await startProxy(status)
  return {service, way, env: {...service.env, SVC_CA_FILE: authority.file}}
}

describe('HTTPS_PROXY', () => {
  it.each(['HTTPS_PROXY', 'https_proxy'])('set as %s opens a tunnel and never sees the credential', async (name) => {
    const {service, way, env} = await startServiceBehindProxy()
    expect(await run(freshHome(), read, {env: {...env, [name]: way.url}})).toMatchObject({code: 0, err: ''})
    expect(service.authorizations).toEqual(['Bearer test-key'])
    expect(way.connects.length).toBeGreaterThan(0)
    expect(way.connects.every((connect) => connect.startsWith(`127.0.0.1:${service.port} `))).toBe(true)
    expect(way.connects.join('') + way.readTraffic()).not.toMatch(/test-key|bearer/i)
    expect(way.requests).toEqual([])
  })

  it('needs no protocol, as in other programs', async () => {
    const {way, env} = await startServiceBehindProxy()
    const HTTPS_PROXY = way.url.replace('http://', '')
    expect(await run(freshHome(), read, {env: {...env, HTTPS_PROXY}})).toMatchObject({code: 0})
    expect(way.connects.length).toBeGreaterThan(0)
  })

  it.each(['socks5://127.0.0.1:9', 'http://[bad', '::bad::'])(
    'that is %s ends with 2, and is not silently bypassed',
    async (HTTPS_PROXY) => {
      const {service, env} = await startServiceBehindProxy()
      const ended = await run(freshHome(), read, {env: {...env, HTTPS_PROXY}})
      expectFailure(ended, 2)
      expect(ended.err).toContain('HTTPS_PROXY')
      expect(service.requests).toEqual([])
    },
  )

  it.each(['127.0.0.1', '*', 'example.com,127.0.0.1'])('is not used for the hosts of NO_PROXY=%s', async (NO_PROXY) => {
    const {service, way, env} = await startServiceBehindProxy()
    expect(await run(freshHome(), read, {env: {...env, HTTPS_PROXY: way.url, NO_PROXY}})).toMatchObject({code: 0})
    expect(way.connects).toEqual([])
    expect(service.requests).toEqual(['GET /x'])
  })

  it('is not used for plain HTTP on loopback, nor is HTTP_PROXY', async () => {
    const service = await serve((_, response) => reply(response, 200, {ok: true}))
    const way = await startProxy()
    const env = {...service.env, HTTPS_PROXY: way.url, HTTP_PROXY: way.url, http_proxy: way.url, ALL_PROXY: way.url}
    expect(await run(freshHome(), read, {env: {...env, NODE_USE_ENV_PROXY: '1'}})).toMatchObject({code: 0})
    expect([...way.connects, ...way.requests]).toEqual([])
    expect(service.requests).toHaveLength(1)
  })

  it.each([403, 407, 502])(
    'that answers %i is reported in one sentence with code 6, for a read and for a write',
    async (status) => {
      const {service, way, env} = await startServiceBehindProxy(status)
      const secret = way.url.replace('http://', 'http://someone:hunter2@')
      for (const args of [read, write]) {
        const ended = await run(freshHome(), args, {env: {...env, HTTPS_PROXY: secret}})
        expectFailure(ended, 6)
        expect(ended.err).toContain('HTTPS_PROXY')
        expect(ended.err).not.toContain('hunter2')
      }
      expect(service.requests).toEqual([])
    },
  )

  it('is named as the cause if it cannot be reached', async () => {
    const {env} = await startServiceBehindProxy()
    const ended = await run(freshHome(), write, {env: {...env, HTTPS_PROXY: closedAddress}})
    expectFailure(ended, 6)
    expect(ended.err).toContain('through the proxy')
  })

  it('does not make an untrusted certificate trusted', async () => {
    const {service, way, env} = await startServiceBehindProxy()
    const ended = await run(freshHome(), write, {env: {...env, SVC_CA_FILE: undefined, HTTPS_PROXY: way.url}})
    expectFailure(ended, 6)
    expect(ended.err).toContain('SVC_CA_FILE')
    expect(service.requests).toEqual([])
  })
})
