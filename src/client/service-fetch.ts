// Sets up ofetch for one service: query, headers, credential and parsing. It runs on our own fetch (http.ts).
import {FetchError, createFetch} from 'ofetch'
import type {Connection, ServiceRequest} from './connection.ts'
import {type FetchOptions, type Reply, WireError, WireHeaders} from './http.ts'
import {type ParsedText, parseText} from './parse-reply.ts'

// A reply, whatever its status, or the failure of a request that got none.
export type AttemptOutcome = {reply: Reply; parsed: ParsedText} | {failure: WireError}

// What an attempt needs just before it is sent. Getting a credential can take a while, so the time limit comes after it.
export interface BeforeSend {
  credential: string
  timeoutMs: number
}

export type ServiceFetch = (request: ServiceRequest, beforeSend: () => Promise<BeforeSend>) => Promise<AttemptOutcome>

// Without `_data` if the body is read here.
type RawReply = Reply & {_data?: ParsedText}

export function createServiceFetch({
  baseUrl,
  fetch,
  userAgent,
  onReply,
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
  return async function attempt({method, path, query, headers, body, onBody, scan}, beforeSend) {
    try {
      const reply = (await service.raw(root + path, {
        method,
        ...(query && {query: toWellFormed(query)}),
        headers: {...(body !== undefined && {'content-type': 'application/json'}), ...headers},
        ...(body !== undefined && {body}),
        onRequest: async ({options}) => {
          const {credential, timeoutMs} = await beforeSend()
          options.headers.set('authorization', `Bearer ${credential}`)
          // Options of our fetch, which ofetch passes on.
          Object.assign(options, {timeoutMs, abortSignal, isRetried: method === 'GET' && retriesReads})
        },
        onResponse: async ({response}) => {
          if (!onReply) return
          const raw = response as unknown as RawReply
          const parsed = onBody ? {text: await raw.text()} : raw._data
          onReply({method, path, status: raw.status, headers: raw.headers, ...parsed})
        },
        // A stream is what ofetch leaves alone.
        ...(onBody ? {responseType: 'stream' as const} : {parseResponse: parseText}),
      })) as unknown as RawReply
      return await toOutcome(reply, onBody, scan)
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
      if (error.response) return await toOutcome(error.response as unknown as RawReply, onBody)
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

// `onBody` may send the next request. It goes out before this reply is parsed, so that the service works meanwhile.
async function toOutcome(
  reply: RawReply,
  onBody: ServiceRequest['onBody'],
  scan?: ServiceRequest['scan'],
): Promise<AttemptOutcome> {
  if (!onBody) return {reply, parsed: reply._data ?? {text: ''}}
  const body = reply.bytes?.() ?? (await reply.text())
  onBody(body)
  await new Promise(setImmediate)
  const page = reply.ok ? await scan?.(body) : undefined
  return {reply, parsed: page ? {json: page, text: ''} : parseText(await reply.text())}
}
