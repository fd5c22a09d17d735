// What each step of a scenario takes. The first field of a step names what it does.
import {z} from 'zod'
import {customerTypes, developerFeeTypes} from '../../contract/vocabulary.ts'
import {amount, email, text} from '../../contract/scalars.ts'
import {dayMs, readDurationMs, toInstantMs} from '../../values/time.ts'
import type {Field, Fields, FieldValue} from '../operations/fields.ts'
import {operations} from '../operations/operations.ts'
import {behaviourFields} from '../service/faults/behaviour-table.ts'
import {idempotencyPattern} from '../service/faults/behaviours.ts'

// The fields that steps of a scenario have in common. Numbers arrive as the text that the file has, so that no amount is rounded.
const name = z.string('must be a name').regex(/^[a-z][\w-]{0,63}$/i, 'must be a name such as ada or first-quote')

// A thing that an earlier step made, such as $ada, or an id.
export const reference = text

export const instant = z
  .string('must be a point in time, such as 2026-03-02T09:00:00Z')
  .refine((value) => toInstantMs(value) !== undefined, 'must be a point in time, such as 2026-03-02T09:00:00Z')
  .transform((value) => new Date(toInstantMs(value) ?? 0))

const durationMsMax = 100 * 366 * dayMs
const durationMessage = 'must be a duration, such as 30s, 5m, 2h or 7d'

const duration = z
  .string(durationMessage)
  .refine((value) => {
    const ms = readDurationMs(value)
    return ms !== undefined && ms <= durationMsMax
  }, durationMessage)
  .transform((value) => readDurationMs(value) ?? 0)

export function wholeNumber(min: number, max = 1_000_000) {
  const message = `must be a whole number from ${min} to ${max}`
  return z
    .string(message)
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
}

const shareMessage = 'must be a number above 0 and up to 1, such as 0.3'

const share = z
  .string(shareMessage)
  .regex(/^(0?\.\d{1,9}|1(\.0+)?)$/, shareMessage)
  .transform(Number)
  .refine((value) => value > 0, shareMessage)

// Data for the service, which decides what of it is valid. A refusal may be what the scenario is about.
const data = z.record(z.string(), z.unknown(), 'must be an object')

// What a request to the service takes besides its content: whether it is to be refused, and in which words.
const refusal = {fails: text.optional(), message: text.optional()}

const verificationData = {
  // An invented person or business with everything that a verification asks for. The fields of kyc or kyb override it.
  data: z.literal('complete', 'must be complete, or left out').optional(),
  kyc: data.optional(),
  kyb: data.optional(),
}

const route = {
  of: reference.optional(),
  from: reference,
  to: reference,
  fromCurrency: text.optional(),
  fromMethod: text.optional(),
  toCurrency: text.optional(),
  toMethod: text.optional(),
  developerFee: amount.optional(),
  developerFeeType: z.enum(developerFeeTypes).optional(),
}

const pricedRoute = {...route, amount, guarantee: z.boolean().optional()}
const sending = {key: text.optional(), correlationId: text.optional()}

const seconds = z
  .string('must be a number of seconds')
  .regex(/^-?\d{1,9}$/, 'must be a number of seconds')
  .transform(Number)

const idempotency = z.string().regex(idempotencyPattern, 'must be as for `svc sandbox faults set --idempotency`')

// How a field of an operation is written in a step.
function createFieldSchema({type, choices = [], min = 0, max, isRequired}: Field): z.ZodType {
  const schemas: Partial<Record<Field['type'], () => z.ZodType>> = {
    texts: () => z.array(text, 'must be a list of issue codes'),
    choice: () => z.enum(choices),
    boolean: () => z.boolean(),
    count: () => wholeNumber(min, max),
    share: () => share,
    amount: () => amount,
    milliseconds: () => duration,
    seconds: () => seconds,
    idempotency: () => idempotency,
  }
  const schema = schemas[type]?.() ?? text
  return isRequired ? schema : schema.optional()
}

// A duration has its unit, so its name has none: delayMs is delay.
type StepShape<F> = {
  [K in keyof F as K extends `${infer Name}Ms` ? Name : K]: F[K] extends {readonly isRequired: true}
    ? z.ZodType<FieldValue<F[K]>>
    : z.ZodOptional<z.ZodType<FieldValue<F[K]>>>
}

// The input of an operation as the fields of a step, without those that the step has under another name.
const takeFields = <F extends Fields, const N extends keyof F = never>(fields: F, ...others: N[]) =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([field]) => !others.some((other) => other === field))
      .map(([field, definition]) => [field.replace(/Ms$/, ''), createFieldSchema(definition)]),
  ) as StepShape<Omit<F, N>>

