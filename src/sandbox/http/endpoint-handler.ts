// The type of the function that answers an endpoint, read off the contract.
import type {z} from 'zod'
import type {EndpointName, Endpoints} from '../../contract/endpoints.ts'
import type {RequestContext} from '../request-context.ts'
import type {SerializedJson} from './serialized-json.ts'

type EndpointOf<N extends EndpointName> = N extends `${infer Topic extends keyof Endpoints}.${infer Verb}`
  ? Verb extends keyof Endpoints[Topic]
    ? Endpoints[Topic][Verb]
    : never
  : never

type PartNames = 'params' | 'query' | 'headers' | 'body'

// Only the parts that the endpoint has: a handler cannot ask for a body that never comes.
type Input<N extends EndpointName> = {
  [P in PartNames & keyof EndpointOf<N>]: EndpointOf<N>[P] extends z.ZodType ? z.output<EndpointOf<N>[P]> : never
}

type Reply<N extends EndpointName> = EndpointOf<N> extends {reply: infer R extends z.ZodType} ? z.output<R> : never

// Synchronous, since it runs inside a transaction that nothing else may enter.
export type EndpointHandler<N extends EndpointName> = (
  turn: RequestContext,
  input: Input<N>,
) => Reply<N> | SerializedJson

// A handler for every endpoint: one that is forgotten does not compile.
export type Handlers = {[N in EndpointName]: EndpointHandler<N>}
