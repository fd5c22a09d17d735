// A fetch on node:http for one purpose: JSON to and from one service. It follows no redirect, reads the whole reply within
// one time limit and one size limit, and says of every failure whether the request could have reached the service.
import type http from 'node:http'
import type {Readable, Transform} from 'node:stream'
import type {ConnectionOptions} from 'node:tls'

// The modules are taken from Node when they are used: HTTPS brings all of TLS, which a loopback service does not need, and
// an ES import of either would load undici as well.
const loadHttpModule = (secure: boolean) => process.getBuiltinModule(secure ? 'node:https' : 'node:http')

const mebibyte = 1024 * 1024
// A page of a hundred customers is under one mebibyte; more than this is an accident or an attack.
const replyBytesMax = 64 * mebibyte

export interface Reply {
  status: number
  statusText: string
  ok: boolean
  headers: {get(name: string): string | null}
  // Present for ofetch, which asks whether there is a body before it reads the text.
  body: true
  text(): Promise<string>
}

export interface FetchOptions {
  method: string
  headers: Iterable<[string, string]>
  body?: string | undefined
  timeoutMs: number
}

export type Fetch = (url: string, options: FetchOptions) => Promise<Reply>

// A request that got no whole reply. `sent` says whether bytes may have left: only then can a write have happened.
export class WireError extends Error {
  readonly code: string
  readonly mayHaveArrived: boolean

  constructor(code: string, message: string, sent: boolean, cause?: unknown) {
    super(message, {cause})
    this.name = 'WireError'
    this.code = code
    this.mayHaveArrived = sent
  }
}

// The smallest Headers that ofetch can work with; the global one would load all of undici, 40 ms at every start.
export class WireHeaders {
  readonly #fields = new Map<string, string>()

  constructor(fields: Iterable<[string, string]> | Record<string, string> = {}) {
    const entries = Symbol.iterator in fields ? fields : Object.entries(fields)
    for (const [name, value] of entries) this.set(name, value)
  }

  get(name: string): string | null {
    return this.#fields.get(name.toLowerCase()) ?? null
  }

  has(name: string): boolean {
    return this.#fields.has(name.toLowerCase())
  }

  set(name: string, value: string): void {
    this.#fields.set(name.toLowerCase(), value)
  }

  [Symbol.iterator](): Iterator<[string, string]> {
    return this.#fields[Symbol.iterator]()
  }
}

// Decoders load when a reply is compressed, which on a local line it rarely is.
async function createInflater(encoding: string): Promise<Transform | undefined> {
  if (encoding === 'identity') return undefined
  const zlib = await import('node:zlib')
  if (encoding === 'gzip' || encoding === 'x-gzip') return zlib.createGunzip()
  if (encoding === 'deflate') return zlib.createInflate()
  if (encoding === 'br') return zlib.createBrotliDecompress()
  throw new WireError('UNKNOWN_ENCODING', `the reply is encoded as ${encoding}, which svc does not read`, true)
}

// A reply without a body may still name an encoding, and there is nothing to inflate then.
const isEmpty = ({statusCode, headers}: http.IncomingMessage) =>
  statusCode === 204 || statusCode === 304 || headers['content-length'] === '0'

// By its events, which costs a small reply much less than going through it as an iterable.
function readChunks(source: Readable): Promise<Buffer[]> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    source.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size > replyBytesMax)
        reject(new WireError('REPLY_TOO_LARGE', `the reply is larger than ${replyBytesMax / mebibyte} MiB`, true))
    })
    source.once('error', reject)
    source.once('end', () => resolve(chunks))
    // Also one that is cut off ends so; whoever asked sees that it is not complete.
    source.once('close', () => resolve(chunks))
  })
}

async function readText(response: http.IncomingMessage): Promise<string> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() || 'identity'
  const inflater = isEmpty(response) ? undefined : await createInflater(encoding)
  let source: Readable = response
  if (inflater) {
    response.on('error', (cause) => inflater.destroy(cause))
    source = response.pipe(inflater)
  }
  let chunks: Buffer[]
  try {
    chunks = await readChunks(source)
  } catch (cause) {
    source.destroy()
    response.destroy()
    // What the connection did not break was broken by the decoder, each of which has codes of its own.
    if (cause instanceof WireError || response.errored || !inflater) throw cause
    throw new WireError('CORRUPT', 'the compressed reply is damaged', true, cause)
  }
  if (!response.complete) throw new WireError('TRUNCATED', 'the reply broke off before its end', true)
  return new TextDecoder().decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
}

