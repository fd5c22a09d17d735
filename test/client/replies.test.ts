// Every kind of reply, and what svc says of it: the exit code of a read and of a write, how often a read is sent, and the words.
import fs from 'node:fs'
import path from 'node:path'
import {Readable, pipeline} from 'node:stream'
import zlib from 'node:zlib'
import {describe, expect, it} from 'vitest'
import {type Service, customer, customerId, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {useVirtualTime} from '../support/virtual-time.ts'
import {
  captureError,
  closedAddress,
  createTestClient,
  environmentFor,
  errorLine,
  expectFailure,
  rawReply,
  serveRaw,
} from './raw-service.ts'

const time = useVirtualTime()

const read = ['api', 'GET', '/things', '--json']
const write = ['api', 'POST', '/things', '--set', 'a=b', '--json']
const list = ['customers', 'list']
const atOnce = {'retry-after': '0'}
const page = JSON.stringify({customers: [customer(1, {name: 'Zoë 🦊'})]})
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
const withEncoding = (encoding: string, body: string | Buffer = page) =>
  rawReply(body, [`Content-Encoding: ${encoding}`])
const half = (bytes: Buffer) => bytes.subarray(0, 50)
const refusal = {error: 'SOME_CODE', message: 'The field phoneNumber is wrong.'}
const answer =
  (status: number, headers: object = atOnce) =>
  () =>
    serve((_, response) => reply(response, status, refusal, {...headers}))

type Row = [
  what: string,
  start: () => Promise<{env: Record<string, string>; requests: unknown[]}>,
  readCode: number,
  sent: number,
  says: string,
  writeCode: number,
]

const rows: Row[] = [
  ['half a JSON', () => serveRaw(rawReply('{"customers": [{"a"')), 6, 1, 'not valid JSON', 7],
  ['UTF-16', () => serveRaw(rawReply(Buffer.from(page, 'utf16le'))), 6, 1, 'not valid JSON', 7],
  ['a web page', () => serveRaw(rawReply('<!doctype html><h1>Welcome</h1>')), 6, 1, 'a web page', 7],
  ['an unknown encoding', () => serveRaw(withEncoding('zstd-42')), 6, 1, 'encoded its reply', 7],
  ['two encodings', () => serveRaw(withEncoding('gzip, br')), 6, 1, 'encoded its reply', 7],
  ['a 304', () => serveRaw('HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n'), 6, 1, '304', 7],
  [
    'less than it promised',
    () => serveRaw('HTTP/1.1 201 OK\r\nContent-Length: 500\r\n\r\n{"a":'),
    6,
    4,
    'closed the',
    7,
  ],
  ['chunks that break off', () => serveRaw(`${chunked}4\r\n{"cu\r\n`), 6, 4, 'closed the connection', 7],
  ['chunks of garbage', () => serveRaw(`${chunked}zz\r\n{}\r\n`), 6, 4, 'not HTTP', 7],
  ['no HTTP at all', () => serveRaw('{"customers":[]}'), 6, 4, 'not HTTP', 7],
  ['an endless header', () => serveRaw(rawReply(page, [`X: ${'y'.repeat(100_000)}`])), 6, 4, 'not HTTP', 7],
  [
    'another protocol',
    () => serveRaw('HTTP/1.1 101 Up\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
    6,
    4,
    'protocol',
    7,
  ],
  ['not the gzip it says it is', () => serveRaw(withEncoding('gzip')), 6, 4, 'damaged', 7],
  ['half a gzip', () => serveRaw(withEncoding('gzip', half(zlib.gzipSync(page)))), 6, 4, 'damaged', 7],
  ['half a brotli', () => serveRaw(withEncoding('br', half(zlib.brotliCompressSync(page)))), 6, 4, 'damaged', 7],
  ['a reset connection', () => serveRaw((socket) => socket.resetAndDestroy()), 6, 4, 'closed the connection', 7],
  ['silence', () => serveRaw(() => {}), 6, 4, 'did not answer in time', 7],
  ['a reply that drips', serveDrip, 6, 4, 'did not answer in time', 7],
  ['nobody', async () => ({env: environmentFor(closedAddress), requests: []}), 6, 0, 'refused the connection', 6],
  ...[500, 502, 503].map((status): Row => [`${status}`, answer(status), 6, 4, 'phoneNumber is wrong', 7]),
  ['408', answer(408), 6, 4, 'phoneNumber is wrong', 7],
  ['429', answer(429), 6, 4, 'phoneNumber is wrong', 6],
  ['425', answer(425), 6, 1, 'phoneNumber is wrong', 7],
  ...[400, 409, 422, 499].map((status): Row => [`${status}`, answer(status), 3, 1, 'phoneNumber is wrong', 3]),
  ...[401, 403].map((status): Row => [`${status}`, answer(status), 4, 1, 'phoneNumber is wrong', 4]),
  ['404', answer(404), 5, 1, 'phoneNumber is wrong', 5],
  ...[301, 302, 303, 307, 308].map((status): Row => [
    `${status}`,
    answer(status, {location: 'http://127.0.0.1:9/x?secret=1'}),
    6,
    1,
    'a redirect to http://127.0.0.1:9, which svc never follows',
    7,
  ]),
  ['302 to itself', answer(302, {location: '/login/?secret=1'}), 6, 1, '/login/, which svc never follows', 7],
  ...['', 'http://', 'javascript:alert(1)'].map((location): Row => [
    `302 to ${location}`,
    answer(302, {location}),
    6,
    1,
    'a redirect, which svc never follows',
    7,
  ]),
]

function serveDrip() {
  return serve((_, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  })
}

describe('a reply that is no answer', () => {
  it.each(rows)('%s', async (_, start, readCode, sent, says, writeCode) => {
    const service = await start()
    const first = errorLine(
      await run(freshHome(), [...read, '--request-timeout', '200ms'], {env: service.env}),
      readCode,
    )
    expect(first['message']).toContain(says)
    expect(JSON.stringify(first)).not.toContain('secret')
    expect(service.requests).toHaveLength(sent)
    service.requests.length = 0
    const second = errorLine(
      await run(freshHome(), [...write, '--request-timeout', '300ms'], {env: service.env}),
      writeCode,
    )
    if (writeCode === 7) {
      expect(second['error']).toBe('OUTCOME_UNKNOWN')
      expect(second['message']).toMatch(/^POST \/things may or may not have happened/)
    }
    expect(service.requests.length).toBe(Math.min(sent, 1))
  })

  type ListRow = [what: string, bytes: string | Buffer, words: string]

  it.each<ListRow>([
    ['an empty body', rawReply(''), 'an empty body'],
    ['an empty body in gzip', withEncoding('gzip', ''), 'an empty body'],
    ['a 204', 'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n', '204 with an empty body'],
    ...['null', '[1]', '1.10', '"hello"'].map((text): ListRow => [text, rawReply(text), 'not an object']),
    ...['{"errors":[]}', '{"items":[{"name":"x"}]}', '{"customers":null}'].map((text): ListRow => [
      text,
      rawReply(text),
      'no list of customers',
    ]),
    ['a list of no objects', rawReply('{"customers":[null, 1, "x", [], 1.10]}'), 'customers that are not objects'],
  ])('to a list: %s', async (_, bytes, words) => {
    const service = await serveRaw(bytes)
    const ended = await run(freshHome(), list, {env: service.env})
    expectFailure(ended, 6)
    expect(ended.err).toContain(words)
    expect(service.requests).toHaveLength(1)
  })

  it('cannot control a terminal with its message, and has its status if it has another form', async () => {
    const bodies = [
      {error: 'A\u{1b}[31mB', message: 'one\ntwo\u{1b}]0;title\u{7}\u{202e}three'},
      {error: {code: 1}, message: ['phoneNumber is wrong', 7, 'email is missing']},
    ]
    const service = await serve((_, response, count) => reply(response, 400, bodies[count - 1]))
    const ended = await run(freshHome(), list, {env: service.env})
    expectFailure(ended, 3)
    expect(ended.err.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(ended.err).toContain('one two')
    const line = errorLine(await run(freshHome(), [...list, '--json'], {env: service.env}), 3)
    const message = 'The service refused the request (400): phoneNumber is wrong; email is missing.'
    expect(line).toMatchObject({error: 'HTTP_400', statusCode: 400, message})
  })
})

describe('a reply', () => {
  it.each([
    ['in gzip', withEncoding('gzip', zlib.gzipSync(page))],
    ['in x-gzip, in capitals', withEncoding('X-GZIP', zlib.gzipSync(page))],
    ['in brotli', withEncoding('br', zlib.brotliCompressSync(page))],
    ['in deflate', withEncoding('deflate', zlib.deflateSync(page))],
    ['with an identity encoding', withEncoding('identity')],
    ['with an empty encoding', withEncoding('')],
    ['with a byte order mark', rawReply(`\u{feff}${page}`)],
    ['called text/html', rawReply(page, ['Content-Type: text/html'])],
    ['that claims to be in Latin-1', rawReply(page, ['Content-Type: application/json; charset=latin1'])],
    ['with headers twice', rawReply(page, ['Content-Type: a/b', 'Content-Type: c/d', 'X: 1', 'X: 2'])],
    ['with blanks around the JSON', rawReply(`\r\n\t ${page}\n\n`)],
    ['without a length', `HTTP/1.1 200 OK\r\n\r\n${page}`],
    [
      'after provisional ones',
      Buffer.concat([
        Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'),
        rawReply(page),
      ]),
    ],
    [
      'in single bytes that split a character',
      chunked + [...Buffer.from(page)].map((byte) => `1\r\n${String.fromCodePoint(byte)}\r\n`).join('') + '0\r\n\r\n',
    ],
  ])('%s is read', async (_, bytes) => {
    const service = await serveRaw(
      typeof bytes === 'string' && bytes.startsWith(chunked) ? Buffer.from(bytes, 'latin1') : bytes,
    )
    const {code, out, err} = await run(freshHome(), [...list, '--json'], {env: service.env})
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(json(out)).toMatchObject({customers: [{name: 'Zoë 🦊'}]})
  })

  it('to a write may be empty, even if it names an encoding', async () => {
    const service = await serveRaw('HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n')
    expect(await run(freshHome(), ['api', 'DELETE', '/x'], {env: service.env})).toEqual({code: 0, out: '', err: ''})
  })

  const answering = (body: unknown) =>
    serve(({path: at}, response) => reply(response, 200, at === '/customers' ? {customers: [body], extra: []} : body))
  const get = ['customers', 'get', customerId(1)]

  it('with new fields and values is shown with them, without a notice', async () => {
    const grown = customer(1, {customerStatus: 'ON_HOLIDAY', customerType: 'ROBOT', nested: {deep: [{er: true}]}})
    const {env} = await answering(grown)
    const whole = await run(freshHome(), [...list, '--json'], {env})
    expect({...whole, out: json(whole.out)}).toEqual({code: 0, err: '', out: {customers: [grown], extra: []}})
    const one = await run(freshHome(), [...get, '--json'], {env})
    expect({...one, out: json(one.out)}).toEqual({code: 0, err: '', out: grown})
    const text = JSON.stringify(customer(1)).replace(/\}$/, ',"__proto__":{"a":1},"constructor":"x"}')
    const odd = await serve((_, response) => reply(response, 200, text))
    const {out} = await run(freshHome(), [...get, '--json'], {env: odd.env})
    expect(out.replaceAll(/\n\s*/g, '').replaceAll('": ', '":')).toBe(text)
  })

  it.each([
    [{name: undefined}, 'name is missing'],
    [{name: null}, 'name is missing'],
    [{name: 7}, 'name must be a string'],
    [{customerId: 'abc'}, 'customerId must be a UUID'],
    [{updatedAt: 'yesterday'}, 'updatedAt must be'],
    [{verificationIssues: 'none'}, 'verificationIssues must be a list'],
  ])('that violates the interface with %j is shown with a warning, which is not a failure', async (more, words) => {
    const {env} = await answering(customer(1, more))
    for (const format of ['json', 'table', 'jsonl', 'csv']) {
      const {code, out, err} = await run(freshHome(), [...get, '-o', format], {env})
      expect([code, out.includes('customer1@example.com')]).toEqual([0, true])
      expect(err).toMatch(new RegExp(`^Warning: .*${words}.*\n$`))
    }
  })
})

describe('a read', () => {
  const waitsOf = async (service: Pick<Service, 'url'>) => {
    const waits: number[] = []
    const client = createTestClient(service.url, {
      onAttempt: ({retryInMs}) => retryInMs !== undefined && waits.push(retryInMs),
    })
    await client.raw({method: 'GET', path: '/x'}).catch(() => {})
    return waits
  }

  it('is sent again with growing waits, and succeeds without a notice once the service works', async () => {
    const waits = await waitsOf(await serveRaw((socket) => socket.resetAndDestroy()))
    expect(waits).toHaveLength(3)
    expect(await waitsOf({url: closedAddress})).toHaveLength(3)
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(125 * 2 ** index)
      expect(wait).toBeLessThanOrEqual(250 * 2 ** index)
    }
    const service = await serve((_, response, count) => {
      if (count === 1) response.destroy()
      else reply(response, count === 2 ? 503 : 200, {ok: true}, atOnce)
    })
    const {code, out, err} = await run(freshHome(), read, {env: service.env})
    expect({code, err, out: json(out)}).toEqual({code: 0, err: '', out: {ok: true}})
    expect(service.requests).toHaveLength(3)
  })

  const toDate = (ms: number) => new Date(ms).toUTCString()

  // What Retry-After says, by which Date of the service, and how long svc waits.
  it.each([
    ['in seconds', () => ({'retry-after': '1'}), 1000, 1000],
    ['as a date', () => ({'retry-after': toDate(Date.now() + 2000)}), 950, 2000],
    ...[-4 * 3_600_000, -5000, 4 * 3_600_000].map(
      (skewMs) =>
        [
          `as a date of a clock that is ${skewMs} ms ahead`,
          () => ({date: toDate(Date.now() + skewMs), 'retry-after': toDate(Date.now() + skewMs + 2000)}),
          2000,
          2000,
        ] as const,
    ),
    ['beside a Date that is none', () => ({date: 'today', 'retry-after': toDate(Date.now() + 20_000)}), 10_000, 20_000],
    ...['-1', 'soon 1', '2 minutes'].map((value) => [value, () => ({'retry-after': value}), 125, 250] as const),
  ] as const)('waits as long as Retry-After says %s', async (_, getHeaders, min, max) => {
    const service = await serve((_asked, response, count) =>
      reply(response, count === 1 ? 429 : 200, {}, {...getHeaders()}),
    )
    const [wait = 0] = await waitsOf(service)
    expect([wait >= min, wait <= max]).toEqual([true, true])
  })

  it.each([
    ['a list that gets 429', 429, list],
    ['a list that gets 503', 503, list],
    ['a write that gets 429', 429, write],
  ])('does not wait for hours, but says how long the service asks to wait, for %s', async (_, status, args) => {
    const [date, retryAt] = ['Mon, 16 Nov 2026 10:00:00 GMT', 'Mon, 16 Nov 2026 12:00:00 GMT']
    for (const headers of [{'retry-after': '7200'}, {date, 'retry-after': retryAt}]) {
      const service = await serve((_asked, response) => reply(response, status, {}, headers))
      const ended = await run(freshHome(), args, {env: service.env})
      expectFailure(ended, 6)
      expect(ended.err).toContain('It asks to wait 7200 s before the next request: try again after that')
      expect(service.requests).toHaveLength(1)
    }
  })

  it('is sent again if a kept-alive connection was closed between two pages', async () => {
    const keepAlive = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const service = await serveRaw((socket, count) => {
      if (count === 1) socket.write(keepAlive('{"customers":[],"nextPageToken":"2"}'))
      else if (count === 2) socket.destroy()
      else socket.end(keepAlive('{"customers":[]}'))
    })
    const {code, out} = await run(freshHome(), [...list, '--all', '--json'], {env: service.env})
    expect({code, out: json(out)}).toEqual({code: 0, out: {customers: []}})
    expect(service.requests.map((head) => head.includes('pageToken=2'))).toEqual([false, true, true])
  })
})

describe('--timeout', () => {
  // Far below the 30 s that a request may take, and far above what a loaded machine needs.
  const endMs = 15_000

  it.each([
    ['that says nothing', () => serveRaw(() => {}), ['--timeout', '700ms'], '--timeout'],
    ['that drips its reply', serveDrip, ['--timeout', '700ms'], '--timeout'],
    [
      'that is slow',
      () => serveRaw(() => {}),
      ['--request-timeout', '1s', '--timeout', '3s'],
      'with --request-timeout',
    ],
    ['that asks to wait', answer(503, {'retry-after': '20'}), ['--timeout', '5s'], '20 s'],
  ])('ends a read of a service %s, and the message names what ended it', async (_, start, flags, says) => {
    const service = await start()
    const started = performance.now()
    const ended = await run(freshHome(), [...list, ...flags], {env: service.env})
    expectFailure(ended, 6)
    expect(ended.err).toContain(says)
    expect(ended.err.includes('--request-timeout')).toBe(says.includes('--request-timeout'))
    expect(performance.now() - started).toBeLessThan(endMs)
  })

  it('ends a list of many pages too', async () => {
    const service = await serve((_, response, count) => {
      time.advance(500)
      reply(response, 200, {customers: [], nextPageToken: String(count)})
    })
    const started = performance.now()
    expectFailure(await run(freshHome(), [...list, '--all', '--timeout', '6s'], {env: service.env}), 6)
    expect(performance.now() - started).toBeLessThan(6500)
    expect(service.requests.length).toBeGreaterThan(2)
  })
})

describe('the hint', () => {
  it('of an unknown outcome says how to see it: a quote can be sent again, an update names its customer', async () => {
    const failing = await answer(500)()
    const quote =
      `quotes create --customer ${customerId(1)} --amount 10 --from w1 --from-currency USDC --from-method BASE ` +
      '--to b1 --to-currency USD --to-method ACH --json'
    const quoted = await run(freshHome(), quote.split(' '), {env: failing.env})
    expect([quoted.code, json(quoted.err)['hint']]).toEqual([7, expect.stringMatching(/^Request it again: a quote/)])
    const {env} = await serve(({method}, response) => {
      if (method === 'GET') return reply(response, 200, customer(1, {customerStatus: 'CREATED'}))
      return response.writeHead(204).end()
    })
    const update = `customers update ${customerId(1)} --set kycData.legalFirstName=Ada --accept-warnings --quiet --json`
    const {code, err} = await run(freshHome(), update.split(' '), {env})
    expect([code, json(err)]).toEqual([
      7,
      expect.objectContaining({
        message: expect.stringContaining(`PATCH /customers/${customerId(1)} may or may not`) as string,
        hint: expect.stringContaining(`svc customers get ${customerId(1)}`) as string,
      }),
    ])
  })

  it.each([
    ['jsonl', 2, 0, 6, /partial, with 4 customers.*ontinue with `--page-token p3`/],
    ['csv', 2, 0, 6, /partial, with 4 customers.*ontinue with `--page-token p3`/],
    ['csv', 1, 401, 4, /Log in again .*, then continue with `--page-token p2`\./],
    ['jsonl', 1, 400, 6, /refused its own page token/],
  ])(
    'of a list as %s that fails after %i pages with %i says how much was printed, and from where to continue',
    async (format, pages, end, exitCode, says) => {
      const {env} = await serve(({query}, response) => {
        const at = Number(query.get('pageToken')?.slice(1) ?? 1)
        if (at <= pages)
          return reply(response, 200, {customers: [customer(at), customer(100)], nextPageToken: `p${at + 1}`})
        return end === 0 ? response.destroy() : reply(response, end, refusal)
      })
      const {code, out, err} = await run(freshHome(), [...list, '--all', '-o', format], {env})
      expect([code, out.trimEnd().split('\n').length]).toEqual([exitCode, 2 * pages + (format === 'csv' ? 1 : 0)])
      expect(err).toMatch(says)
    },
  )
})

// A program that writes at its end what it has used. The peak of getrusage also counts the process that started it. Node can hang
// in process.exit while V8 compiles in another thread and the heap is full (nodejs/node#54918), so nothing is compiled there.
const createMeasurement = (file: string) => `
  const fs = require('node:fs')
  const {setFlagsFromString} = require('node:v8')
  for (const flag of ['concurrent-recompilation', 'concurrent-sparkplug', 'maglev']) setFlagsFromString('--no-' + flag)
  process.on('exit', () => {
    const {userCPUTime, systemCPUTime, maxRSS} = process.resourceUsage()
    const peak = process.platform === 'linux' && /VmHWM:\\s+(\\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))?.[1]
    const usage = {cpuMicroseconds: userCPUTime + systemCPUTime, peakKilobytes: Number(peak || maxRSS)}
    fs.writeFileSync(${JSON.stringify(file)}, JSON.stringify(usage))
  })`

describe('a reply that is too large', () => {
  const zeros = Buffer.alloc(1024 * 1024)

  // The reply never ends, so that it can only be rejected while it is being decompressed.
  it.each([
    ['gzip', () => zlib.createGzip({level: 1})],
    ['br', () => zlib.createBrotliCompress({params: {[zlib.constants.BROTLI_PARAM_QUALITY]: 1}})],
  ])('after decompressing %s is rejected at once, in little memory, and not retried', async (encoding, compress) => {
    const service = await serve((_, response) => {
      response.writeHead(200, {'content-encoding': encoding})
      const endless = Readable.from(
        (function* () {
          for (;;) yield zeros
        })(),
      )
      pipeline(endless, compress(), response, () => {})
    })
    const home = freshHome()
    const [measure, usageFile] = ['measure.cjs', 'usage.json'].map((name) => path.join(home.folder, name)) as [
      string,
      string,
    ]
    fs.writeFileSync(measure, createMeasurement(usageFile))
    const env = {...service.env, NODE_OPTIONS: `--max-old-space-size=64 --require ${measure}`}
    const ended = await run(home, list, {env})
    expectFailure(ended, 6)
    expect(ended.err).toContain('a reply that is too large to read')
    expect(service.requests).toHaveLength(1)
    const usage = JSON.parse(fs.readFileSync(usageFile, 'utf8')) as {cpuMicroseconds: number; peakKilobytes: number}
    expect(usage.cpuMicroseconds / 1000).toBeLessThan(5000)
    expect(usage.peakKilobytes).toBeLessThan(256 * 1024)
  })

  it('is rejected while it is still being received', async () => {
    let sent = 0
    const service = await serve((_, response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write(zeros)) sent++
      }
      response.on('drain', more)
      more()
    })
    expect(await captureError(createTestClient(service.url).customers.list())).toMatchObject({exitCode: 6})
    expect(sent).toBeLessThan(96)
    expect(service.requests).toHaveLength(1)
  })
})
