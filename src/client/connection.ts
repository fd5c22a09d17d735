// What the client needs to know about a service and about who calls it.
import type {WireEndpoint} from '../contract/wire.frozen.ts'
import type {Fetch, Reply} from './http.ts'

export const requestTimeoutMsDefault = 30_000

export interface RequestLine {
  method: string
  // Without the query.
  path: string
}

export interface ObservedReply extends Pick<Reply, 'status' | 'headers'>, RequestLine {
  text?: string | undefined
  // What the text was parsed to, if that happened already. It belongs to the caller of the request, so it must not be changed.
  json?: unknown
}

export interface Connection {
  // Address of the service, without a slash at the end. The credential is sent to its origin and nowhere else.
  baseUrl: string
  fetch: Fetch
  // Called before every attempt, so that a token that expires during a long wait is renewed. `wasRejected` is true if the
  // service has just rejected the previous credential; `limitMs` is what is left of --timeout.
  credential(wasRejected: boolean, limitMs?: number): Promise<string>
  // Whether a rejected credential can be renewed.
  renewable: boolean
  // How messages name the caller: profile "acme", or the environment.
  callerLabel: string
  userAgent: string
  requestTimeoutMs: number
  // When the whole command must have its answer, on the clock of performance.now().
  deadlineMs?: number | undefined
  // Ends requests in progress, and lets no further one start. Only for reads: a write that is cut off may have happened.
  signal?: AbortSignal | undefined
  // Rejects, by throwing, every write that the caller may not send or did not authorize.
  gate: {enforce(request: RequestLine): void}
  // Called as each write is sent; the returned function is called once its outcome is known.
  onWrite?: ((write: RequestLine) => () => void) | undefined
  // Called after every attempt, for --verbose and for notices about long waits.
  onAttempt?: ((event: AttemptEvent) => void) | undefined
  // Called with every reply, for callers that need its headers, such as Date.
  onReply?: ((reply: ObservedReply) => void) | undefined
  // Called with the text of a reply that is an error or that cannot be read, for --verbose. It never has the credential.
  onUnreadBody?: ((text: string) => void) | undefined
  // Whether a failed read is retried, which is the default.
  retriesReads?: boolean | undefined
}

export interface AttemptEvent extends RequestLine {
  outcome: string
  elapsedMs: number
  // Present if the same request will be sent again.
  retryInMs?: number
}

export interface ServiceRequest {
  method: string
  // Everything after the base URL, encoded; it may have a query of its own.
  path: string
  query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  headers?: Readonly<Record<string, string>> | undefined
  // The exact bytes of the body, so that what was validated is what is sent.
  body?: string | undefined
  // Never sent twice, not even with a renewed credential.
  isSentOnce?: boolean | undefined
  // The one whose reply is expected. Any other reply is reported, and returned all the same.
  endpoint?: WireEndpoint | undefined
}
