// When a read is retried, that a write never is, and the exit code of each outcome.
import {describe, expect, it} from 'vitest'
import {reply, serve} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'
import {
  createTestClient,
  environmentFor,
  errorLine,
  expectFailure,
  captureError,
  closedAddress,
  rawReply,
  serveRaw,
} from './raw-service.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

useVirtualTime()

const read = ['api', 'GET', '/things', '--json']
const write = ['api', 'POST', '/things', '--set', 'a=b', '--json']
const atOnce = {'retry-after': '0'}

describe('a read', () => {
  it.each([429, 500, 503])(
    'is sent four times in all if the service keeps answering %i, and ends with 6',
    async (status) => {
      const service = await serve((_, response) => reply(response, status, {error: 'BUSY', message: 'Later.'}, atOnce))
      const line = errorLine(await run(freshHome(), read, {env: service.env}), 6)
      expect(service.requests).toHaveLength(4)
      expect(line).toMatchObject({error: 'BUSY', statusCode: status, exitCode: 6})
      expect(line['message']).toContain('Later')
    },
  )

  it('is sent four times if every connection is reset, with growing waits', async () => {
    const service = await serveRaw((socket) => socket.resetAndDestroy())
    const waits: number[] = []
    const client = createTestClient(service.url, {
      onAttempt: ({retryInMs}) => retryInMs !== undefined && waits.push(retryInMs),
    })
    expect(await captureError(client.raw({method: 'GET', path: '/x'}))).toMatchObject({exitCode: 6})
    expect(service.requests).toHaveLength(4)
    expect(waits).toHaveLength(3)
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(125 * 2 ** index)
      expect(wait).toBeLessThanOrEqual(250 * 2 ** index)
    }
  })

  it('is retried if nothing listens at the address, and reported in one sentence', async () => {
    const ended = await run(freshHome(), ['api', 'GET', '/x', '--verbose'], {
      env: environmentFor(closedAddress),
    })
    expect(ended).toMatchObject({code: 6, out: ''})
    expect(ended.err.match(/^GET \/x → ECONNREFUSED/gm)).toHaveLength(4)
    expect(ended.err).toMatch(/^svc: The service at \S+ refused the connection\. /m)
  })

  it('succeeds without a notice once the service works again', async () => {
    const service = await serve((_, response, count) => {
      if (count === 1) response.destroy()
      else if (count === 2) reply(response, 503, 'down', atOnce)
      else reply(response, 200, {ok: true})
    })
    const {code, out, err} = await run(freshHome(), read, {env: service.env})
    expect({code, err, out: JSON.parse(out)}).toEqual({code: 0, err: '', out: {ok: true}})
    expect(service.requests).toHaveLength(3)
  })

  it.each([
    ['in seconds', () => '1'],
    ['as a date', () => new Date(Date.now() + 2000).toUTCString()],
  ])('waits as long as Retry-After says %s', async (_, retryAfter) => {
    const times: number[] = []
    const service = await serve((_asked, response, count) => {
      times.push(performance.now())
      if (count === 1) reply(response, 429, {}, {'retry-after': retryAfter()})
      else reply(response, 200, {ok: true})
    })
    const answer = await createTestClient(service.url).raw({method: 'GET', path: '/x'})
    expect(answer.body).toEqual({ok: true})
    const waited = (times[1] ?? 0) - (times[0] ?? 0)
    expect(waited).toBeGreaterThanOrEqual(950)
    expect(waited).toBeLessThan(2500)
  })

  it.each([
    ['4 hours behind', -4 * 3_600_000],
    ['5 seconds behind', -5000],
    ['4 hours ahead', 4 * 3_600_000],
  ])('waits until the date in Retry-After by the service’s clock, which is %s', async (_, skewMs) => {
    const clockMs = Date.now() + skewMs
    const service = await serve((_asked, response, count) => {
      const headers = {
        date: new Date(clockMs).toUTCString(),
        'retry-after': new Date(clockMs + 2000).toUTCString(),
      }
      reply(response, count === 1 ? 429 : 200, {}, headers)
    })
    const waits: Array<number | undefined> = []
    const client = createTestClient(service.url, {onAttempt: ({retryInMs}) => waits.push(retryInMs)})
    await client.raw({method: 'GET', path: '/x'})
    expect(waits).toEqual([2000, undefined])
  })

  it('waits until the date in Retry-After by its own clock if the Date of the reply cannot be read', async () => {
    const service = await serve((_, response, count) => {
      const headers = {date: 'today', 'retry-after': new Date(Date.now() + 20_000).toUTCString()}
      reply(response, count === 1 ? 429 : 200, {}, headers)
    })
    const waits: number[] = []
    const client = createTestClient(service.url, {onAttempt: ({retryInMs}) => waits.push(retryInMs ?? 0)})
    await client.raw({method: 'GET', path: '/x'})
    expect(waits[0]).toBeGreaterThan(10_000)
    expect(waits[0]).toBeLessThanOrEqual(20_000)
  })

  it('does not wait if Retry-After is an hour', async () => {
    const service = await serve((_, response) => reply(response, 429, {}, {'retry-after': '3600'}))
    expectFailure(await run(freshHome(), read, {env: service.env}), 6)
    expect(service.requests).toHaveLength(1)
  })

  it.each([
    ['a list that gets 429', 429, ['customers', 'list']],
    ['a list that gets 503', 503, ['customers', 'list']],
    ['a write that gets 429', 429, write],
  ])('says how long the service asks to wait, for %s', async (_, status, args) => {
    const [date, retryAt] = ['Mon, 16 Nov 2026 10:00:00 GMT', 'Mon, 16 Nov 2026 12:00:00 GMT']
    for (const headers of [{'retry-after': '7200'}, {date, 'retry-after': retryAt}]) {
      const service = await serve((_asked, response) => reply(response, status, {}, headers))
      const ended = await run(freshHome(), args, {env: service.env})
      expectFailure(ended, 6)
      expect(ended.err).toContain('It asks to wait 7200 s before the next request: try again after that')
    }
  })

  it('names --request-timeout if that ended an attempt, even if --timeout ended the last one', async () => {
    const service = await serve(() => {})
    const limits = ['--request-timeout', '1s', '--timeout', '3s']
    const ended = await run(freshHome(), [...read, ...limits], {env: service.env})
    expectFailure(ended, 6)
    expect(ended.err).toContain('allow more with --request-timeout')
    expect(service.requests.length).toBeGreaterThan(1)
  })

  it.each(['-1', 'soon 1', '2 minutes'])('waits as usual if Retry-After is the invalid "%s"', async (value) => {
    const service = await serve((_, response, count) =>
      reply(response, count === 1 ? 503 : 200, {}, count === 1 ? {'retry-after': value} : {}),
    )
    let waited = 0
    await createTestClient(service.url, {onAttempt: ({retryInMs}) => (waited += retryInMs ?? 0)}).raw({
      method: 'GET',
      path: '/x',
    })
    expect(waited).toBeGreaterThanOrEqual(125)
  })

  it('does not start a wait that is longer than what is left of --timeout', async () => {
    const service = await serve((_, response) => reply(response, 503, {}, {'retry-after': '20'}))
    const started = performance.now()
    expectFailure(await run(freshHome(), [...read, '--timeout', '5s'], {env: service.env}), 6)
    expect(performance.now() - started).toBeLessThan(4000)
    expect(service.requests).toHaveLength(1)
  })

  it('is sent again if a kept-alive connection was closed between two pages', async () => {
    const page = (token?: string) => JSON.stringify({customers: [], nextPageToken: token})
    const service = await serveRaw((socket, count) => {
      const keepAliveReply = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      if (count === 1) socket.write(keepAliveReply(page('2')))
      else if (count === 2) socket.destroy()
      else socket.end(keepAliveReply(page()))
    })
    const {code, out} = await run(freshHome(), ['customers', 'list', '--all', '--json'], {env: service.env})
    expect({code, out: JSON.parse(out)}).toEqual({code: 0, out: {customers: []}})
    expect(service.requests.map((head) => head.includes('pageToken=2'))).toEqual([false, true, true])
  })

  it.each([
    [400, 'BAD_REQUEST', 3],
    [401, 'UNAUTHORIZED', 4],
    [403, 'FORBIDDEN', 4],
    [404, 'NOT_FOUND', 5],
    [409, 'CONFLICT', 3],
    [422, 'TEAPOT', 3],
  ])('that gets %i %s is sent once and ends with %i, with the service’s message', async (status, error, exitCode) => {
    const body = {error, message: 'The field phoneNumber is wrong.', statusCode: status}
    const service = await serve((_, response) => reply(response, status, body))
    const line = errorLine(await run(freshHome(), read, {env: service.env}), exitCode)
    expect(line).toMatchObject({error, statusCode: status, exitCode})
    expect(line['message']).toContain('The field phoneNumber is wrong')
    expect(service.requests).toHaveLength(1)
  })
})

