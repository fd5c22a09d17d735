// Where the credential is sent, where it is never sent, and that it does not appear in errors.
import {describe, expect, it} from 'vitest'
import {reply, serve} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'
import {createTestClient, environmentFor, expectFailure, captureError} from './raw-service.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

useVirtualTime()

const serveOk = () => serve((_, response) => reply(response, 200, {ok: true}))

describe('the credential', () => {
  it('is sent to the base URL as a bearer token', async () => {
    const service = await serveOk()
    expect(await run(freshHome(), ['api', 'GET', '/x'], {env: service.env})).toMatchObject({code: 0})
    expect(service.requests.map(({headers}) => headers.authorization)).toEqual(['Bearer test-key'])
  })

  it('cannot be replaced by a header of the caller', async () => {
    const service = await serveOk()
    const args = ['api', 'GET', '/x', '-H', 'Authorization: Bearer other']
    expectFailure(await run(freshHome(), args, {env: service.env}), 2)
    expect(service.requests).toEqual([])
  })

  it.each([
    ['two slashes', (port: number) => `//127.0.0.1:${port}/x`],
    ['a slash and a backslash', (port: number) => `/\\127.0.0.1:${port}/x`],
    ['two backslashes', (port: number) => `\\\\127.0.0.1:${port}/x`],
    ['a whole address', (port: number) => `http://127.0.0.1:${port}/x`],
    ['an @', (port: number) => `@127.0.0.1:${port}/x`],
    ['a tab between slashes', (port: number) => `/\t/127.0.0.1:${port}/x`],
  ])('is not sent to another host by a path with %s', async (_, pathFor) => {
    const service = await serveOk()
    const other = await serveOk()
    await run(freshHome(), ['api', 'GET', pathFor(other.port)], {env: service.env})
    const raw = createTestClient(service.url).raw({method: 'GET', path: pathFor(other.port)})
    await raw.catch(() => {})
    expect(other.requests).toEqual([])
  })

  it.each(['/../x', '/a/../../x', '/%2e%2e/x', '/.%2E/x', '/..', '/..\\x', '/a\\..\\..\\x', '/.\t./x'])(
    'is not sent outside the base path by %j',
    async (path) => {
      const service = await serveOk()
      const env = {...service.env, SVC_BASE_URL: `${service.url}/v1`}
      expectFailure(await run(freshHome(), ['api', 'GET', path], {env}), 2)
      expect(await captureError(createTestClient(env.SVC_BASE_URL).raw({method: 'GET', path}))).toMatchObject({
        exitCode: 2,
      })
      expect(service.requests).toEqual([])
    },
  )

  it.each(['evil', ':1/x', '.evil.example/x', '?x', '#x'])(
    'is not sent if %j after the base URL would change its host or folder',
    async (path) => {
      const service = await serveOk()
      await createTestClient(`${service.url}/v1`)
        .raw({method: 'GET', path})
        .catch(() => {})
      expect(service.requests.filter((request) => !/^\/v1(\/|$)/.test(request.path))).toEqual([])
    },
  )

  it.each([
    '/./transactions',
    '/x/../transactions',
    '/\ttransactions',
    '/transactions ',
    '/\\transactions',
    '/x#/transactions',
  ])('is not sent to a path that a URL would rewrite, which could bypass the write gate: %j', async (path) => {
    const service = await serveOk()
    const failure = await captureError(createTestClient(service.url).raw({method: 'POST', path, body: '{}'}))
    expect(failure).toMatchObject({exitCode: 2})
    expect(service.requests).toEqual([])
  })

  it.each(['/customers/a%20b', '/ü', '/a..b', '/...', '/.well-known/x', '/x?next=../y z', "/a:b@c;d='e'"])(
    'is sent to an ordinary path such as %j',
    async (path) => {
      const service = await serveOk()
      expect(await createTestClient(service.url).raw({method: 'GET', path})).toMatchObject({status: 200})
      expect(service.requests).toHaveLength(1)
    },
  )

  it.each(['http://192.0.2.1', 'http://localhost.example.com', 'http://127.0.0.1.example.com', 'http://0.0.0.0:1'])(
    'is not sent unencrypted to %s, which ends with 2 at once',
    async (address) => {
      const started = performance.now()
      const ended = await run(freshHome(), ['customers', 'list'], {env: environmentFor(address)})
      expectFailure(ended, 2)
      expect(ended.err).toContain('not HTTPS')
      expect(performance.now() - started).toBeLessThan(3000)
    },
  )

  it('does not appear in an error, even if the service repeats it', async () => {
    const service = await serve(({headers}, response) => {
      const message = `Unknown key ${headers.authorization}.`
      reply(response, 401, {error: 'UNAUTHORIZED', message, statusCode: 401})
    })
    for (const args of [
      ['customers', 'list'],
      ['customers', 'list', '--json', '--verbose'],
    ]) {
      const {code, err, out} = await run(freshHome(), args, {env: service.env})
      expect({code, out}).toEqual({code: 4, out: ''})
      expect(err).toContain('Unknown key Bearer [credential]')
      expect(err).not.toContain('test-key')
    }
  })
})
