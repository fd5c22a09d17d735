// The functions of the client that programs import, derived from the table of endpoints. For programs, the build writes them out
// one by one (scripts/library-types.ts).
import type {z} from 'zod'
import type {Endpoint, Endpoints} from '../contract/endpoints.ts'

type Part<E, Name extends keyof Endpoint> = E extends Record<Name, infer S extends z.ZodType> ? z.input<S> : object

type ToCamelCase<Name> = Name extends `${infer Word}-${infer Rest}` ? `${Word}${Capitalize<ToCamelCase<Rest>>}` : Name

// A header as it is named among the options: x-idempotency-key is given as idempotencyKey.
type HeaderOptions<Headers> = {
  [Name in keyof Headers as ToCamelCase<Name extends `x-${infer Rest}` ? Rest : Name> & string]: Headers[Name]
}

type Options<E> = Part<E, 'query'> & HeaderOptions<Part<E, 'headers'>>

type LastArgument<T> = [keyof T] extends [never] ? [] : object extends T ? [options?: T] : [options: T]

type PathArguments<Path> = Path extends `${string}{${string}}${infer Rest}` ? [id: string, ...PathArguments<Rest>] : []

type BodyArgument<E> = E extends {body: infer S extends z.ZodType} ? [body: z.input<S>] : []

type Method<E extends Endpoint> = (
  ...values: [...PathArguments<E['path']>, ...BodyArgument<E>, ...LastArgument<Options<E>>]
) => Promise<z.output<E['reply']>>

type Item<E extends Endpoint> = E extends {items: infer Key extends keyof z.output<E['reply']>}
  ? z.output<E['reply']>[Key] extends ReadonlyArray<infer One>
    ? One
    : never
  : never

type PageOptions = 'pageToken' | 'pageSize'

// A list that has pages can also be read as a whole.
type WholeList<E extends Endpoint> = (
  ...values: LastArgument<Omit<Options<E>, PageOptions>>
) => AsyncIterableIterator<Item<E>>

type Methods<Topic> = {
  [Verb in keyof Topic]: Topic[Verb] extends Endpoint ? Method<Topic[Verb]> : never
} & (Topic extends {list: infer E extends Endpoint}
  ? PageOptions extends keyof Options<E>
    ? {all: WholeList<E>}
    : unknown
  : unknown)

export type Client = {[Topic in keyof Endpoints]: Methods<Endpoints[Topic]>}
