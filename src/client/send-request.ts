// One call of one path: checks, credential, tries, failures. Everything that reaches the service passes here.
import {createFetch} from 'ofetch'
import {SvcError, badUsage} from '../errors.ts'
import {
  type FailedRequest,
  createReplyFailure,
  createWireFailure,
  isWrite,
  createUnreachable,
  createUnreadableReply,
} from './failures.ts'
import {type Fetch, type Reply, WireError, WireHeaders} from './http.ts'
import {parseJson} from '../validation/exact-json.ts'
import {waitBeforeRetry} from './retries.ts'

export const requestTimeoutMsDefault = 30_000

export interface Connection {
  // Where the service is, without a slash at the end. The credential goes to its origin and nowhere else.
  baseUrl: string
  fetch: Fetch
  // Asked before every request, so that a token that expires is refreshed in the middle of a long wait.
  // `refused` says that the service has just refused the one given before, and `limitMs` how much time is left in all.
  credential(wasRejected: boolean, limitMs?: number): Promise<string>
  // Whether a refused credential can be had anew.
  renewable: boolean
  callerLabel: string
  userAgent: string
  requestTimeoutMs: number
  // When the whole command must have its answer, on the clock of performance.now().
  deadlineMs?: number | undefined
  // Rejects, by throwing, every write that the caller may not send or did not authorize.
  gate: {enforce(request: {method: string; path: string}): void}
  // Called as each write is sent; the returned function is called once its outcome is known.
  onWrite?: ((write: {method: string; path: string}) => () => void) | undefined
  // Told of every try, for --verbose and for waits worth mentioning.
  onAttempt?: ((event: AttemptEvent) => void) | undefined
  // Told of every reply, for whoever needs what its body does not say, such as the Date header.
  onReply?: ((reply: Pick<Reply, 'status' | 'headers'>) => void) | undefined
  // Whether a read that fails is tried again. It is, unless whoever asks wants to see the failure itself.
  retriesReads?: boolean | undefined
}

export interface AttemptEvent {
  method: string
  path: string
  outcome: string
  elapsedMs: number
  // Present when the same request will be tried again.
  retryInMs?: number
}

export interface ServiceRequest {
  method: string
  // Everything after the base address: already checked and encoded.
  path: string
  query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  headers?: Readonly<Record<string, string>> | undefined
  // The exact bytes of the body, so that what was checked is what is sent.
  body?: string | undefined
  // Sent a single time, whatever comes of it: not even a renewed credential sends it again.
  isSentOnce?: boolean | undefined
  // Shown the text of a reply before it is read as JSON, which takes its time.
  onText?: ((text: string) => void) | undefined
}

export interface ParsedReply {
  status: number
  body: unknown
  // What the body was read from.
  text?: string
}

function toQueryString(query: ServiceRequest['query']): string {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) pairs.append(name, String(value))
  return pairs.size === 0 ? '' : `?${pairs.toString()}`
}

// What a URL rewrites without a word: dot segments, backslashes, blanks and control characters. A fragment it drops.
const rewrittenByUrl = /[\\\p{Cc} ]|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/iu

// Whatever the path says, the request stays below the base address: a path such as //host or /../ must not move it.
// A path is sent as it is written or not at all, since whoever guards writes has judged it as it is written.
function buildUrl(baseUrl: string, path: string): URL {
  const [bare = ''] = path.split('?', 1)
  if (rewrittenByUrl.test(bare) || path.includes('#')) {
    throw badUsage(
      `The path ${path} holds ., .., #, a backslash, a blank or a control character`,
      'Write the path as the service has it, with %20 for a blank and %23 for #; nothing was sent',
    )
  }
  const base = new URL(baseUrl)
  const url = URL.parse(baseUrl + path)
  const folder = base.pathname.replace(/\/$/, '')
  if (!url || url.origin !== base.origin || !`${url.pathname}/`.startsWith(`${folder}/`)) {
    throw badUsage(
      `The path ${path} leads away from ${baseUrl}`,
      'Give a path below the base address, such as /customers',
    )
  }
  return url
}

function validateHeaders(headers: ServiceRequest['headers']): void {
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!/^[\x20-\x7e]*$/.test(value))
      throw badUsage(`${name} holds characters that a header cannot carry`, 'Use plain ASCII; nothing was sent')
  }
}

// What was asked for on seeing the text goes out before the text is read, so that the service works meanwhile.
async function parseAfterText(text: string, glance: NonNullable<ServiceRequest['onText']>): Promise<ParsedText> {
  glance(text)
  await new Promise(setImmediate)
  return parseText(text)
}

// The lists of the service, which are there for everyone.
const listPath = /^\/(customers|transactions|payment-accounts|automation-rules)$/

