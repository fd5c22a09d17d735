// The receiver: an HTTP server that answers 2xx only when an event is stored, and says no quickly where it must.
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import {badUsage, getSystemCode} from '../errors.ts'
import {parseEvent} from './event.ts'
import {type ReceivedEvent, toHeaders} from './record.ts'
import type {WebhookSecrets} from './signature.ts'

const mebibyte = 1024 * 1024
// An event is a customer without documents: a few kilobytes.
const bodyBytesMax = 10 * mebibyte
// Of all bodies together that are being read or wait for the disk.
const bodiesBytesMax = 64 * mebibyte
const connectionsMax = 512
const requestMsMax = 10_000
// How long requests under way may take when the listener is told to stop.
const stopGraceMs = 5_000

export interface Rejection {
  status: number
  reason: string
}

export interface ReceiverOptions {
  host: string
  port: number
  // This path and everything below it.
  path: string
  secrets: WebhookSecrets | undefined
  // Whether whoever reads our output has fallen too far behind.
  isBehind: () => boolean
  // Resolves when it is on the disk; false says that it could not be stored.
  storeEvent: (arrival: ReceivedEvent) => Promise<boolean>
  onRejected: (refusal: Rejection) => void
}

export interface Receiver {
  url: string
  stop(): Promise<void>
}

const isBelow = (target: string, path: string) => {
  const pathname = target.replace(/[?#].*$/, '')
  return path === '/' || pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}

// What can be said before the body is read.
function checkHead({method, url = '/', headers}: http.IncomingMessage, path: string): Rejection | undefined {
  if (!isBelow(url, path)) return {status: 404, reason: `nothing listens at ${url.replace(/[?#].*$/, '')}`}
  if (method !== 'POST') return {status: 405, reason: `events come by POST, not ${method}`}
  // No sender of webhooks has an origin, but any page in a browser on this machine could send us a form.
  if (headers.origin !== undefined) return {status: 403, reason: 'it comes from a page in a browser'}
  if (Number(headers['content-length'] ?? 0) > bodyBytesMax) return tooLarge
  return undefined
}

const tooLarge: Rejection = {status: 413, reason: `its body is larger than ${bodyBytesMax / mebibyte} MiB`}
const tooMuch: Rejection = {status: 503, reason: 'more arrives than can be taken'}
const notStored: Rejection = {status: 503, reason: 'it could not be stored'}

function sendRejection(response: http.ServerResponse, {status, reason}: Rejection, isRead: boolean) {
  const body = JSON.stringify({
    error: http.STATUS_CODES[status]?.toUpperCase().replaceAll(/\W+/g, '_'),
    message: reason,
  })
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(status === 405 && {allow: 'POST'}),
    ...(status === 503 && {'retry-after': '1'}),
    // What was not read to its end stands in the way of the next request.
    ...(!isRead && {connection: 'close'}),
  })
  response.end(body)
}

export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const {host, port, path, secrets, isBehind, storeEvent: store, onRejected: refused} = options
  let bytesHeld = 0

  function onRequest(request: http.IncomingMessage, response: http.ServerResponse) {
    const chunks: Buffer[] = []
    let size = 0
    let isOver = false
    const end = (refusal?: Rejection, isRead = true) => {
      if (isOver) return
      isOver = true
      bytesHeld -= size
      // A reader that is behind already is not given more to read.
      if (refusal && !isBehind()) refused(refusal)
      if (response.destroyed) return
      if (refusal) sendRejection(response, refusal, isRead)
      else response.writeHead(204).end()
    }
    const early = checkHead(request, path) ?? (isBehind() ? tooMuch : undefined)
    if (early) {
      request.resume()
      return end(early, false)
    }
    request.on('data', (chunk: Buffer) => {
      if (isOver) return
      size += chunk.length
      bytesHeld += chunk.length
      if (size > bodyBytesMax) end(tooLarge, false)
      else if (bytesHeld > bodiesBytesMax) end(tooMuch, false)
      else chunks.push(chunk)
    })
    request.on('close', () => {
      // Broken off in the middle: whoever sent it knows that it was not answered.
      if (request.complete || isOver) return
      isOver = true
      bytesHeld -= size
    })
    request.on('error', () => {})
    request.on('end', () => {
      if (!isOver) void acceptEvent(request, Buffer.concat(chunks)).then(end)
    })
  }

  async function acceptEvent({rawHeaders}: http.IncomingMessage, body: Buffer): Promise<Rejection | undefined> {
    const verdict = secrets?.verify(toHeaders(rawHeaders), body)
    if (verdict && !verdict.verified) return {status: 401, reason: verdict.reason}
    // What a known sender has signed is kept, whatever it is.
    if (!verdict && !parseEvent(body)) return {status: 400, reason: 'its body is no JSON object'}
    const isStored = await store({rawHeaders, body, receivedAt: Date.now(), verified: verdict !== undefined})
    return isStored ? undefined : notStored
  }

  const server = http.createServer(
    {requestTimeout: requestMsMax, headersTimeout: requestMsMax},
    (request, response) => {
      response.on('error', () => {})
      onRequest(request, response)
    },
  )
  server.maxConnections = connectionsMax
  const address = await listen(server, host, port)
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}${path}`,
    stop: () => close(server),
  }
}

function listen(server: http.Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const code = getSystemCode(cause)
      const why = code === 'EADDRINUSE' ? 'is taken' : `cannot be listened on (${code ?? 'unknown'})`
      reject(badUsage(`Port ${port} of ${host} ${why}`, 'Choose another with --port; 0 picks a free one', cause))
    })
    server.listen({port, host, exclusive: true}, () => {
      server.removeAllListeners('error')
      resolve(server.address() as AddressInfo)
    })
  })
}

// What is being stored is stored and answered first.
function close(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => server.closeAllConnections(), stopGraceMs)
    server.close(() => {
      clearTimeout(limit)
      resolve()
    })
    server.closeIdleConnections()
  })
}
