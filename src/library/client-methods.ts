// The functions of the client that programs import, derived from the table of endpoints: the arguments of each are the parameters of
// its path, its body, and an object with its query and headers. For programs, the build writes them out (scripts/library-types.ts).
import type {z} from 'zod'
import type {Endpoint, Endpoints} from '../contract/endpoints.ts'

type Method<E extends Endpoint> = (...values: readonly unknown[]) => Promise<z.output<E['reply']>>

type Item<E extends Endpoint> = E extends {items: infer Key extends keyof z.output<E['reply']>}
  ? z.output<E['reply']>[Key] extends ReadonlyArray<infer One>
    ? One
    : never
  : never

// A list that has pages can also be read as a whole.
type WholeList<Topic> = Topic extends {list: infer E extends Endpoint}
  ? {all: (filter?: object) => AsyncIterableIterator<Item<E>>}
  : unknown

type Methods<Topic> = {
  [Verb in keyof Topic]: Topic[Verb] extends Endpoint ? Method<Topic[Verb]> : never
} & WholeList<Topic>

export type Client = {[Topic in keyof Endpoints]: Methods<Endpoints[Topic]>}
