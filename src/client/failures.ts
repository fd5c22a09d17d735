// Turns every failure of a request into an SvcError, with the kind, the effect and the next step that fit it, by endpoint and by
// error code.
import {type Effect, type ErrorKind, SvcError} from '../errors.ts'
import {isRecord, lookUp, omitUndefined} from '../values/records.ts'
import {svc} from '../values/text.ts'
import {isPayment, isWrite} from '../values/urls.ts'
import type {RequestLine} from './connection.ts'
import {type Reply, type WireError, isUntrusted} from './http.ts'
import {retryAfterMs} from './retries.ts'

export interface FailedRequest {
  method: string
  // The path as the interface writes it, or as the person gave it; it never contains personal data.
  path: string
  host: string
  // The whole address, without the query, if a redirect may answer it.
  url?: string
  // The base URL, if the path is one of the service's lists and names no id: then only the base URL can be wrong.
  listBaseUrl?: string | undefined
  caller: string
}

interface Circumstances {
  statusCode?: number | undefined
  cause?: unknown
  // The body of a reply, whether it is an error or cannot be read.
  body?: unknown
}

function createUnreachable(
  {host}: FailedRequest,
  why: string,
  hint: string,
  circumstances: Circumstances = {},
): SvcError {
  return createError(
    {
      error: 'UNREACHABLE',
      kind: 'unreachable',
      message: `The service at ${host} ${why}`,
      reason: `the service at ${host} ${why}`,
      hint,
    },
    circumstances,
  )
}

const createOutcomeUnknown = (request: FailedRequest, why: string, circumstances: Circumstances = {}): SvcError =>
  createError(
    {
      error: 'OUTCOME_UNKNOWN',
      kind: 'unknownOutcome',
      message: `${request.method} ${request.path} may or may not have happened: the service ${why}`,
      reason: `the service ${why}`,
      hint: describeCheck(request),
    },
    circumstances,
  )

type ErrorDetails = ConstructorParameters<typeof SvcError>[0]

const createError = (details: ErrorDetails, {statusCode, cause, body}: Circumstances): SvcError =>
  statusCode === undefined ? new SvcError({...details, cause}) : new ReplyError({...details, statusCode, cause}, body)

const wireReasons: Record<string, readonly [why: string, next: string]> = {
  ECONNREFUSED: ['refused the connection', 'Check the base URL, and that the service is running'],
  ENOTFOUND: ['has no address: the name was not found', 'Check the base URL and the network'],
  EAI_AGAIN: ['has no address for now: the name could not be looked up', 'Check the network and try again'],
  TIMEOUT: ['did not answer in time', 'Try again, or allow more with --request-timeout'],
  DEADLINE: ['did not answer within --timeout', 'Try again, or allow more with --timeout'],
  ECONNRESET: ['closed the connection', 'Try again'],
  TRUNCATED: ['closed the connection in the middle of its reply', 'Try again'],
  CERT_HAS_EXPIRED: [
    'has a certificate that has expired',
    'Tell the operator of the service; svc never accepts an invalid certificate',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: ['has a certificate for another name', 'Check the base URL'],
  PROXY: ['could not be reached through the proxy', 'Check HTTPS_PROXY, or name the host in NO_PROXY'],
  UNKNOWN_ENCODING: ['encoded its reply in a way that svc cannot read', 'Tell the operator of the service'],
  CORRUPT: ['sent a compressed reply that is damaged', 'Try again'],
  NOT_HTTP: ['sent something that is not HTTP', 'Check the base URL'],
  UPGRADE: ['answered 101, another protocol', 'Check the base URL'],
  REPLY_TOO_LARGE: ['sent a reply that is too large to read', 'Request smaller pages with --page-size'],
}

// The only place where what the wire knows about a request becomes the effect of an error: a write that may have arrived
// may have happened.
const getEffect = ({method}: FailedRequest, {mayHaveArrived}: WireError): Effect =>
  isWrite(method) && mayHaveArrived ? 'possible' : 'none'

export function createWireFailure(request: FailedRequest, error: WireError): SvcError {
  const [why, next] = isUntrusted(error.code)
    ? ['has a certificate from an authority that is not trusted here', 'Name the authority’s PEM file in SVC_CA_FILE']
    : (lookUp(wireReasons, error.code.startsWith('HPE_') ? 'NOT_HTTP' : error.code) ?? [
        `could not be reached (${error.code})`,
        'Check the network and try again',
      ])
  return getEffect(request, error) === 'none'
    ? createUnreachable(request, why, next, {cause: error})
    : createOutcomeUnknown(request, why, {cause: error})
}

// A 2xx reply whose body is not JSON, or not what the endpoint returns.
export function createUnreadableReply(
  request: FailedRequest,
  statusCode: number,
  what: string,
  body: unknown,
): SvcError {
  const why = `answered ${statusCode} with ${what}`
  if (isWrite(request.method)) return createOutcomeUnknown(request, why, {statusCode, body})
  return createUnreachable(request, why, 'Check that the base URL is that of the service', {statusCode, body})
}

// The service answered with an error.
export class ReplyError extends SvcError {
  // The body of the reply, in whatever form the service sent it. It may contain personal data, so only `svc api` prints it.
  readonly #body: unknown

  constructor(details: ErrorDetails, body: unknown) {
    super(details)
    this.#body = body
  }

  readBody(): unknown {
    return this.#body
  }
}

export function removeFullStop(sentence: string): string {
  const text = sentence.trim()
  let end = text.length
  while (text[end - 1] === '.') end--
  return text.slice(0, end)
}

const describePatching = () =>
  `Data is accepted only while the customer is CREATED or NEEDS_ADDITIONAL_INFORMATION; ${svc`customers get ID`} shows its status`

const fallbackCodes: Record<number, string> = {401: 'UNAUTHORIZED', 403: 'FORBIDDEN', 404: 'NOT_FOUND'}

interface ErrorReply {
  // Absent if the text is not JSON.
  json?: unknown
  text: string
}

// With these a service may have made a transaction, or may still be making it. 499 is a proxy's: it gave up waiting for the service
// behind it.
export const inconclusiveStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429, 499])

