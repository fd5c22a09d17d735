// What a scenario may expect. The first field of an expectation names what it is about.
import {z} from 'zod'
import {customerStatuses} from '../../contract/vocabulary.ts'
import {amount, text} from '../../contract/scalars.ts'
import {transitions, type TransactionStatus} from '../service/money/transitions.ts'
import {type ThingKind, instant, reference, wholeNumber} from './step-schemas.ts'
import type {Countable} from './controls.ts'

const customerStatus = z.enum(customerStatuses)
const transactionStatus = z.enum(Object.keys(transitions) as [TransactionStatus, ...TransactionStatus[]])
const countables = [
  'customers',
  'accounts',
  'transactions',
  'rules',
  'events',
  'deliveries',
] as const satisfies readonly Countable[]

export const expectationSchemas = {
  customer: z.strictObject({
    customer: reference,
    status: customerStatus.optional(),
    issues: z.array(text, 'must be a list of issue codes').optional(),
  }),
  transaction: z.strictObject({transaction: reference, status: transactionStatus}),
  balance: z.strictObject({balance: reference, currency: text.default('USDC'), is: amount}),
  count: z.strictObject({
    count: z.enum(countables),
    of: reference.optional(),
    status: text.optional(),
    is: wholeNumber(0),
  }),
  event: z.strictObject({
    event: text,
    of: reference.optional(),
    status: customerStatus.optional(),
    delivered: z.boolean().optional(),
    times: wholeNumber(0).optional(),
  }),
  rule: z.strictObject({rule: reference, fired: wholeNumber(0)}),
  fault: z.strictObject({fault: reference, acted: wholeNumber(0)}),
  value: z.strictObject({value: z.unknown(), is: z.unknown()}),
  time: z.strictObject({time: instant}),
} as const

export type Subject = keyof typeof expectationSchemas
export type Expectation<S extends Subject> = z.output<(typeof expectationSchemas)[S]>

export const isSubject = (word: string | undefined): word is Subject =>
  word !== undefined && Object.hasOwn(expectationSchemas, word)

export const expectationRefersTo: Partial<Record<Subject, Readonly<Record<string, readonly ThingKind[]>>>> = {
  customer: {customer: ['customer']},
  transaction: {transaction: ['transaction']},
  balance: {balance: ['account']},
  count: {of: ['customer', 'account']},
  event: {of: ['customer']},
  rule: {rule: ['rule']},
  fault: {fault: ['fault']},
}
