// Receives events over HTTP: bytes, signature, store, 204. What is shown and forwarded comes after that.
import http from 'node:http'
import {stripQuery} from '../values/urls.ts'
import {type LocalReply, serveLocal} from '../web/serve.ts'
import {parseEvent} from './event.ts'
import {type ReceivedEvent, toHeaders} from './record.ts'
import type {EventHeaders, SignatureCheck} from './signature.ts'

// An event holds a customer without documents, which is a few kilobytes. The server limits how many can be read at once.
const bodyBytesMax = 1024 * 1024

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
  const pathname = stripQuery(target)
  return path === '/' || pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}

// The reasons to reject a request before its body is read.
function checkHead({method, url = '/', headers}: http.IncomingMessage, path: string): Rejection | undefined {
  if (!isBelow(url, path)) return {status: 404, reason: `nothing listens at ${stripQuery(url)}`}
  if (method !== 'POST') return {status: 405, reason: `events come by POST, not ${method}`}
  // Senders of webhooks set no Origin, but any page in a browser on this machine could submit a form to us.
  if (headers.origin !== undefined) return {status: 403, reason: 'it comes from a page in a browser'}
  if (Number(headers['content-length'] ?? 0) > bodyBytesMax) return tooLarge
  return undefined
}

const tooLarge: Rejection = {status: 413, reason: 'its body is larger than 1 MiB'}
const tooMuch: Rejection = {status: 503, reason: 'more events arrive than can be processed'}
const notStored: Rejection = {status: 503, reason: 'it could not be stored'}

const toReply = ({status, reason}: Rejection): LocalReply => ({
  status,
  headers: {
    'content-type': 'application/json',
    ...(status === 405 && {allow: 'POST'}),
    ...(status === 503 && {'retry-after': '1'}),
  },
  text: JSON.stringify({error: http.STATUS_CODES[status]?.toUpperCase().replaceAll(/\W+/g, '_'), message: reason}),
})

async function readBody(request: http.IncomingMessage): Promise<Buffer | Rejection> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({destroyOnReturn: false}) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > bodyBytesMax) return tooLarge
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const {host, port, path, verify, isBehind, storeEvent, onRejected} = options

  // Undefined if the event was stored.
  async function receive(request: http.IncomingMessage): Promise<Rejection | undefined> {
    const early = checkHead(request, path) ?? (isBehind() ? tooMuch : undefined)
    if (early) return early
    const body = await readBody(request)
    if (!Buffer.isBuffer(body)) return body
    const {rawHeaders} = request
    const check = verify(toHeaders(rawHeaders), body)
    if (check && !check.verified) return {status: 401, reason: check.reason}
    // A validly signed event is stored whatever it holds.
    if (!check && !parseEvent(body)) return {status: 400, reason: 'its body is not a JSON object'}
    const isStored = await storeEvent({rawHeaders, body, receivedAt: Date.now(), verified: check !== undefined})
    return isStored ? undefined : notStored
  }

  const server = await serveLocal({
    host,
    port,
    anyHost: true,
    handle: async (request) => {
      const rejection = await receive(request)
      if (!rejection) return {status: 204}
      // A reader that is already behind gets no more lines.
      if (!isBehind()) onRejected(rejection)
      return toReply(rejection)
    },
  })
  return {url: server.origin + path, stop: () => server.stop()}
}