// Whether a write may have been done. Other writes than a payment take 409, 429 and 499 for a refusal.
function isOutcomeUnclear(request: FailedRequest, status: number): boolean {
  if (!isWrite(request.method)) return false
  return status >= 500 || (isPayment(request) ? inconclusiveStatuses.has(status) : status === 408 || status === 425)
}

export function createReplyFailure(request: FailedRequest, reply: Reply, {json, text}: ErrorReply): SvcError {
  const {status} = reply
  const errorBody = readErrorBody(json, text)
  const body = json ?? (text === '' ? undefined : text)
  const code = errorBody.error ?? fallbackCodes[status]
  const error = code ?? `HTTP_${status}`
  // A code that only repeats the status says nothing to a person.
  const statusAndCode = code === undefined ? `${status}` : `${status} ${code}`
  const because = errorBody.message ? `: ${removeFullStop(errorBody.message)}` : ''
  const answered = `answered ${statusAndCode}${because}`
  const create = (kind: ErrorKind, message: string, hint?: string) =>
    new ReplyError({error, kind, message, hint, statusCode: status}, body)

  if (status >= 300 && status < 400) return createRedirectFailure(request, reply)
  if (status === 401) {
    const message = `The service refused the credential of ${request.caller} (${statusAndCode})${because}`
    return create('unauthenticated', message, `Log in again with ${svc`login`}, or set a new SVC_API_KEY`)
  }
  if (status === 403) {
    const message = `The service does not let ${request.caller} do this (${statusAndCode})${because}`
    return create('unauthenticated', message, 'Use a credential with more rights')
  }
  if (status === 404) {
    const message = `The service found nothing at ${request.method} ${request.path} (${statusAndCode})${because}`
    const hint = request.listBaseUrl
      ? `Check the base URL: nothing of the service is at ${request.listBaseUrl}${request.path}`
      : 'Check the id, and that it belongs to this profile'
    return create('notFound', message, hint)
  }
  if (isOutcomeUnclear(request, status)) return createOutcomeUnknown(request, answered, {statusCode: status, body})
  if (status === 429) {
    return create('unreachable', `The service ${answered}`, describeWait(reply) ?? 'Wait a little and try again')
  }
  if (status === 408 || status === 425 || status >= 500) {
    return create('unreachable', `The service at ${request.host} ${answered}`, describeWait(reply) ?? 'Try again later')
  }
  return create(
    'refused',
    `The service refused the request (${statusAndCode})${because}`,
    error === 'PATCH_NOT_ALLOWED' ? describePatching() : undefined,
  )
}

function describeWait({headers}: Reply): string | undefined {
  const seconds = Math.ceil((retryAfterMs(headers) ?? 0) / 1000)
  return seconds > 0 ? `It asks to wait ${seconds} s before the next request: try again after that` : undefined
}

