// One exchange as plain data: what is asked and what is answered. The loopback server, the embedded client and fetch all
// speak it, so that none of them pays for the others' objects.
import {limits} from '../../contract/limits.ts'
import type {AppliedFault} from '../faults/kinds.ts'
import {ServiceError} from './service-error.ts'
import type {Reply} from './reply.ts'

export interface SandboxRequest {
  method: string
  // Path and query as they stand in the request line.
  target: string
  // By its name in small letters.
  header(name: string): string | undefined
  // All bytes of the body. It is called once, and only where there is something to read them for.
  body(): Promise<Uint8Array>
}

export interface SandboxResponse {
  status: number
  headers: Readonly<Record<string, string>>
  // Text, or the bytes of a file.
  body: string | Uint8Array<ArrayBuffer>
  // What whoever carries the answer must do to it on the way.
  fault?: AppliedFault
}

const json = 'application/json'

export function toSandboxResponse({status, headers, value, text, bytes}: Reply): SandboxResponse {
  const body = bytes ?? text ?? (value === undefined ? '' : JSON.stringify(value))
  return {status, headers: body === '' ? {...headers} : {'content-type': json, ...headers}, body}
}

export const createTooLargeError = () =>
  new ServiceError(
    'PAYLOAD_TOO_LARGE',
    `The body is larger than ${limits.requestBytesMax} bytes: send it in smaller parts`,
  )

async function readBytes(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of request.body ?? []) {
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
    body: () => readBytes(request),
  }
}

// A fetch fails with a TypeError when its connection breaks, and so does this one.
export function toFetchResponse({status, headers, body, fault}: SandboxResponse, method: string): Response {
  if (fault?.breaks) throw new TypeError(`fetch failed: a fault that was asked for (${fault.breaks})`)
  const isEmpty = body === '' || method === 'HEAD'
  return new Response(isEmpty ? null : body, {status, headers})
}
