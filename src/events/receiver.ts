// The HTTP server that receives events. It replies 2xx only after an event was stored.
import http from 'node:http'
import type {AddressInfo, Socket} from 'node:net'
import {badUsage, getSystemCode} from '../errors.ts'
import {parseEvent} from './event.ts'
import {type ReceivedEvent, toHeaders} from './record.ts'
import type {EventHeaders, SignatureCheck} from './signature.ts'
import {closeServer} from '../web/serve.ts'

const mebibyte = 1024 * 1024
// An event holds a customer without documents, which is a few kilobytes.
const bodyBytesMax = 10 * mebibyte
// For all bodies together that are being read or stored.
const bodiesBytesMax = 64 * mebibyte
const connectionsMax = 512
const requestMsMax = 10_000

export interface Rejection {
  status: number
  reason: string
}

export interface ReceiverOptions {
  host: string
  port: number
  // This path and everything below it.
  path: string
  // Undefined if nothing is verified.
  verify: (headers: EventHeaders, body: Buffer) => SignatureCheck | undefined
  // Whether the reader of our output has fallen too far behind.
  isBehind: () => boolean
  // Resolves to true when the event is on disk, and to false if it could not be stored.
  storeEvent: (received: ReceivedEvent) => Promise<boolean>
  onRejected: (rejection: Rejection) => void
}

export interface Receiver {
  url: string
  stop(): Promise<void>
}

const isBelow = (target: string, path: string) => {
  const pathname = target.replace(/[?#].*$/, '')
  return path === '/' || pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}

// The reasons to reject a request before its body is read.
function checkHead({method, url = '/', headers}: http.IncomingMessage, path: string): Rejection | undefined {
  if (!isBelow(url, path)) return {status: 404, reason: `nothing listens at ${url.replace(/[?#].*$/, '')}`}
  if (method !== 'POST') return {status: 405, reason: `events come by POST, not ${method}`}
  // Senders of webhooks set no Origin, but any page in a browser on this machine could submit a form to us.
  if (headers.origin !== undefined) return {status: 403, reason: 'it comes from a page in a browser'}
  if (Number(headers['content-length'] ?? 0) > bodyBytesMax) return tooLarge
  return undefined
}

const tooLarge: Rejection = {status: 413, reason: `its body is larger than ${bodyBytesMax / mebibyte} MiB`}
const tooMuch: Rejection = {status: 503, reason: 'more events arrive than can be processed'}
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
    // The unread rest of the body would be taken for the next request on this connection.
    ...(!isRead && {connection: 'close'}),
  })
  response.end(body)
}

// Limits the connections. The oldest one without a complete request is closed for a new one, so that whoever opens
// connections and sends nothing on them keeps nobody out.
class OpenConnections {
  readonly #idle = new Set<Socket>()
  readonly #held = new Set<Socket>()

