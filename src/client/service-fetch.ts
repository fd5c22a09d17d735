// Sets up ofetch for one service: query, headers and parsing. It runs on our own fetch (http.ts).
import {FetchError, createFetch} from 'ofetch'
import type {Connection, ServiceRequest} from './connection.ts'
import {type FetchOptions, type Reply, WireError, WireHeaders} from './http.ts'
import {type ParsedText, parseText} from './parse-reply.ts'

// A reply, whatever its status, or the failure of a request that got none.
export type AttemptOutcome = {reply: Reply; parsed: ParsedText} | {failure: WireError}

interface Attempt {
  credential: string
  timeoutMs: number
}

export type ServiceFetch = (request: ServiceRequest, attempt: Attempt) => Promise<AttemptOutcome>

// A reply of our fetch, with what ofetch has parsed.
type RawReply = Reply & {_data?: ParsedText}

export function createServiceFetch({
  baseUrl,
  fetch,
  userAgent,
  retriesReads = true,
  signal: abortSignal,
}: Connection): ServiceFetch {
  // ofetch's own retries ignore Retry-After and writes with an unknown outcome, so send-request.ts decides about them.
  // Redirects are not followed by our fetch. Its parser would return invalid JSON as text, so replies are parsed here.
  const service = createFetch({
    fetch: ((url: string, options: FetchOptions) => fetch(url, options)) as never,
    Headers: WireHeaders as never,
    defaults: {
      headers: {accept: 'application/json', 'accept-encoding': 'gzip, br', 'user-agent': userAgent},
      retry: false,
      redirect: 'manual',
    },
  })
  // ofetch would join the two with a parser of its own.
  const root = baseUrl.replace(/\/$/, '')
  return async function attempt({method, path, query, headers, body}, {credential, timeoutMs}) {
    try {
      const options = {
        method,
        ...(query && {query: toWellFormed(query)}),
        headers: {
          ...(body !== undefined && {'content-type': 'application/json'}),
          ...headers,
          authorization: `Bearer ${credential}`,
        },
        ...(body !== undefined && {body}),
        parseResponse: parseText,
        // Options of our fetch, which ofetch passes on.
        timeoutMs,
        abortSignal,
        isRetried: method === 'GET' && retriesReads,
      }
      return toOutcome(await service.raw(root + path, options))
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
      if (error.response) return toOutcome(error.response)
      if (error.cause instanceof WireError) return {failure: error.cause}
      throw error.cause
    }
  }
}

// A lone surrogate, which a page token of the service may contain, cannot be encoded into a URL.
const toWellFormed = (query: NonNullable<ServiceRequest['query']>) =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, typeof value === 'string' ? value.toWellFormed() : value]),
  )

// ofetch has the types of the browser's fetch, whose replies have more than ours.
function toOutcome(response: unknown): AttemptOutcome {
  const reply = response as RawReply
  return {reply, parsed: reply._data ?? {text: ''}}
}
