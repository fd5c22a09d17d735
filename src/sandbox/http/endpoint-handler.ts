// The type of the function that handles an endpoint, derived from the contract.
import type {z} from 'zod'
import type {EndpointName, Endpoints} from '../../contract/endpoints.ts'
import type {StoredList} from './reply.ts'
import type {RequestContext} from '../service/request-context.ts'

type EndpointOf<N extends EndpointName> = N extends `${infer Topic extends keyof Endpoints}.${infer Verb}`
  ? Verb extends keyof Endpoints[Topic]
    ? Endpoints[Topic][Verb]
    : never
  : never

type PartNames = 'params' | 'query' | 'headers' | 'body'

// Only the parts that the endpoint has, so that a handler cannot use a body that never arrives.
type Input<N extends EndpointName> = {
  [P in PartNames & keyof EndpointOf<N>]: EndpointOf<N>[P] extends z.ZodType ? z.output<EndpointOf<N>[P]> : never
}

// A list may be one of stored items.
type Stored<R> = {[K in keyof R]: R[K] extends readonly unknown[] ? R[K] | StoredList : R[K]}

type Reply<N extends EndpointName> =
  EndpointOf<N> extends {reply: infer R extends z.ZodType} ? Stored<z.output<R>> : never

// Handlers are synchronous, because they run inside a transaction.
export type EndpointHandler<N extends EndpointName> = (context: RequestContext, input: Input<N>) => Reply<N>

// A missing handler is a compile error.
export type Handlers = {[N in EndpointName]: EndpointHandler<N>}
