// A fetch on node:http for JSON requests to one service. It follows no redirects, reads the whole reply within one time
// limit and one size limit, and reports for every failure whether the request may have reached the service. The
// environment names the proxy and the authorities whose certificates are accepted.
import type http from 'node:http'
import type {Readable, Transform} from 'node:stream'
import type {ConnectionOptions} from 'node:tls'
import {badSettings} from '../errors.ts'
import {readNamedFile} from '../storage/read-regular-file.ts'
import {isSuccess} from '../values/urls.ts'

// Loaded on first use: node:https loads all of TLS, which a loopback service does not need, and an ES import of either
// module would load undici too.
let plainModule: typeof import('node:http') | undefined
let secureModule: typeof import('node:https') | undefined
const loadHttpModule = (secure: boolean) =>
  secure
    ? (secureModule ??= process.getBuiltinModule('node:https'))
    : (plainModule ??= process.getBuiltinModule('node:http'))

const mebibyte = 1024 * 1024
// A page of 100 customers is smaller than one mebibyte.
const replyBytesMax = 64 * mebibyte

export interface Reply {
  status: number
  statusText: string
  ok: boolean
  headers: {get(name: string): string | null}
  // ofetch checks that there is a body before it reads the text.
  body: true
  text(): Promise<string>
}

export interface FetchOptions {
  method: string
  headers: Iterable<[string, string]>
  body?: string | undefined
  timeoutMs: number
  abortSignal?: AbortSignal | undefined
  // Whether the caller retries it. Such a request may take a connection that the service has closed.
  isRetried?: boolean
}

export type Fetch = (url: string, options: FetchOptions) => Promise<Reply>

// A request that got no complete reply.
export class WireError extends Error {
  readonly code: string
  // Whether bytes of the request may have reached the service. Only then can a write have happened.
  readonly mayHaveArrived: boolean

  constructor(code: string, message: string, mayHaveArrived: boolean, cause?: unknown) {
    super(message, {cause})
    this.name = 'WireError'
    this.code = code
    this.mayHaveArrived = mayHaveArrived
  }
}

// The part of Headers that ofetch uses. The global Headers loads undici, which takes 40 ms at every start.
export class WireHeaders extends Map<string, string> {
  constructor(fields: Iterable<[string, string]> | Record<string, string> = {}) {
    super()
    const entries = Symbol.iterator in fields ? fields : Object.entries(fields)
    for (const [name, value] of entries) this.set(name.toLowerCase(), value)
  }
}

// node:zlib is loaded only if a reply is compressed.
async function createInflater(encoding: string): Promise<Transform | undefined> {
  if (encoding === 'identity') return undefined
  const zlib = await import('node:zlib')
  if (encoding === 'gzip' || encoding === 'x-gzip') return zlib.createGunzip()
  if (encoding === 'deflate') return zlib.createInflate()
  if (encoding === 'br') return zlib.createBrotliDecompress()
  throw new WireError('UNKNOWN_ENCODING', `the reply is encoded as ${encoding}, which svc does not read`, true)
}

// A reply without a body may still name an encoding.
const isEmpty = ({statusCode, headers}: http.IncomingMessage) =>
  statusCode === 204 || statusCode === 304 || headers['content-length'] === '0'

// Uses events because they are much cheaper than an async iterator for a small reply.
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
    // A reply that is cut off also ends with "close"; the caller checks that it is complete.
    source.once('close', () => resolve(chunks))
  })
}

async function readBody(response: http.IncomingMessage): Promise<Buffer> {
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
    // If the connection did not fail, the decoder did. Each decoder has its own error codes.
    if (cause instanceof WireError || response.errored || !inflater) throw cause
    throw new WireError('CORRUPT', 'the compressed reply is damaged', true, cause)
  }
  if (!response.complete) throw new WireError('TRUNCATED', 'the reply ended too early', true)
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

