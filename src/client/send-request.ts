// Sends one request: the gate for writes, the credential, retries and failures. Every request to the service passes here.
import {FetchError, createFetch} from 'ofetch'
import {badUsage} from '../errors.ts'
import {parseJson} from '../values/json.ts'
import {isWrite} from '../values/urls.ts'
import type {Connection, ServiceRequest} from './connection.ts'
import {type FailedRequest, createReplyFailure, createUnreadableReply, createWireFailure} from './failures.ts'
import {createCredentialHider} from './hide-credential.ts'
import {type FetchOptions, type Reply, WireError, WireHeaders} from './http.ts'
import {waitBeforeRetry} from './retries.ts'

export type SendRequest = (request: ServiceRequest) => Promise<ParsedReply>

// From this status on, the service does not say how far it got.
const serverFaultMin = 500

// The service's lists, which every caller can read.
const listPath = /^\/(customers|transactions|payment-accounts|automation-rules)$/

function describeRequest(
  connection: Connection,
  host: string,
  {method, path, query = {}}: ServiceRequest,
): FailedRequest {
  const [shownPath = '', pathQuery = ''] = path.split('?', 2)
  const namesId = /Id=/.test(pathQuery) || Object.keys(query).some((name) => name.endsWith('Id'))
  // The body of another write names ids; that of a new customer does not.
  const isNewCustomer = method === 'POST' && shownPath === '/customers'
  const isWholeList = method === 'GET' && listPath.test(shownPath) && !namesId
  return {
    method,
    path: shownPath,
    host,
    url: `${connection.baseUrl.replace(/\/$/, '')}${shownPath}`,
    caller: connection.callerLabel,
    listBaseUrl: isWholeList || isNewCustomer ? connection.baseUrl : undefined,
  }
}

export function createSendRequest(connection: Connection): SendRequest {
  const serviceFetch = createServiceFetch(connection)
  const {host} = new URL(connection.baseUrl)
  const hideCredential = createHiding()
  return async function sendRequest(request) {
    const {method, isSentOnce = false} = request
    const encodedRequest = {...request, path: encodePath(connection.baseUrl, request.path)}
    validateHeaders(request.headers)
    const failedRequest = describeRequest(connection, host, request)
    const requestLine = {method, path: failedRequest.path}
    if (isWrite(method)) connection.gate.enforce(requestLine)
    let hasRenewed = false
    let wasRejected = false
    let wasTooSlow = false
    for (let attempts = 1; ; attempts++) {
      const {deadlineMs} = connection
      // Getting a credential can take a while, so the time limit comes after it.
      const credential = await connection.credential(wasRejected, deadlineMs && deadlineMs - performance.now())
      const timeoutMs = computeTimeoutMs(connection, failedRequest, wasTooSlow)
      const startedMs = performance.now()
      const markKnown = isWrite(method) ? connection.onWrite?.(requestLine) : undefined
      const outcome = nameDeadline(
        hideCredential(await serviceFetch(encodedRequest, {credential, timeoutMs}), credential),
        timeoutMs < connection.requestTimeoutMs && !wasTooSlow,
      )
      if ('reply' in outcome) {
        const {status, headers} = outcome.reply
        connection.onReply?.({method, path: encodedRequest.path, status, headers, ...outcome.parsed})
      }
      wasTooSlow ||= 'failure' in outcome && outcome.failure.code === 'TIMEOUT'
      wasRejected = false
      if (isOutcomeKnown(outcome)) markKnown?.()
      const waitMs = computeWaitMs(connection, method, attempts, outcome)
      connection.onAttempt?.({
        ...requestLine,
        outcome: 'failure' in outcome ? outcome.failure.code : String(outcome.reply.status),
        elapsedMs: performance.now() - startedMs,
        ...(waitMs !== undefined && {retryInMs: waitMs}),
      })
      if (waitMs !== undefined) {
        // Loaded here, since most commands never wait.
        const {setTimeout: sleep} = await import('node:timers/promises')
        // Once the signal has ended the pause, the next attempt fails at once.
        await sleep(waitMs, undefined, {signal: connection.signal}).catch(() => {})
        continue
      }
      if ('failure' in outcome) throw createWireFailure(failedRequest, outcome.failure)
      const {reply, parsed} = outcome
      // 401 means that nothing was done, so the same request may be sent once more with a new token.
      if (reply.status === 401 && connection.renewable && !hasRenewed && !isSentOnce) {
        hasRenewed = true
        wasRejected = true
        continue
      }
      if (!(reply.ok && 'json' in parsed) && parsed.text !== '') connection.onUnreadBody?.(parsed.text)
      return toParsedReply(failedRequest, reply, parsed)
    }
  }
}