// From here on the service says that something went wrong, and not how far it came before.
const serverFaultMin = 500

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export async function sendRequest(connection: Connection, request: ServiceRequest): Promise<ParsedReply> {
  const {method, path, query, headers, body, isSentOnce: once = false, onText: glance} = request
  const {href, host} = buildUrl(connection.baseUrl, path + toQueryString(query))
  validateHeaders(headers)
  const shownPath = path.split('?', 1)[0] ?? path
  if (isWrite(method)) connection.gate.enforce({method, path: shownPath})
  const base = method === 'GET' && listPath.test(shownPath) && !/Id=/.test(href) ? connection.baseUrl : undefined
  const failedRequest: FailedRequest = {
    method,
    path: shownPath,
    listBaseUrl: base,
    host,
    caller: connection.callerLabel,
  }
  const wire = createFetch({fetch: connection.fetch as never, Headers: WireHeaders as never})
  // Whether the credential was renewed already, and whether the next try is the one that needs it anew.
  let renewed = false
  let wasRejected = false
  for (let attempts = 1; ; attempts++) {
    const {deadlineMs} = connection
    const credential = await connection.credential(wasRejected, deadlineMs && deadlineMs - performance.now())
    wasRejected = false
    const timeoutMs = computeTimeoutMs(connection, failedRequest)
    const startedMs = performance.now()
    const report = (outcome: string, retryInMs?: number) =>
      connection.onAttempt?.({
        method,
        path: shownPath,
        outcome,
        elapsedMs: performance.now() - startedMs,
        ...(retryInMs !== undefined && {retryInMs}),
      })
    let reply: (Reply & {_data?: ParsedText}) | undefined
    let failure: WireError | undefined
    const markKnown = isWrite(method) ? connection.onWrite?.({method, path: shownPath}) : undefined
    try {
      // ofetch would retry, throw on a status and guess at types by itself; each of these is decided here instead.
      const received = (await wire.raw(href, {
        method,
        headers: {
          accept: 'application/json',
          'accept-encoding': 'gzip, br',
          'user-agent': connection.userAgent,
          ...(body !== undefined && {'content-type': 'application/json'}),
          ...headers,
          authorization: `Bearer ${credential}`,
        },
        ...(body !== undefined && {body}),
        timeoutMs,
        retry: false,
        ignoreResponseError: true,
        parseResponse: glance ? (text: string) => ({text}) : parseText,
      } as never)) as unknown as Reply & {_data?: ParsedText}
      if (glance && received._data) received._data = await parseAfterText(received._data.text, glance)
      reply = received
    } catch (error) {
      failure = findWireError(error)
      if (failure.code === 'TIMEOUT' && timeoutMs < connection.requestTimeoutMs) {
        failure = new WireError('DEADLINE', failure.message, failure.mayHaveArrived, failure)
      }
    }
    if (reply ? reply.status < serverFaultMin : !failure?.mayHaveArrived) markKnown?.()
    if (reply) connection.onReply?.(reply)
    const waitMs = connection.retriesReads === false ? undefined : waitBeforeRetry(method, attempts, reply ?? failure)
    if (waitMs !== undefined && (failure || (reply && !reply.ok)) && fitsDeadline(connection, waitMs)) {
      report(failure?.code ?? String(reply?.status), waitMs)
      await pause(waitMs)
      continue
    }
    report(failure?.code ?? String(reply?.status))
    if (failure) throw createWireFailure(failedRequest, failure)
    if (!reply) throw new Error('a request ended with neither a reply nor a failure')
    // 401 says that nothing was done, so the same request may go again, once, with a new token.
    if (reply.status === 401 && connection.renewable && !renewed && !once) {
      renewed = true
      wasRejected = true
      continue
    }
    return toParsedReply(failedRequest, reply, credential)
  }
}

type ParsedText = {json: unknown; text: string} | {text: string}

function parseText(text: string): ParsedText {
  try {
    return {json: parseJson(text), text}
  } catch {
    return {text}
  }
}

function toParsedReply(
  failedRequest: FailedRequest,
  reply: Reply & {_data?: ParsedText},
  credential: string,
): ParsedReply {
  const parsed = reply._data ?? {text: ''}
  if (!reply.ok) throw createReplyFailure(failedRequest, reply, 'json' in parsed ? parsed.json : undefined, credential)
  if ('json' in parsed) return {status: reply.status, body: parsed.json, text: parsed.text}
  // A write that was done may have nothing to say; a read that says nothing has failed.
  const mayBeEmpty = reply.status === 204 || failedRequest.method !== 'GET'
  if (parsed.text.trim() === '' && mayBeEmpty) return {status: reply.status, body: undefined}
  throw createUnreadableReply(failedRequest, reply.status, describeText(parsed.text))
}

function describeText(text: string): string {
  if (text.trim() === '') return 'an empty body'
  return /^\s*</.test(text) ? 'a web page instead of JSON' : 'a body that is not valid JSON'
}

// ofetch wraps what its fetch throws: a failure of the wire, or one of our errors about the settings of it.
function findWireError(error: unknown): WireError {
  if (error instanceof WireError) return error
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof WireError) return cause
  throw cause instanceof SvcError ? cause : error
}

const fitsDeadline = ({deadlineMs}: Connection, waitMs: number) =>
  deadlineMs === undefined || performance.now() + waitMs < deadlineMs

function computeTimeoutMs({requestTimeoutMs, deadlineMs}: Connection, failedRequest: FailedRequest): number {
  if (deadlineMs === undefined) return requestTimeoutMs
  const left = deadlineMs - performance.now()
  if (left <= 0)
    throw createUnreachable(failedRequest, 'did not answer within --timeout', 'Try again, or allow more with --timeout')
  return Math.min(requestTimeoutMs, left)
}