const clockMessage = 'must be until-idle, to-next, freeze, run, {advance: 5m} or {to: 2026-03-02T09:00:00Z}'
const clockMove = z.union(
  [
    z.enum(['until-idle', 'to-next', 'freeze', 'run']),
    z.strictObject({advance: duration}),
    z.strictObject({to: instant}),
  ],
  clockMessage,
)

const receiverReply = z.union(
  [z.literal('timeout'), wholeNumber(200, 599)],
  'must be a status from 200 to 599, or timeout',
)

const step = <T extends z.core.$ZodLooseShape>(shape: T) =>
  z.strictObject({note: text.optional(), expect: z.unknown().optional(), ...shape})

export const stepSchemas = {
  customer: step({
    customer: name,
    existing: text.optional(),
    type: z.enum(customerTypes).default('INDIVIDUAL'),
    firstName: text.optional(),
    lastName: text.optional(),
    businessName: text.optional(),
    email: email.optional(),
    ...verificationData,
    ...refusal,
  }),
  submit: step({submit: reference, ...verificationData, ...refusal}),
  verify: step({verify: reference, ...takeFields(operations.verify.input, 'customerId')}),
  account: step({
    account: name,
    of: reference,
    existing: z.boolean().optional(),
    ...takeFields(operations['accounts.add'].input, 'customerId'),
    // The chain of a wallet is its method, too.
    method: text.optional(),
  }),
  fund: step({fund: reference, ...takeFields(operations.fund.input, 'paymentAccountId')}),
  quote: step({quote: name, ...pricedRoute, ...refusal}),
  transaction: step({transaction: name, quote: reference, ...sending, ...refusal}),
  pay: step({pay: name, ...pricedRoute, ...sending, ...refusal}),
  settle: step({settle: reference, ...takeFields(operations.settle.input, 'transactionId')}),
  rule: step({
    rule: name,
    ...route,
    amount: amount.optional(),
    percent: amount.optional(),
    cron: text.optional(),
    threshold: amount.optional(),
    ...refusal,
  }),
  fault: step({fault: name, ...takeFields(operations['faults.add'].input)}),
  faults: step({faults: z.literal(['off', false], 'must be off')}),
  behave: step({
    behave: z.union(
      [z.literal('default'), z.strictObject(takeFields(behaviourFields))],
      'must be default, or an object of behaviours',
    ),
  }),
  remove: step({remove: reference}),
  webhook: step({
    webhook: name,
    replies: z.array(receiverReply, 'must be a list of statuses').min(1, 'must not be empty').optional(),
    ...takeFields(operations['webhooks.add'].input, 'url', 'allowRemote'),
  }),
  clock: step({clock: clockMove}),
  snapshot: step({snapshot: text}),
  restore: step({restore: text}),
  seed: step({seed: wholeNumber(1)}),
  request: step({
    request: z
      .string('must be a method and a path, such as GET /customers')
      .regex(/^(GET|POST|PUT|PATCH|DELETE) \/\S*$/, 'must be a method and a path, such as GET /customers'),
    as: name.optional(),
    body: z.unknown().optional(),
    key: text.optional(),
    ...refusal,
  }),
  expect: step({}),
} as const

export type Action = keyof typeof stepSchemas
export type StepFields<A extends Action> = z.output<(typeof stepSchemas)[A]>

// What a step makes or finds under a name, so that later steps can refer to it.
export type ThingKind = 'customer' | 'account' | 'quote' | 'transaction' | 'rule' | 'fault' | 'webhook' | 'reply'

export const isAction = (word: string | undefined): word is Action =>
  word !== undefined && Object.hasOwn(stepSchemas, word)

// The kind of thing that each action makes, and the field that has its name.
export const makes: Partial<Record<Action, {kind: ThingKind; field: string}>> = {
  customer: {kind: 'customer', field: 'customer'},
  account: {kind: 'account', field: 'account'},
  quote: {kind: 'quote', field: 'quote'},
  transaction: {kind: 'transaction', field: 'transaction'},
  pay: {kind: 'transaction', field: 'pay'},
  rule: {kind: 'rule', field: 'rule'},
  fault: {kind: 'fault', field: 'fault'},
  webhook: {kind: 'webhook', field: 'webhook'},
  request: {kind: 'reply', field: 'as'},
}

type FieldKinds = Readonly<Record<string, readonly ThingKind[]>>

const routeKinds: FieldKinds = {of: ['customer'], from: ['account'], to: ['account']}

// The kinds of things that a field may refer to.
export const refersTo: Partial<Record<Action, FieldKinds>> = {
  submit: {submit: ['customer']},
  verify: {verify: ['customer']},
  account: {of: ['customer']},
  fund: {fund: ['account']},
  quote: routeKinds,
  transaction: {quote: ['quote']},
  pay: routeKinds,
  settle: {settle: ['transaction']},
  rule: routeKinds,
  remove: {remove: ['rule', 'fault', 'webhook']},
}