export interface WireSettings {
  // The environment's proxy settings. Only HTTPS goes through a proxy: plain HTTP is for loopback and would show it the credential.
  proxy?: Record<string, string | undefined> | undefined
  // Certificate authorities to trust besides Node's own, in PEM.
  authorities?: () => string[]
}

const untrustedCodes = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

export const isUntrusted = (code: string) => untrustedCodes.has(code)

export const isCertificateFault = (code: string) => isUntrusted(code) || /^(ERR_TLS_CERT|CERT_)/.test(code)

// Connections are kept alive, since paging and waiting ask the same host again and again.
export function createWireFetch({proxy, authorities}: WireSettings = {}): Fetch {
  let agent: http.Agent | undefined
  const agentFor = (secure: boolean, more: ConnectionOptions = {}): http.Agent => {
    const {Agent} = loadHttpModule(secure)
    if (!secure) return new Agent({keepAlive: true})
    // Said aloud, since NODE_TLS_REJECT_UNAUTHORIZED=0 would hand the credential to anybody otherwise.
    return new Agent({keepAlive: true, rejectUnauthorized: true, ...(proxy && {proxyEnv: proxy}), ...more})
  }
  let hasLoadedAuthorities = false
  return async function wireFetch(url, options) {
    const secure = url.startsWith('https:')
    agent ??= agentFor(secure)
    try {
      return await sendOverHttp(url, options, agent)
    } catch (error) {
      // A company's own authority often lies in the system's store, which Node does not read by itself. The handshake
      // failed, so nothing was sent, and the same request may be made again.
      if (!(error instanceof WireError) || !isUntrusted(error.code) || hasLoadedAuthorities || !authorities) throw error
      hasLoadedAuthorities = true
      agent = agentFor(secure, {ca: authorities()})
      return sendOverHttp(url, options, agent)
    }
  }
}

function sendOverHttp(
  url: string,
  {method, headers, body, timeoutMs}: FetchOptions,
  agent: http.Agent,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let sent = false
    let hasSocket = false
    const bytes = body === undefined ? undefined : Buffer.from(body)
    const request = loadHttpModule(url.startsWith('https:')).request(url, {
      method,
      agent,
      headers: {...Object.fromEntries(headers), ...(bytes && {'content-length': String(bytes.length)})},
    })
    const fail = (cause: unknown) => {
      clearTimeout(limit)
      request.destroy()
      if (cause instanceof WireError) return reject(cause)
      const own = cause instanceof Error && 'code' in cause ? String(cause.code) : 'NETWORK'
      // A request is given its socket before that connects, unless a proxy must open the way first.
      const code = hasSocket || isCertificateFault(own) ? own : 'PROXY'
      // A certificate is refused before the request is written, even on a socket that a proxy handed over connected.
      const left = sent && !isCertificateFault(code)
      reject(new WireError(code, cause instanceof Error ? cause.message : String(cause), left, cause))
    }
    const limit = setTimeout(
      () => fail(new WireError('TIMEOUT', `no whole reply came within ${timeoutMs / 1000} s`, sent)),
      timeoutMs,
    )
    request.on('socket', (socket) => {
      hasSocket = true
      if (!socket.connecting) sent = true
      else socket.once(url.startsWith('https:') ? 'secureConnect' : 'connect', () => (sent = true))
    })
    request.on('error', fail)
    // Without this, Node closes the connection and says nothing.
    request.on('upgrade', () => fail(new WireError('UPGRADE', 'the reply is 101, another protocol', true)))
    request.on('response', (response) => {
      sent = true
      readText(response).then((text) => {
        clearTimeout(limit)
        return resolve(toReply(response, text))
      }, fail)
    })
    request.end(bytes)
  })
}

function toReply(response: http.IncomingMessage, text: string): Reply {
  const status = response.statusCode ?? 0
  return {
    status,
    statusText: response.statusMessage ?? '',
    ok: status >= 200 && status < 300,
    headers: {get: (name) => getHeader(response, name)},
    body: true,
    text: async () => text,
  }
}

function getHeader(response: http.IncomingMessage, name: string): string | null {
  const value = response.headers[name.toLowerCase()]
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}
