// The client of `svc/client`: every endpoint of the service as a function, with the checks, retries and errors of the command
// line.
import {createWireFetch, readWireSettings} from '../client/http.ts'
import {requestTimeoutMsDefault} from '../client/connection.ts'
import {noCredential} from '../errors.ts'
import type {Client} from './client-methods.ts'
import {createTypedClient} from './typed-client.ts'
import {parseBaseUrl} from '../values/urls.ts'

export {SvcError} from '../errors.ts'
export type {Effect, ErrorKind} from '../errors.ts'
export type * from './client-methods.ts'
export type * from './service-types.ts'

export interface ClientOptions {
  /** The address of the service. The credential is sent to its origin and nowhere else. */
  baseUrl: string
  /**
   * An API key or a JWT, or a function that returns one. The function is called before every request; `wasRejected` is true
   * after the service has answered 401, and the same request is then sent once more.
   */
  credential: string | ((wasRejected: boolean) => string | Promise<string>)
  /** How long one request may take. 30 seconds if it is left out. */
  timeoutMs?: number | undefined
  /** Whether reads that fail for a moment are tried again, which is the default. Writes never are. */
  retries?: boolean | undefined
  /** Ends reads that are under way, and lets no further request start. */
  signal?: AbortSignal | undefined
  /** Called if a reply does not have what the interface says. The reply is returned all the same. */
  onWarning?: ((message: string) => void) | undefined
}

/** Which page of a list, and how long it is. */
export interface PageQuery {
  /** The nextPageToken of the previous page. */
  pageToken?: string | undefined
  pageSize?: number | undefined
}

export interface NextPage {
  /** Absent, null or empty on the last page. */
  nextPageToken?: string | null | undefined
}

export function createClient(options: ClientOptions): Client {
  const {baseUrl, credential, timeoutMs = requestTimeoutMsDefault, retries, signal, onWarning} = options
  const address = parseBaseUrl(baseUrl, 'baseUrl')
  const isFunction = typeof credential === 'function'
  return createTypedClient({
    baseUrl: address,
    fetch: createWireFetch(address.startsWith('https:') ? readWireSettings() : {}),
    credential: async (wasRejected) => {
      const found = isFunction ? await credential(wasRejected) : credential
      if (typeof found === 'string' && found !== '') return found
      throw noCredential('The client has no credential', 'Give createClient an API key or a JWT')
    },
    renewable: isFunction,
    requestTimeoutMs: timeoutMs,
    retriesReads: retries,
    signal,
    onContractViolation: (endpoint, problems) =>
      onWarning?.(`The reply to ${endpoint} ${problems.map(({path, message}) => `${path} ${message}`).join('; ')}`),
  })
}
