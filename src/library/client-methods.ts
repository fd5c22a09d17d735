// The functions of the client that programs import, derived from the table of endpoints: the arguments of each are the parameters of
// its path, its body, and an object with its query and headers. A list that has pages can also be read as a whole. For programs, the
// build writes them out with all their types (scripts/library-types.ts).
import type {z} from 'zod'
import type {Endpoint, Endpoints} from '../contract/endpoints.ts'

type Method<E> = E extends Endpoint ? (...values: readonly unknown[]) => Promise<z.output<E['reply']>> : never

type Methods<Topic> = {[Verb in keyof Topic]: Method<Topic[Verb]>} & {all(filter?: object): AsyncIterable<unknown>}

export type Client = {[Topic in keyof Endpoints]: Methods<Endpoints[Topic]>}