// Nobody sees the credential in a reply, not even in one that succeeds: its headers, its text and
// what that is parsed to. A reply that succeeds is searched only if it may have the credential,
// since most of them are long.
function createHiding(): (outcome: AttemptOutcome, credential: string) => AttemptOutcome {
  let known = {credential: '', hider: createCredentialHider('')}
  return (outcome, credential) => {
    if ('failure' in outcome) return outcome
    const {reply, parsed} = outcome
    if (known.credential !== credential) known = {credential, hider: createCredentialHider(credential)}
    const {hideInText, hideInJson, mayBeIn} = known.hider
    if (reply.ok && 'json' in parsed && !mayBeIn(parsed.text)) return outcome
    const get = (name: string) => {
      const value = reply.headers.get(name)
      return value === null ? null : hideInText(value)
    }
    const hidden = {...reply, headers: {get}}
    if (!('json' in parsed)) return {reply: hidden, parsed: {text: hideInText(parsed.text)}}
    const json = hideInJson(parsed.json)
    const text = hideInText(json === parsed.json ? parsed.text : JSON.stringify(json))
    return {reply: hidden, parsed: {json, text}}
  }
}

const isOutcomeKnown = (outcome: AttemptOutcome) =>
  'failure' in outcome ? !outcome.failure.mayHaveArrived : outcome.reply.status < serverFaultMin

// If --timeout ended a request, the error names --timeout instead of a slow service, unless an earlier attempt showed that it is slow.
function nameDeadline(outcome: AttemptOutcome, isLimitedByDeadline: boolean): AttemptOutcome {
  if (!('failure' in outcome) || outcome.failure.code !== 'TIMEOUT' || !isLimitedByDeadline) return outcome
  const {message, mayHaveArrived} = outcome.failure
  return {failure: new WireError('DEADLINE', message, mayHaveArrived, outcome.failure)}
}

// The wait before the next attempt, or undefined if there is none.
function computeWaitMs(
  {retriesReads, deadlineMs, signal}: Connection,
  method: string,
  attempts: number,
  outcome: AttemptOutcome,
): number | undefined {
  if (signal?.aborted || retriesReads === false || ('reply' in outcome && outcome.reply.ok)) return undefined
  const waitMs = waitBeforeRetry(method, attempts, 'failure' in outcome ? outcome.failure : outcome.reply)
  const fitsDeadline = deadlineMs === undefined || performance.now() + (waitMs ?? 0) < deadlineMs
  return fitsDeadline ? waitMs : undefined
}

function computeTimeoutMs(
  {requestTimeoutMs, deadlineMs}: Connection,
  failedRequest: FailedRequest,
  wasTooSlow: boolean,
): number {
  if (deadlineMs === undefined) return requestTimeoutMs
  const left = deadlineMs - performance.now()
  if (left <= 0) {
    const failure = new WireError(wasTooSlow ? 'TIMEOUT' : 'DEADLINE', 'no time was left to send it', false)
    throw createWireFailure(failedRequest, failure)
  }
  return Math.min(requestTimeoutMs, left)
}

// What URLs rewrite silently: dot segments, backslashes, spaces and control characters. Without Unicode properties, which take
// V8 longer to prepare than the rest of a request.
// oxlint-disable-next-line no-control-regex -- They are what it finds.
const rewrittenByUrl = /[\\\u0000-\u0020\u007F-\u009F]|(?:^|\/)(?:\.|%2[Ee]){1,2}(?:\/|$)/

