// The client of `svc/client`: every endpoint of the service as a function, with the checks, retries and errors of the command
// line.
import {createWireFetch, readWireSettings} from '../client/http.ts'
import {noCredential} from '../errors.ts'
import type {Client} from './client-methods.ts'
import type {ClientOptions} from './client-types.ts'
import {createTypedClient} from './typed-client.ts'
import {parseBaseUrl} from '../values/urls.ts'

export {SvcError} from '../errors.ts'
export type {Effect, ErrorKind} from '../errors.ts'
export type * from './client-methods.ts'
export type * from './client-types.ts'
export type * from './service-types.ts'

export function createClient(options: ClientOptions): Client {
  const {baseUrl, credential} = options
  const address = parseBaseUrl(baseUrl, 'baseUrl')
  const isFunction = typeof credential === 'function'
  return createTypedClient(
    {
      baseUrl: address,
      fetch: createWireFetch(address.startsWith('https:') ? readWireSettings() : {}),
      credential: async (wasRejected) => {
        const found = isFunction ? await credential(wasRejected) : credential
        if (typeof found === 'string' && found !== '') return found
        throw noCredential('The client has no credential', 'Give createClient an API key or a JWT')
      },
      renewable: isFunction,
    },
    options,
  )
}
