// Which replies can be read, and how those that cannot be read are reported.
import fs from 'node:fs'
import path from 'node:path'
import {Readable, pipeline} from 'node:stream'
import zlib from 'node:zlib'
import {describe, expect, it} from 'vitest'
import {customer, reply, serve} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'
import {createTestClient, errorLine, expectFailure, captureError, rawReply, serveRaw} from './raw-service.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

const time = useVirtualTime()

const list = ['customers', 'list']
const page = JSON.stringify({customers: [customer(1, {name: 'Zoë 🦊'})]})

async function readPage(bytes: string | Buffer) {
  const service = await serveRaw(bytes)
  const {code, out, err} = await run(freshHome(), [...list, '--json'], {env: service.env})
  return {code, err, name: code === 0 ? (JSON.parse(out) as {customers: [{name: string}]}).customers[0].name : out}
}

describe('a reply', () => {
  it.each([
    ['in gzip', zlib.gzipSync(page), ['Content-Encoding: gzip']],
    ['in x-gzip, in capitals', zlib.gzipSync(page), ['Content-Encoding: X-GZIP']],
    ['in brotli', zlib.brotliCompressSync(page), ['Content-Encoding: br']],
    ['in deflate', zlib.deflateSync(page), ['Content-Encoding: deflate']],
    ['with an identity encoding', page, ['Content-Encoding: identity']],
    ['with an empty encoding', page, ['Content-Encoding: ']],
    ['with a byte order mark', `\u{feff}${page}`, []],
    ['called text/plain', page, ['Content-Type: text/plain']],
    ['called text/html', page, ['Content-Type: text/html']],
    ['that claims to be in Latin-1', page, ['Content-Type: application/json; charset=latin1']],
    [
      'with headers twice',
      page,
      ['Content-Type: a/b', 'Content-Type: c/d', 'Retry-After: 1', 'Retry-After: 2', 'X: 1', 'X: 2'],
    ],
    ['with blanks around the JSON', `\r\n\t ${page}\n\n`, []],
  ])('%s is read', async (_, body, headers) => {
    expect(await readPage(rawReply(body, headers))).toEqual({code: 0, err: '', name: 'Zoë 🦊'})
  })

  it('is read after several provisional replies', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'
    expect(await readPage(Buffer.concat([Buffer.from(early), rawReply(page)]))).toMatchObject({code: 0, name: 'Zoë 🦊'})
  })

  it('is read if it comes in single bytes that split a character', async () => {
    const service = await serve((_, response) => {
      response.writeHead(200)
      for (const byte of Buffer.from(page)) response.write(Buffer.of(byte))
      response.end()
    })
    expect(await createTestClient(service.url).customers.list()).toMatchObject({customers: [{name: 'Zoë 🦊'}]})
  })

  it('is read until the connection closes if it has no length', async () => {
    expect(await readPage(`HTTP/1.1 200 OK\r\n\r\n${page}`)).toMatchObject({code: 0, name: 'Zoë 🦊'})
  })

  it('with status 204 is empty, even if it names an encoding', async () => {
    const service = await serveRaw('HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n')
    const ended = await run(freshHome(), ['api', 'DELETE', '/x'], {env: service.env})
    expect(ended).toEqual({code: 0, out: '', err: ''})
  })
})