interface WireSettings {
  // The environment's proxy settings, used for HTTPS only. Plain HTTP is for loopback, and a proxy could read its credential.
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

// Connections are kept alive because paging and waiting send many requests to the same host.
export function createWireFetch({proxy, authorities}: WireSettings = {}): Fetch {
  let agent: http.Agent | undefined
  const agentFor = (secure: boolean, more: ConnectionOptions = {}): http.Agent => {
    const {Agent} = loadHttpModule(secure)
    if (!secure) return new Agent({keepAlive: true})
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 cannot switch certificate checks off and expose the credential.
    return new Agent({keepAlive: true, rejectUnauthorized: true, ...(proxy && {proxyEnv: proxy}), ...more})
  }
  let hasLoadedAuthorities = false
  return async function wireFetch(url, options) {
    const secure = url.startsWith('https:')
    agent ??= agentFor(secure)
    if (!options.isRetried) await dropClosedConnections(agent)
    try {
      return await sendOverHttp(url, options, agent)
    } catch (error) {
      // A company's certificate authority is often in the system's store, which Node does not read by default. The
      // handshake failed, so nothing was sent and the same request can be sent again.
      if (!(error instanceof WireError) || !isUntrusted(error.code) || hasLoadedAuthorities || !authorities) throw error
      hasLoadedAuthorities = true
      agent = agentFor(secure, {ca: authorities()})
      return sendOverHttp(url, options, agent)
    }
  }
}

function sendOverHttp(
  url: string,
  {method, headers, body, timeoutMs, abortSignal}: FetchOptions,
  agent: http.Agent,
): Promise<Reply> {
  if (abortSignal?.aborted) return Promise.reject(new WireError('ABORTED', 'it was not sent any more', false))
  return new Promise((resolve, reject) => {
    let isConnected = false
    let hasSocket = false
    const request = loadHttpModule(url.startsWith('https:')).request(url, {method, agent})
    // Not among the options, all of which Node prints with NODE_DEBUG=net when it connects.
    for (const [name, value] of headers) request.setHeader(name, value)
    if (body !== undefined) request.setHeader('content-length', Buffer.byteLength(body))
    const release = () => {
      clearTimeout(limit)
      abortSignal?.removeEventListener('abort', abort)
    }
    const abort = () => fail(new WireError('ABORTED', 'it was ended', isConnected))
    abortSignal?.addEventListener('abort', abort)
    const fail = (cause: unknown) => {
      release()
      reuseCounts.delete(agent)
      request.destroy()
      if (cause instanceof WireError) return reject(cause)
      const ownCode = cause instanceof Error && 'code' in cause ? String(cause.code) : 'NETWORK'
      // A request gets its socket before the socket connects, unless a proxy has to open a tunnel first.
      const code = hasSocket || isCertificateFault(ownCode) ? ownCode : 'PROXY'
      // A certificate is rejected before the request is written, even on a connected socket from a proxy.
      const mayHaveArrived = isConnected && !isCertificateFault(code)
      reject(new WireError(code, cause instanceof Error ? cause.message : String(cause), mayHaveArrived, cause))
    }
    const limit = setTimeout(
      () => fail(new WireError('TIMEOUT', `no complete reply came within ${timeoutMs / 1000} s`, isConnected)),
      timeoutMs,
    )
    request.on('socket', (socket) => {
      hasSocket = true
      if (!socket.connecting) isConnected = true
      else socket.once(url.startsWith('https:') ? 'secureConnect' : 'connect', () => (isConnected = true))
    })
    request.on('error', fail)
    // Without a listener Node closes the connection and reports nothing.
    request.on('upgrade', () => fail(new WireError('UPGRADE', 'the reply is 101, another protocol', true)))
    request.on('response', (response) => {
      isConnected = true
      if (request.reusedSocket) reuseCounts.set(agent, (reuseCounts.get(agent) ?? 0) + 1)
      readBody(response).then((bytes) => {
        release()
        return resolve(toReply(response, bytes))
      }, fail)
    })
    // As text, so that Node writes it together with the headers.
    request.end(body)
  })
}

// Keeps nothing between two calls of decode().
const decoder = new TextDecoder()

function toReply(response: http.IncomingMessage, bytes: Buffer): Reply {
  const status = response.statusCode ?? 0
  return {
    status,
    statusText: response.statusMessage ?? '',
    ok: isSuccess(status),
    headers: {get: (name) => getHeader(response, name)},
    body: true,
    text: async () => decoder.decode(bytes),
  }
}

function getHeader(response: http.IncomingMessage, name: string): string | null {
  const value = response.headers[name.toLowerCase()]
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}

// How many replies came on connections that had been used before, since the last failure. After so many, the service is known to keep
// its connections open, and is not waited for: that costs a run of payments a fifth of its speed.
const reuseCounts = new WeakMap<http.Agent, number>()
const reuseCountMin = 20

// Lets Node notice that the service has closed an idle connection. While svc computes or writes, Node does not read its sockets, and
// a request on a closed one, which must not be repeated, fails as if it may have arrived.
async function dropClosedConnections(agent: http.Agent): Promise<void> {
  if ((reuseCounts.get(agent) ?? 0) >= reuseCountMin || Object.keys(agent.freeSockets).length === 0) return
  // The event loop may read from its sockets only after the first turn, and the agent drops a closed one after the second.
  for (let turn = 1; turn <= 3; turn++) await new Promise(setImmediate)
}

const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy']

// The proxy settings of the environment, by variable name.
function readProxySettings(): Record<string, string> {
  const proxy: Record<string, string> = {}
  for (const name of proxyVariables) {
    const value = process.env[name]
    if (value) proxy[name] = /^https_proxy$/i.test(name) ? parseProxy(value, name) : value
  }
  return proxy
}

export function readWireSettings(): WireSettings {
  const proxy = readProxySettings()
  return {...(Object.keys(proxy).length > 0 && {proxy}), authorities: loadAuthorities}
}

// Node silently ignores a proxy that it cannot use, and the request would then bypass the proxy. A host and port without a
// protocol is an HTTP proxy, as in other tools.
function parseProxy(value: string, name: string): string {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`
  const url = URL.parse(address)
  if (url?.password && process.env['NODE_DEBUG']) {
    throw badSettings(`NODE_DEBUG would print the password that ${name} has`, 'Unset one of them; nothing was sent')
  }
  if (/^https?:$/.test(url?.protocol ?? '')) return address
  throw badSettings(
    `${name} does not name a proxy that svc can use`,
    'Give an address such as http://proxy.example.com:8080',
  )
}

// Node's own authorities, those of NODE_EXTRA_CA_CERTS, the system's store, and the file that SVC_CA_FILE names.
function loadAuthorities(): string[] {
  const tls = process.getBuiltinModule('node:tls')
  const known = [...tls.getCACertificates('default'), ...tls.getCACertificates('system')]
  const file = process.env['SVC_CA_FILE']
  if (!file) return known
  const read = readNamedFile(file, (code, cause) =>
    badSettings(`The file ${file}, which SVC_CA_FILE names, cannot be read (${code})`, 'Check the path', cause),
  )
  return [...known, read.toString()]
}