describe('a write', () => {
  it.each([
    ['a 500', rawReply('{}', [], '500 Oh no')],
    ['a 503 that asks for patience', rawReply('{}', ['Retry-After: 0'], '503 Later')],
    ['a 408', rawReply('{}', [], '408 Slow')],
    ['a 201 without the promised bytes', 'HTTP/1.1 201 Created\r\nContent-Length: 99\r\n\r\n{"a":'],
    ['a 201 with half a JSON body', rawReply('{"a":', [], '201 Created')],
    ['a web page', rawReply('<html>')],
    ['something that is not HTTP', '{"a":1}'],
  ])('is sent once and ends with 7 on %s', async (_, bytes) => {
    const service = await serveRaw(bytes)
    const line = errorLine(await run(freshHome(), write, {env: service.env}), 7)
    expect(service.requests).toHaveLength(1)
    expect(line).toMatchObject({error: 'OUTCOME_UNKNOWN', exitCode: 7})
    expect(line['message']).toMatch(/^POST \/things may or may not have happened/)
  })

  it('is sent once and ends with 7 if the connection is reset after it', async () => {
    const service = await serveRaw((socket) => socket.resetAndDestroy())
    expectFailure(await run(freshHome(), write, {env: service.env}), 7)
    expect(service.requests).toHaveLength(1)
  })

  it('is sent once and ends with 7 if no reply comes in time', async () => {
    const service = await serveRaw(() => {})
    expectFailure(await run(freshHome(), [...write, '--request-timeout', '300ms'], {env: service.env}), 7)
    expect(service.requests).toHaveLength(1)
  })

  it('ends with 6 if nothing listens at the address, since nothing was sent', async () => {
    const line = errorLine(await run(freshHome(), write, {env: environmentFor(closedAddress)}), 6)
    expect(line).toMatchObject({error: 'UNREACHABLE', exitCode: 6})
  })

  it('is sent once and ends with 6 on 429, which means that nothing was done', async () => {
    const service = await serve((_, response) => reply(response, 429, {error: 'RATE', message: 'Slow down'}, atOnce))
    expect(errorLine(await run(freshHome(), write, {env: service.env}), 6)).toMatchObject({error: 'RATE'})
    expect(service.requests).toHaveLength(1)
  })

  it('is sent once and ends with 3 if the service refuses it', async () => {
    const body = {error: 'PATCH_NOT_ALLOWED', message: 'Under review', statusCode: 400}
    const service = await serve((_, response) => reply(response, 400, body))
    expect(errorLine(await run(freshHome(), write, {env: service.env}), 3)).toMatchObject({error: 'PATCH_NOT_ALLOWED'})
    expect(service.requests).toHaveLength(1)
  })
})