  add(socket: Socket): void {
    this.#idle.add(socket)
    socket.once('close', () => {
      this.#idle.delete(socket)
      this.#held.delete(socket)
    })
    if (this.#idle.size + this.#held.size <= connectionsMax) return
    const [oldest] = this.#idle
    oldest?.destroy()
  }

  // While an event is stored, its connection stays.
  hold(socket: Socket): void {
    if (this.#idle.delete(socket)) this.#held.add(socket)
  }

  release(socket: Socket): void {
    if (this.#held.delete(socket)) this.#idle.add(socket)
  }
}

// The body of one request, while it is in memory.
interface HeldBody {
  request: http.IncomingMessage
  chunks: Buffer[]
  size: number
  isReleased: boolean
}

// Limits what all bodies hold together. Bodies that do not end make room for those that do, the oldest first. Their senders
// get no reply, so they send again.
class HeldBodies {
  readonly #arriving = new Set<HeldBody>()
  #bytes = 0

  start(request: http.IncomingMessage): HeldBody {
    const body: HeldBody = {request, chunks: [], size: 0, isReleased: false}
    this.#arriving.add(body)
    return body
  }

  // Returns why the body is not read any further.
  add(body: HeldBody, chunk: Buffer): Rejection | undefined {
    body.size += chunk.length
    this.#bytes += chunk.length
    if (body.size > bodyBytesMax) return tooLarge
    body.chunks.push(chunk)
    for (const oldest of this.#arriving) {
      if (this.#bytes <= bodiesBytesMax) break
      if (oldest === body) return tooMuch
      this.release(oldest)
      oldest.request.destroy()
    }
    return undefined
  }

  // A body that has arrived makes no room for others.
  complete(body: HeldBody): void {
    this.#arriving.delete(body)
  }

  // Returns false if it was released before.
  release(body: HeldBody): boolean {
    this.#arriving.delete(body)
    if (body.isReleased) return false
    body.isReleased = true
    this.#bytes -= body.size
    return true
  }
}

// Undefined if the event was stored.
async function acceptEvent(
  {verify, storeEvent}: ReceiverOptions,
  {rawHeaders}: http.IncomingMessage,
  body: Buffer,
): Promise<Rejection | undefined> {
  const check = verify(toHeaders(rawHeaders), body)
  if (check && !check.verified) return {status: 401, reason: check.reason}
  // A validly signed event is stored whatever it holds.
  if (!check && !parseEvent(body)) return {status: 400, reason: 'its body is not a JSON object'}
  const isStored = await storeEvent({rawHeaders, body, receivedAt: Date.now(), verified: check !== undefined})
  return isStored ? undefined : notStored
}

function createRequestListener(options: ReceiverOptions, connections: OpenConnections): http.RequestListener {
  const {path, isBehind, onRejected} = options
  const bodies = new HeldBodies()

  function answer(response: http.ServerResponse, rejection: Rejection | undefined, isRead: boolean) {
    // A reader that is already behind gets no more lines.
    if (rejection && !isBehind()) onRejected(rejection)
    if (response.destroyed) return
    if (rejection) sendRejection(response, rejection, isRead)
    else response.writeHead(204).end()
  }

  return (request, response) => {
    response.on('error', () => {})
    const early = checkHead(request, path) ?? (isBehind() ? tooMuch : undefined)
    if (early) {
      request.resume()
      return answer(response, early, false)
    }
    const body = bodies.start(request)
    const end = (rejection: Rejection | undefined, isRead: boolean) => {
      if (bodies.release(body)) answer(response, rejection, isRead)
    }
    request.on('data', (chunk: Buffer) => {
      const rejection = body.isReleased ? undefined : bodies.add(body, chunk)
      if (rejection) end(rejection, false)
    })
    request.on('close', () => {
      // If the connection broke in the middle of the body, the sender got no reply and will send again.
      if (request.complete) bodies.complete(body)
      else bodies.release(body)
    })
    request.on('error', () => {})
    request.on('end', () => {
      bodies.complete(body)
      if (body.isReleased) return
      connections.hold(request.socket)
      void acceptEvent(options, request, Buffer.concat(body.chunks))
        .finally(() => connections.release(request.socket))
        .then((rejection) => end(rejection, true))
    })
  }
}

export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const {host, port, path} = options
  const connections = new OpenConnections()
  const server = http.createServer(
    {requestTimeout: requestMsMax, headersTimeout: requestMsMax},
    createRequestListener(options, connections),
  )
  server.on('connection', (socket) => connections.add(socket))
  const address = await listen(server, host, port)
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}${path}`,
    stop: () => closeServer(server),
  }
}

function listen(server: http.Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const code = getSystemCode(cause)
      const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${code ?? 'unknown'})`
      reject(badUsage(`Port ${port} of ${host} ${why}`, 'Choose another with --port; 0 picks a free one', cause))
    })
    server.listen({port, host, exclusive: true}, () => {
      server.removeAllListeners('error')
      resolve(server.address() as AddressInfo)
    })
  })
}
