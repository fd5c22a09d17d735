// The entities as they may arrive in replies: any field may be missing, null or of another type than the contract says.
import type {z} from 'zod'
import type {account} from './accounts.ts'
import type {customer} from './customers.ts'
import type {currency} from './scalars.ts'
import type {quote} from './quotes.ts'
import type {rule} from './rules.ts'
import type {transaction} from './transactions.ts'

// What a service might send in place of a list. Array.isArray tells the two apart.
type NotAList = string | number | boolean | null

// Known objects can be read with `?.` at any depth, which is safe whatever the service sent. Lists need Array.isArray, and
// scalars are unknown until they are checked. Fields that the contract does not name may be there as well.
export type Loose<T> = T extends readonly (infer Element)[]
  ? Loose<Element>[] | NotAList
  : T extends z.output<typeof currency>
    ? LooseCurrency
    : T extends object
      ? LooseObject<T> | null
      : unknown

export type LooseObject<T extends object> = {
  readonly [Field in keyof T]?: Loose<Exclude<T[Field], undefined>> | undefined
}

// Replies carry a currency as an object and requests as its label. Both are read in either place.
export type LooseCurrency = LooseObject<z.output<typeof currency>> | string | null | undefined

export const getCurrencyLabel = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'label' in value
    ? value.label
    : typeof value === 'string'
      ? value
      : undefined

// A status or a type of a reply, for comparing: services differ in its case. Empty if it is no text.
export const readCode = (value: unknown): string => (typeof value === 'string' ? value.trim().toUpperCase() : '')

export type LooseCustomer = LooseObject<z.output<typeof customer>>
export type LooseTransaction = LooseObject<z.output<typeof transaction>>
export type LooseQuote = LooseObject<z.output<typeof quote>>
export type LooseRule = LooseObject<z.output<typeof rule>>
export type LoosePaymentAccount = LooseObject<z.output<typeof account>>

// The bad endings of a transaction: it exists and will not change any more, but the money did not arrive.
const badEndings = ['FAILED', 'CANCELLED', 'EXPIRED'] as const
export type BadEnding = (typeof badEndings)[number]

// Undefined if the transaction goes on, or has ended well.
export const readBadEnding = ({transactionStatus: status}: LooseTransaction): BadEnding | undefined =>
  badEndings.find((ending) => ending === readCode(status))

export const hasFinalStatus = (transaction: LooseTransaction): boolean =>
  readCode(transaction.transactionStatus) === 'COMPLETED' || readBadEnding(transaction) !== undefined

export type LooseVerificationIssue = Extract<LooseCustomer['verificationIssues'], readonly unknown[]>[number]

// A list reply always has a list of objects under its items key, because the client rejects any other reply.
export type LooseReply<T extends object, ItemsKey> = [ItemsKey] extends [keyof T]
  ? LooseObject<Omit<T, ItemsKey>> & {
      readonly [Key in ItemsKey]: T[Key] extends readonly (infer Item extends object)[] ? LooseObject<Item>[] : never
    }
  : LooseObject<T>
