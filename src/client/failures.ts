// Every failure of a request becomes one of our errors here, with the exit code and the next step that fit it.
import {type ErrorKind, SvcError} from '../errors.ts'
import {type Reply, WireError, isUntrusted} from './http.ts'
import {rejectionHints, describeCheck} from './next-steps.ts'

export interface FailedRequest {
  method: string
  // The path as the interface writes it, or as the person gave it; never with personal data in it.
  path: string
  host: string
  // The base address, where nothing but that can be wrong with the path: it is one of the service's lists, and names no id.
  listBaseUrl?: string | undefined
  // How a person names whoever is calling: profile "acme", or the environment.
  caller: string
}

export const isWrite = (method: string) => method !== 'GET' && method !== 'HEAD'

export function createUnreachable(
  request: FailedRequest,
  why: string,
  hint: string,
  more: Partial<SvcError> = {},
): SvcError {
  return new SvcError({
    error: 'UNREACHABLE',
    kind: 'unreachable',
    message: `The service at ${request.host} ${why}`,
    hint,
    statusCode: more.statusCode,
    cause: more.cause,
  })
}

function createOutcomeUnknown(request: FailedRequest, why: string, statusCode?: number, cause?: unknown): SvcError {
  return new SvcError({
    error: 'OUTCOME_UNKNOWN',
    kind: 'unknownOutcome',
    message: `${request.method} ${request.path} may or may not have happened: the service ${why}`,
    hint: describeCheck(request),
    statusCode,
    cause,
  })
}

const wireReasons: Record<string, readonly [why: string, next: string]> = {
  ECONNREFUSED: ['refused the connection', 'Check the base address, and that the service is running'],
  ENOTFOUND: ['has no address: the name was not found', 'Check the base address and the network'],
  EAI_AGAIN: ['has no address for now: the name could not be looked up', 'Check the network and try again'],
  TIMEOUT: ['did not answer in time', 'Try again, or allow more with --request-timeout'],
  DEADLINE: ['did not answer within --timeout', 'Try again, or allow more with --timeout'],
  ECONNRESET: ['broke the connection off', 'Try again'],
  TRUNCATED: ['broke its reply off before the end', 'Try again'],
  CERT_HAS_EXPIRED: [
    'has a certificate that has expired',
    'Tell whoever runs it; svc never talks past a bad certificate',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: ['has a certificate for another name', 'Check the base address'],
  PROXY: ['could not be reached through the proxy', 'Check HTTPS_PROXY, or name the host in NO_PROXY'],
  UNKNOWN_ENCODING: ['encoded its reply in a way that svc does not read', 'Tell whoever runs it'],
  CORRUPT: ['sent a compressed reply that is damaged', 'Try again'],
  NOT_HTTP: ['sent something that is not HTTP', 'Check the base address'],
  UPGRADE: ['answered 101, another protocol', 'Check the base address'],
  REPLY_TOO_LARGE: ['sent more than svc is willing to read', 'Ask for smaller pages with --page-size'],
}

export function createWireFailure(request: FailedRequest, error: WireError): SvcError {
  const [why, next] = isUntrusted(error.code)
    ? ['has a certificate from an authority that is not trusted here', 'Name the authority’s PEM file in SVC_CA_FILE']
    : (wireReasons[error.code.startsWith('HPE_') ? 'NOT_HTTP' : error.code] ?? [
        `could not be spoken to (${error.code})`,
        'Check the network and try again',
      ])
  if (isWrite(request.method) && error.mayHaveArrived) return createOutcomeUnknown(request, why, undefined, error)
  return createUnreachable(request, why, next, {cause: error})
}

// A 2xx whose body is no JSON, or not what the endpoint answers.
export function createUnreadableReply(request: FailedRequest, status: number, what: string): SvcError {
  const why = `answered ${status} with ${what}`
  if (isWrite(request.method)) return createOutcomeUnknown(request, why, status)
  return createUnreachable(request, why, 'Check that the base address is the one of the service', {statusCode: status})
}

interface ErrorBody {
  error: string
  message: string
}

// Shorter text is no secret, and would be found in words that have nothing to do with it.
const credentialLengthMin = 8

// The service's own words, where the body has them; proxies and load balancers answer in other ways. Some services repeat
// the credential that they refuse, which must not end up in a log.
function readErrorBody(body: unknown, credential: string): Partial<ErrorBody> {
  if (typeof body !== 'object' || body === null) return {}
  const {error, message} = body as Record<string, unknown>
  const hideCredential = (text: string) =>
    credential.length < credentialLengthMin ? text : text.replaceAll(credential, '[credential]')
  return {
    ...(typeof error === 'string' && error !== '' && {error: hideCredential(error)}),
    ...(typeof message === 'string' && message !== '' && {message: hideCredential(message)}),
  }
}

const withoutFullStop = (sentence: string) => sentence.trim().replace(/\.+$/, '')

const fallbackCodes: Record<number, string> = {401: 'UNAUTHORIZED', 403: 'FORBIDDEN', 404: 'NOT_FOUND'}

export function createReplyFailure(request: FailedRequest, reply: Reply, body: unknown, credential: string): SvcError {
  const {status} = reply
  const errorBody = readErrorBody(body, credential)
  const error = errorBody.error ?? fallbackCodes[status] ?? `HTTP_${status}`
  const own = errorBody.message ? withoutFullStop(errorBody.message) : undefined
  const because = own ? `: ${own}` : ''
  const answered = `answered ${status} ${error}${because}`
  const make = (kind: ErrorKind, message: string, hint?: string) =>
    new SvcError({error, kind, message, hint, statusCode: status})

  if (status >= 300 && status < 400) return createRedirectFailure(request, reply)
  if (status === 401) {
    const message = `The service refused the credential of ${request.caller} (401 ${error})${because}`
    return make('unauthenticated', message, 'Log in again with `svc login`, or set SVC_API_KEY anew')
  }
  if (status === 403) {
    const message = `The service does not let ${request.caller} do this (403 ${error})${because}`
    return make('unauthenticated', message, 'Use a credential that may')
  }
  if (status === 404) {
    const message = `The service found nothing at ${request.method} ${request.path} (404 ${error})${because}`
    const hint = request.listBaseUrl
      ? `Check the base address: nothing of the service is at ${request.listBaseUrl}${request.path}`
      : 'Check the id, and that it belongs to this profile'
    return make('notFound', message, hint)
  }
  if (status === 429) {
    return make('unreachable', `The service ${answered}`, 'Wait a little and try again')
  }
  if (status === 408 || status === 425 || status >= 500) {
    if (isWrite(request.method)) return createOutcomeUnknown(request, answered, status)
    return make('unreachable', `The service at ${request.host} ${answered}`, 'Try again later')
  }
  return make('refused', `The service refused the request (${status} ${error})${because}`, rejectionHints[error])
}

const seeOther = 303

// A redirect is never followed: the credential belongs to one origin. "See other" after a write says that it was done.
function createRedirectFailure(request: FailedRequest, reply: Reply): SvcError {
  const location = reply.headers.get('location')
  const target = location && URL.parse(location, `https://${request.host}`)?.origin
  const why = `answered ${reply.status}, a redirect${target ? ` to ${target}` : ''}, which svc never follows`
  if (isWrite(request.method) && reply.status === seeOther) return createOutcomeUnknown(request, why, reply.status)
  return createUnreachable(request, why, 'Check the base address', {statusCode: reply.status})
}