// Of another origin only the origin is shown, and never a query: either may carry a secret.
function describeTarget(location: string | null, requestUrl: string | undefined): string | undefined {
  const target = location ? URL.parse(location, requestUrl) : null
  if (!target || !/^https?:$/.test(target.protocol)) return undefined
  return target.origin === (requestUrl && URL.parse(requestUrl)?.origin)
    ? `${target.origin}${target.pathname}`
    : target.origin
}

// Redirects are never followed: the credential belongs to one origin. Whether a write was done before it was redirected is not known.
function createRedirectFailure(request: FailedRequest, reply: Reply): SvcError {
  const target = describeTarget(reply.headers.get('location'), request.url)
  const why = `answered ${reply.status}, a redirect${target ? ` to ${target}` : ''}, which svc never follows`
  const statusCode = reply.status
  if (isWrite(request.method)) return createOutcomeUnknown(request, why, {statusCode})
  return createUnreachable(request, why, 'Check the base URL', {statusCode})
}

const reasonLengthMax = 1000
// How far into a web page its title is looked for.
const titleWithin = 4000
const titleLengthMax = 80

// Words of the service. A number is none: it says nothing beside the status.
function toReason(value: unknown): string | undefined {
  const text = (typeof value === 'string' ? value : '')
    .slice(0, reasonLengthMax * 2)
    .trim()
    .replaceAll(/\s+/g, ' ')
  return text.length <= reasonLengthMax ? text || undefined : `${text.slice(0, reasonLengthMax)}…`
}

// The code and the message of an error of the interface; many services list several messages. `text` is the body, and `json` what it
// was parsed to, if it is JSON. Of a web page only the title is repeated.
export function readErrorBody(json: unknown, text = ''): {error?: string; message?: string} {
  if (json === undefined && /^\s*</.test(text)) {
    const [, title = ''] = /<title[^<>]{0,100}>([^<>]{0,200})/i.exec(text.slice(0, titleWithin)) ?? []
    const shown = toReason(title.trim().slice(0, titleLengthMax))
    return {message: shown === undefined ? 'a web page' : `a web page, ${shown}`}
  }
  if (json === undefined) return omitUndefined({message: toReason(text.slice(0, reasonLengthMax * 2))})
  const {error, message} = isRecord(json) ? json : {}
  const messages = [message].flat().flatMap((one) => toReason(one) ?? [])
  return omitUndefined({error: toReason(error), message: toReason(messages.join('; '))})
}

// How to see whether a write with an unknown outcome happened. The id is the last segment of the path.
const outcomeChecks: ReadonlyArray<readonly [method: string, path: RegExp, advise: (id: string) => string]> = [
  [
    'POST',
    /^\/customers$/,
    () => `Look for the email in ${svc`customers list --all`} before you create the customer again`,
  ],
  [
    'PATCH',
    /^\/customers\/[^/]+$/,
    (id) => `See ${svc`customers get ${id}`}: the customer is UNDER_REVIEW if it arrived`,
  ],
  ['POST', /^\/quotes$/, () => 'Request it again: a quote moves no money, and an unused one expires'],
  ['POST', /^\/transactions$/, () => `Look for it in ${svc`transactions list`} before you send it again`],
  [
    'POST',
    /^\/automation-rules$/,
    () =>
      `See whether it is in ${svc`rules list`}; it is safe to run ${svc`rules create`} again, because it looks first`,
  ],
  [
    'PUT',
    /^\/automation-rules\/[^/]+$/,
    (id) => `See its state with ${svc`rules get ${id}`}; it is safe to send the same again`,
  ],
  ['DELETE', /^\/automation-rules\/[^/]+$/, (id) => `See whether it is still there with ${svc`rules get ${id}`}`],
]

function getLastId(path: string): string {
  const segment = path.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

export function describeCheck({method, path}: RequestLine): string {
  const [, , advise] = outcomeChecks.find(([each, pattern]) => each === method && pattern.test(path)) ?? []
  return advise?.(getLastId(path)) ?? 'Check what the service has before you send it again'
}

// Shown if svc is stopped while a write is under way, since the write may have arrived.
export const describeInterruptedWrite = (write: RequestLine): {message: string; hint: string} => ({
  message: `Stopped while ${write.method} ${write.path} was under way: it may or may not have happened`,
  hint: describeCheck(write),
})