describe('a reply that cannot be read', () => {
  it.each([
    ['half a JSON', rawReply('{"customers": [{"a"'), 'not valid JSON'],
    ['a web page', rawReply('<!doctype html><h1>Welcome</h1>', ['Content-Type: text/html']), 'a web page'],
    ['nothing', rawReply(''), 'an empty body'],
    ['nothing, in gzip', rawReply('', ['Content-Encoding: gzip']), 'an empty body'],
    ['a 204', 'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n', '204 with an empty body'],
    ['a 205', rawReply('', [], '205 Reset'), '205 with an empty body'],
    ['a 304', 'HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n', '304'],
    ['null', rawReply('null'), 'not an object'],
    ['a list of something else', rawReply('[1]'), 'not an object'],
    ['a number', rawReply('1.10'), 'not an object'],
    ['a text', rawReply('"hello"'), 'not an object'],
    ['an object without the list', rawReply('{"errors":[]}'), 'no list of customers'],
    ['a list of something else in an object', rawReply('{"items":[{"name":"x"}]}'), 'no list of customers'],
    ['null for the list', rawReply('{"customers":null}'), 'no list of customers'],
    ['a list of no objects', rawReply('{"customers":[null, 1, "x", [], 1.10]}'), 'customers that are not objects'],
    ['an unknown encoding', rawReply(page, ['Content-Encoding: zstd-42']), 'encoded its reply'],
    ['two encodings', rawReply(page, ['Content-Encoding: gzip, br']), 'encoded its reply'],
    ['UTF-16', rawReply(Buffer.from(page, 'utf16le')), 'not valid JSON'],
  ])('because it is %s is reported in one sentence and not retried', async (_, bytes, words) => {
    const service = await serveRaw(bytes)
    const ended = await run(freshHome(), list, {env: service.env})
    expectFailure(ended, 6)
    expect(ended.err).toContain(words)
    expect(service.requests).toHaveLength(1)
  })

  it.each([
    ['shorter than it says', 'HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{"customers":', 'closed the connection'],
    [
      'broken off between chunks',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{"cu\r\n',
      'closed the connection',
    ],
    ['in chunks of garbage', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n', 'not HTTP'],
    ['no HTTP at all', '{"customers":[]}', 'not HTTP'],
    ['behind an endless header', rawReply(page, [`X: ${'y'.repeat(100_000)}`]), 'not HTTP'],
    ['not the gzip it says it is', rawReply(page, ['Content-Encoding: gzip']), 'damaged'],
    ['half a gzip', rawReply(zlib.gzipSync(page).subarray(0, 50), ['Content-Encoding: gzip']), 'damaged'],
    ['half a brotli', rawReply(zlib.brotliCompressSync(page).subarray(0, 50), ['Content-Encoding: br']), 'damaged'],
    ['another protocol', 'HTTP/1.1 101 Up\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', 'another protocol'],
  ])('because it is %s is retried, then reported in one sentence', async (_, bytes, words) => {
    const service = await serveRaw(bytes)
    const failure = await captureError(createTestClient(service.url).customers.list())
    expect(failure).toMatchObject({error: 'UNREACHABLE', exitCode: 6})
    expect(failure.message).toContain(words)
    expect(service.requests).toHaveLength(4)
  })

  it('because the connection was closed is one line of JSON for the command', async () => {
    const service = await serveRaw('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{"customers":')
    expect(errorLine(await run(freshHome(), [...list, '--json'], {env: service.env}), 6)['message']).toContain(
      'closed the connection',
    )
  })

  it('because a load balancer answered 502 with a web page is retried, then reported in one sentence', async () => {
    const service = await serve((_, response) =>
      reply(response, 502, '<html><h1>Bad\nGateway</h1></html>', {'content-type': 'text/html', 'retry-after': '0'}),
    )
    const ended = await run(freshHome(), list, {env: service.env})
    expectFailure(ended, 6)
    expect(ended.err).toContain('502')
    expect(ended.err).not.toContain('<')
    expect(service.requests).toHaveLength(4)
  })

  it('because its error has another form is reported with its status', async () => {
    const body = {error: {code: 1}, message: ['a'], statusCode: 'x'}
    const service = await serve((_, response) => reply(response, 422, body))
    const line = errorLine(await run(freshHome(), [...list, '--json'], {env: service.env}), 3)
    expect(line).toMatchObject({error: 'HTTP_422', statusCode: 422})
    expect(line).toMatchObject({message: 'The service refused the request (422).'})
  })

  it('cannot control a terminal with its error message', async () => {
    const body = {error: 'A\u{1b}[31mB', message: 'one\ntwo\u{1b}]0;title\u{7}\u{202e}three', statusCode: 400}
    const service = await serve((_, response) => reply(response, 400, body))
    const ended = await run(freshHome(), list, {env: service.env})
    expectFailure(ended, 3)
    expect(ended.err.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(ended.err).toContain('one two')
  })
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
    const measure = path.join(home.folder, 'measure.cjs')
    const usageFile = path.join(home.folder, 'usage.json')
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

describe('a slow service', () => {
  const drip = () =>
    serve((_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(timer))
    })

  it.each([
    ['says nothing', () => serveRaw(() => {})],
    ['drips its reply', drip],
  ])('that %s is given up after --request-timeout, four times', async (_, make) => {
    const service = await make()
    const started = performance.now()
    const ended = await run(freshHome(), [...list, '--request-timeout', '200ms'], {env: service.env})
    expectFailure(ended, 6)
    expect(ended.err).toContain('--request-timeout')
    expect(service.requests).toHaveLength(4)
    // Far below the 30 s that a request may take, and far above what a loaded machine needs.
    expect(performance.now() - started).toBeLessThan(15_000)
  })

  it.each([
    ['says nothing', () => serveRaw(() => {})],
    ['drips its reply', drip],
  ])('that %s is given up after --timeout in all, and the message names the flag', async (_, make) => {
    const service = await make()
    const started = performance.now()
    const ended = await run(freshHome(), [...list, '--timeout', '700ms'], {env: service.env})
    const elapsed = performance.now() - started
    expectFailure(ended, 6)
    expect(ended.err).toContain('--timeout')
    expect(ended.err).not.toContain('--request-timeout')
    expect(elapsed).toBeGreaterThan(650)
    // Far below the 30 s that a request may take, and far above what a loaded machine needs.
    expect(elapsed).toBeLessThan(15_000)
  })

  it('with many pages is stopped by --timeout too', async () => {
    const service = await serve((_, response, count) => {
      time.advance(500)
      reply(response, 200, {customers: [], nextPageToken: String(count)})
    })
    const started = performance.now()
    const ended = await run(freshHome(), [...list, '--all', '--timeout', '6s'], {env: service.env})
    expectFailure(ended, 6)
    expect(performance.now() - started).toBeLessThan(6500)
    expect(service.requests.length).toBeGreaterThan(2)
  })
})
