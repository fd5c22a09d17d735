// A request and its response as plain data. The loopback server, the embedded client and fetch convert to and from these.
import {limits} from '../../contract/vocabulary.ts'
import {ServiceError} from './service-error.ts'
import {type Reply, writeJson} from './reply.ts'

export interface SandboxRequest {
  method: string
  // Path and query, as in the request line.
  target: string
  // The name is in lower case.
  header(name: string): string | undefined
  // Reads the whole body. It is called at most once.
  body(): Promise<Uint8Array>
}

// Whether no page sent it, or one of this server. A page of another port of this machine is another site.
export function hasOwnOrigin(request: SandboxRequest): boolean {
  const origin = request.header('origin')
  return origin === undefined || URL.parse(origin)?.host === request.header('host')
}

// What an injected fault does to a response.
interface AppliedFault {
  delayMs: number
  breaks?: 'reset' | 'hang' | 'lose' | 'truncate'
}

export interface SandboxResponse {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
  // What the transport must do to the response.
  fault?: AppliedFault
}

const json = 'application/json'

export function toSandboxResponse({status, headers, value, text}: Reply): SandboxResponse {
  const body = text ?? (value === undefined ? '' : writeJson(value))
  return {status, headers: body === '' ? {...headers} : {'content-type': json, ...headers}, body}
}

const createTooLargeError = () =>
  new ServiceError('PAYLOAD_TOO_LARGE', `The body is larger than ${limits.requestBytesMax} bytes`)

// A declared length that is too large is rejected at once. Otherwise the bytes are counted while they are read.
export async function readBodyBytes(request: SandboxRequest): Promise<Uint8Array> {
  if (Number(request.header('content-length')) > limits.requestBytesMax) throw createTooLargeError()
  return request.body()
}

export async function readBytes(stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of stream) {
    total += chunk.byteLength
    if (total > limits.requestBytesMax) throw createTooLargeError()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, total)
}

export function fromFetchRequest(request: Request): SandboxRequest {
  const {pathname, search} = new URL(request.url)
  return {
    method: request.method,
    target: pathname + search,
    header: (name) => request.headers.get(name) ?? undefined,
    body: () => readBytes(request.body ?? []),
  }
}

// A real fetch throws a TypeError when its connection breaks, so this does too.
export function toFetchResponse({status, headers, body, fault}: SandboxResponse, method: string): Response {
  if (fault?.breaks) throw new TypeError(`fetch failed: an injected fault (${fault.breaks})`)
  const isEmpty = body === '' || method === 'HEAD'
  return new Response(isEmpty ? null : body, {status, headers})
}
