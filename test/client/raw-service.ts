// Test services that send raw bytes or use TLS, a proxy, and a client in the test's own process.
import http from 'node:http'
import https from 'node:https'
import net, {type AddressInfo, type Socket} from 'node:net'
import {expect, onTestFinished} from 'vitest'
import {type ClientOptions, createClient} from '../../src/client/client.ts'
import {createWireFetch} from '../../src/client/http.ts'
import {SvcError} from '../../src/errors.ts'
import {type RunResult, json} from '../support/svc.ts'
import type {Authority} from './certificates.ts'

const listen = (server: net.Server) =>
  new Promise<number>((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)))

export const environmentFor = (url: string) => ({SVC_BASE_URL: url, SVC_API_KEY: 'test-key'})

export interface RawService {
  url: string
  env: Record<string, string>
  // The full text of each request.
  requests: string[]
}

// A server that answers every request with these bytes, or lets the test handle the socket.
export async function serveRaw(
  answer: string | Buffer | ((socket: Socket, count: number) => void),
): Promise<RawService> {
  const requests: string[] = []
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      requests.push(chunk.toString())
      if (typeof answer === 'function') answer(socket, requests.length)
      else socket.end(answer)
    })
    onTestFinished(() => void socket.destroy())
  })
  const port = await listen(server)
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${port}`
  return {url, env: environmentFor(url), requests}
}

export const rawReply = (body: string | Buffer, headers: readonly string[] = [], status = '200 OK') =>
  Buffer.concat([
    Buffer.from(
      [
        `HTTP/1.1 ${status}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Connection: close',
        ...headers,
        '',
        '',
      ].join('\r\n'),
    ),
    Buffer.from(body),
  ])

// An address at which nothing listens. The port is a reserved one: a port that was free a moment ago may be given to the server of
// another test at any time.
export const closedAddress = 'http://127.0.0.1:9'

export const createTestClient = (baseUrl: string, more: Partial<ClientOptions> = {}) =>
  createClient({
    baseUrl,
    fetch: createWireFetch(),
    credential: async () => 'test-key',
    renewable: false,
    callerLabel: 'a test',
    gate: {enforce: () => {}},
    userAgent: 'svc/test',
    requestTimeoutMs: 5000,
    ...more,
  })

// The error of a rejected promise; a fulfilled one fails the test.
export async function captureError(promise: Promise<unknown>): Promise<SvcError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(SvcError)
  return error as SvcError
}

// Every failure has this code, nothing on standard output, one line on standard error, and no stack trace.
export function expectFailure({code, out, err}: RunResult, exitCode: number): void {
  expect({code, out, err}).toMatchObject({code: exitCode, out: ''})
  expect(err.trimEnd().split('\n')).toHaveLength(1)
  expect(err).not.toMatch(/^ {4}at /m)
}

// The same for --json; returns the parsed error line.
export function errorLine(ended: RunResult, exitCode: number): Record<string, unknown> {
  expectFailure(ended, exitCode)
  return json(ended.err)
}

export interface SecureService extends RawService {
  port: number
  authorizations: Array<string | undefined>
}

export async function serveSecurely({key, cert}: Authority, body: unknown = {ok: true}): Promise<SecureService> {
  const requests: string[] = []
  const authorizations: Array<string | undefined> = []
  const server = https.createServer({key, cert}, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    authorizations.push(request.headers.authorization)
    response.writeHead(200, {'content-type': 'application/json'}).end(JSON.stringify(body))
  })
  server.on('tlsClientError', () => {})
  const port = await listen(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `https://127.0.0.1:${port}`
  return {url, port, env: environmentFor(url), requests, authorizations}
}

export interface Proxy {
  url: string
  // The CONNECT requests, other requests, and every byte that went through.
  connects: string[]
  requests: string[]
  readTraffic: () => string
}

// A proxy that opens tunnels, or answers CONNECT with this status.
export async function startProxy(status = 200): Promise<Proxy> {
  const connects: string[] = []
  const requests: string[] = []
  let traffic = ''
  const server = http.createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.writeHead(502).end()
  })
  server.on('connect', (request, socket: Socket) => {
    connects.push(`${request.url} ${JSON.stringify(request.headers)}`)
    socket.on('error', () => {})
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
      return
    }
    const [host, port] = (request.url ?? '').split(':')
    const upstream = net.connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.on('data', (chunk: Buffer) => (traffic += chunk.toString('latin1')))
      socket.pipe(upstream).pipe(socket)
    })
    upstream.on('error', () => socket.destroy())
    onTestFinished(() => void upstream.destroy())
  })
  const port = await listen(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {url: `http://127.0.0.1:${port}`, connects, requests, readTraffic: () => traffic}
}