// Returns the path with all characters encoded. The write gate decides by the path as it is written, so a path that a URL
// would rewrite is not sent at all. A path such as //host or /../ must not lead away from the base URL either.
function encodePath(baseUrl: string, path: string): string {
  const [withoutQuery = ''] = path.split('?', 1)
  if (rewrittenByUrl.test(withoutQuery) || path.includes('#')) {
    throw badUsage(
      `The path ${path} contains ., .., #, a backslash, a space or a control character`,
      'Write the path as the service has it, with %20 for a space and %23 for #; nothing was sent',
    )
  }
  const base = new URL(baseUrl)
  const url = URL.parse(baseUrl + path)
  const folder = base.pathname.replace(/\/$/, '')
  if (!url || url.origin !== base.origin || !`${url.pathname}/`.startsWith(`${folder}/`)) {
    throw badUsage(`The path ${path} leads away from ${baseUrl}`, 'Give a path below the base URL, such as /customers')
  }
  return url.pathname.slice(folder.length) + url.search
}

function validateHeaders(headers: ServiceRequest['headers']): void {
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!/^[\x20-\x7e]*$/.test(value))
      throw badUsage(`${name} contains characters that a header cannot carry`, 'Use plain ASCII; nothing was sent')
  }
}

// A reply, whatever its status, or the failure of a request that got none.
type AttemptOutcome = {reply: Reply; parsed: ParsedText} | {failure: WireError}

interface Attempt {
  credential: string
  timeoutMs: number
}

// A reply of our fetch, with what ofetch has parsed.
type RawReply = Reply & {_data?: ParsedText}

// Sets up ofetch for one service: query, headers and parsing. Its own retries ignore Retry-After and writes with an unknown outcome, so
// they are decided above. Redirects are not followed by our fetch. Its parser would return invalid JSON as text, so replies are parsed
// here.
function createServiceFetch({baseUrl, fetch, userAgent, retriesReads = true, signal: abortSignal}: Connection) {
  const service = createFetch({
    fetch: ((url: string, options: FetchOptions) => fetch(url, options)) as never,
    Headers: WireHeaders as never,
    defaults: {
      headers: {accept: 'application/json', 'accept-encoding': 'gzip, br', 'user-agent': userAgent},
      retry: false,
      redirect: 'manual',
    },
  })
  const root = baseUrl.replace(/\/$/, '')
  return async ({method, path, query, headers, body}: ServiceRequest, {credential, timeoutMs}: Attempt) => {
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
    return service.raw(root + path, options).then(toOutcome, (error: unknown): AttemptOutcome => {
      if (!(error instanceof FetchError)) throw error
      if (error.response) return toOutcome(error.response)
      if (error.cause instanceof WireError) return {failure: error.cause}
      throw error.cause
    })
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

export interface ParsedReply {
  status: number
  body: unknown
  // The text that the body was parsed from.
  text?: string
  // Whether a Link header names a next page (RFC 8288).
  hasNextLink?: boolean
}

const nextLink = /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|'(?:[^']*\s)?next(?:\s[^']*)?'|next\b)/i

type ParsedText = {json: unknown; text: string} | {text: string}

export function parseText(text: string): ParsedText {
  try {
    return {json: parseJson(text), text}
  } catch {
    return {text}
  }
}

// Returns the body of a 2xx reply, and throws for every other status and for a body that is not JSON.
export function toParsedReply(failedRequest: FailedRequest, reply: Reply, parsed: ParsedText): ParsedReply {
  if (!reply.ok) throw createReplyFailure(failedRequest, reply, parsed)
  if ('json' in parsed) {
    const hasNextLink = nextLink.test((reply.headers.get('link') ?? '').replaceAll('\\', ''))
    return {status: reply.status, body: parsed.json, text: parsed.text, ...(hasNextLink && {hasNextLink})}
  }
  // A successful write may have an empty reply; a read without a body has failed.
  const mayBeEmpty = reply.status === 204 || failedRequest.method !== 'GET'
  if (parsed.text.trim() === '' && mayBeEmpty) return {status: reply.status, body: undefined}
  throw createUnreadableReply(failedRequest, reply.status, describeText(parsed.text), parsed.text)
}

function describeText(text: string): string {
  if (text.trim() === '') return 'an empty body'
  return /^\s*</.test(text) ? 'a web page instead of JSON' : 'a body that is not valid JSON'
}
