// Serves HTTP on this machine: the console, the page that asks for a yes, the receiver of events, and the metrics of a worker.
import {randomBytes} from 'node:crypto'
import http from 'node:http'
import type {AddressInfo, Socket} from 'node:net'
import {badUsage, getSystemCode} from '../errors.ts'
import {isLoopbackHost, isLoopbackUrl} from '../values/urls.ts'

export const loopback = '127.0.0.1'
const tokenBytes = 24
const stopGraceMs = 5_000
const connectionsMax = 512
const requestMsMax = 10_000

export const createToken = (): string => randomBytes(tokenBytes).toString('base64url')

export interface LocalReply {
  status: number
  headers?: Readonly<Record<string, string>>
  text?: string
}

interface LocalServerOptions {
  host?: string
  // 0 picks a free one.
  port: number
  // Whether requests may come through a tunnel, with the name of another host. Otherwise a web page whose name resolves to this
  // machine would be answered, which sends that name.
  anyHost?: boolean
  // The flag that names another port.
  flag?: string
  // Returns the reply, or a function that writes it.
  handle: (
    request: http.IncomingMessage,
    origin: string,
  ) => Promise<LocalReply | ((response: http.ServerResponse) => void)>
  // How long requests in progress may take after the server was asked to stop.
  graceMs?: number
  // Called with errors of svc itself. The connection is closed without an answer.
  onFault?: (error: unknown) => void
}

export interface LocalServer {
  // Such as http://127.0.0.1:4020
  origin: string
  stop(): Promise<void>
  // Lets the process end although the server runs.
  unref(): void
}

const otherHost: LocalReply = {status: 403, text: 'This is for this machine only.\n'}

export async function serveLocal(options: LocalServerOptions): Promise<LocalServer> {
  const {host = loopback, port, anyHost = !isLoopbackHost(host), flag = '--port', handle, graceMs, onFault} = options
  const server = http.createServer({requestTimeout: requestMsMax, headersTimeout: requestMsMax})
  limitConnections(server)
  const bound = await listen(server, port, host).catch((cause: unknown) => {
    const code = getSystemCode(cause)
    const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${code ?? 'unknown'})`
    throw badUsage(`Port ${port} of ${host} ${why}`, `Choose another with ${flag}; 0 picks a free one`, cause)
  })
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`
  server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
    response.on('error', () => {})
    const isOwn = anyHost || isLoopbackUrl(`http://${request.headers.host}`)
    const replying = isOwn ? handle(request, origin) : Promise.resolve(otherHost)
    replying
      .then((reply) => (typeof reply === 'function' ? reply(response) : sendReply(request, response, reply)))
      .catch((error: unknown) => {
        if (!request.destroyed) onFault?.(error)
        response.destroy()
      })
  })
  return {origin, stop: () => closeServer(server, graceMs), unref: () => void server.unref()}
}

function sendReply(request: http.IncomingMessage, response: http.ServerResponse, reply: LocalReply): void {
  const {status, headers = {}, text = ''} = reply
  const length = status === 204 ? {} : {'content-length': Buffer.byteLength(text)}
  // The unread rest of a body would be taken for the next request on this connection.
  const connection = request.complete ? {} : {connection: 'close'}
  response.writeHead(status, {...headers, ...length, ...connection})
  response.end(request.method === 'HEAD' ? undefined : text)
  request.resume()
}

// The oldest connection without a complete request is closed for a new one, so that whoever opens connections and sends nothing on
// them keeps nobody out. A connection whose request is being answered stays.
function limitConnections(server: http.Server): void {
  const waiting = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    waiting.add(socket)
    socket.once('close', () => waiting.delete(socket))
    const [oldest] = waiting
    if (waiting.size > connectionsMax) oldest?.destroy()
  })
  server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
    const {socket, headers} = request
    const onComplete = () => waiting.delete(socket)
    // The end of a request is only announced to whoever reads its body.
    if (hasBody(headers)) request.once('end', onComplete)
    else onComplete()
    response.once('finish', () => {
      request.off('end', onComplete)
      if (!socket.destroyed) waiting.add(socket)
    })
  })
}

const hasBody = (headers: http.IncomingHttpHeaders) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

function listen(server: http.Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({port, host, exclusive: true}, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

// Idle connections are closed at once. The others are answered first, unless that takes longer than the grace period.
function closeServer(server: http.Server, graceMs = stopGraceMs): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(limit)
      resolve()
    })
    server.closeIdleConnections()
  })
}

// Allows only what the server of the page serves itself: no inline scripts or styles, and no form that posts elsewhere.
const createPolicy = (frameAncestors: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "connect-src 'self'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors.length > 0 ? frameAncestors.join(' ') : "'none'"}`,
    "base-uri 'none'",
  ].join('; ')

// The referrer is sent within the site only. With no referrer at all, browsers send the origin "null" with a form, which
// the server rejects.
export const createPageHeaders = (frameAncestors: readonly string[] = []): Record<string, string> => ({
  'content-security-policy': createPolicy(frameAncestors),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
})
