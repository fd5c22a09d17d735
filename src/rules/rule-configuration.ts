// A rule as requests carry it, and how two of them are compared: whatever spelling each came in.
import type {z} from 'zod'
import {isZeroAmount, normalizeAmount} from '../validation/money.ts'
import {ruleFieldsChangeable} from '../contract/limits.ts'
import type {ruleCreate} from '../contract/rules.ts'

export type RuleConfiguration = z.infer<typeof ruleCreate>

type Fields = Readonly<Record<string, unknown>>

const toFields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})

// Requests carry a currency as its label, replies as an object.
const toCurrencyLabel = (currency: unknown) => (typeof currency === 'string' ? currency : toFields(currency)['label'])

// Null in a reply means absent, and what the contract does not know is not sent back.
const omitAbsent = (fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))

const plainDecimal = /^\d+(\.\d+)?$/

// Requests carry an amount as a plain decimal string. One that is plain keeps its spelling, since a service may compare it to
// the letter; a number, or one with an exponent, is written out.
function toDecimalText(amount: unknown): unknown {
  if (typeof amount === 'string') return plainDecimal.test(amount) ? amount : normalizeAmount(amount)
  if (typeof amount === 'number') return normalizeAmount(String(amount))
  return JSON.isRawJSON(amount) ? normalizeAmount(amount.rawJSON) : amount
}

function toTrigger(trigger: Fields) {
  const {type, cronSchedule} = trigger
  const thresholdAmount = toDecimalText(trigger['thresholdAmount'])
  if (type === 'THRESHOLD_BASED') return omitAbsent({type, thresholdAmount})
  if (type === 'TIME_BASED') return omitAbsent({type, cronSchedule})
  return omitAbsent({type, thresholdAmount, cronSchedule})
}

// The configuration of a rule that the service sent, in the form in which it is sent back.
export function toConfiguration(rule: unknown): RuleConfiguration {
  const {name, customerId, transactionTemplate, trigger} = toFields(rule)
  const template = toFields(transactionTemplate)
  const {sourcePaymentAccountId, sourcePaymentMethod, sourceCurrency} = toFields(template['source'])
  const {destinationPaymentAccountId, destinationPaymentMethod, destinationCurrency} = toFields(template['destination'])
  const {type, value} = toFields(template['amount'])
  const {developerFeeType, developerFeeAmount} = toFields(template['developerFee'])
  const developerFee = omitAbsent({developerFeeType, developerFeeAmount: toDecimalText(developerFeeAmount)})
  return {
    ...omitAbsent({name, customerId}),
    transactionTemplate: {
      source: omitAbsent({
        sourcePaymentAccountId,
        sourcePaymentMethod,
        sourceCurrency: toCurrencyLabel(sourceCurrency),
      }),
      destination: omitAbsent({
        destinationPaymentAccountId,
        destinationPaymentMethod,
        destinationCurrency: toCurrencyLabel(destinationCurrency),
      }),
      amount: omitAbsent({type, value: toDecimalText(value)}),
      ...(Object.keys(developerFee).length > 0 && {developerFee}),
    },
    trigger: toTrigger(toFields(trigger)),
  } as unknown as RuleConfiguration
}

const amountFields = new Set(['value', 'thresholdAmount', 'developerFeeAmount'])
// Codes, whose case says nothing.
const codeFields = new Set(['sourceCurrency', 'destinationCurrency', 'sourcePaymentMethod', 'destinationPaymentMethod'])
// Opaque, but those that are UUIDs are the same in either case.
const idFields = new Set(['customerId', 'sourcePaymentAccountId', 'destinationPaymentAccountId'])
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

// Two rules that are the same must never look different: the second would be made, and pay as well.
function normalizeValue(field: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (amountFields.has(field)) return normalizeAmount(value)
  if (codeFields.has(field)) return value.toUpperCase()
  if (field === 'cronSchedule') return value.trim().replaceAll(/\s+/g, ' ').toUpperCase()
  return idFields.has(field) && uuid.test(value) ? value.toLowerCase() : value
}

// Every value by its path, in one spelling. A developer fee of nothing is no developer fee.
function listLeaves(fields: Fields, path = ''): [path: string, value: unknown][] {
  return Object.entries(fields).flatMap(([field, value]): [string, unknown][] => {
    const at = path ? `${path}.${field}` : field
    if (field === 'developerFee' && isZeroAmount(String(toFields(value)['developerFeeAmount']))) return []
    if (typeof value === 'object' && value !== null) return listLeaves(value as Fields, at)
    return value === undefined ? [] : [[at, normalizeValue(field, value)]]
  })
}

export interface Difference {
  path: string
  // Absent where the rule has no such field.
  from?: unknown
  to?: unknown
}

// What would have to change in `from` to make it `to`. Both may come in any spelling that the service takes.
export function diffRules(from: RuleConfiguration, to: RuleConfiguration): Difference[] {
  const [before, after] = [new Map(listLeaves(from)), new Map(listLeaves(to))]
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => ({
      path,
      ...(before.has(path) && {from: before.get(path)}),
      ...(after.has(path) && {to: after.get(path)}),
    }))
}

export const isSameRule = (one: RuleConfiguration, other: RuleConfiguration) => diffRules(one, other).length === 0

// Whether PUT can change what stands at this path; all else of a rule is fixed for its life.
export const isChangeable = (path: string) =>
  ruleFieldsChangeable.some((field) => path === field || path.startsWith(`${field}.`))

// The wanted rule, with everything that PUT cannot change spelled as the service spelled it: a service may compare it to the
// letter, and call "500" another threshold than "500.00".
export const keepFixedFields = (before: RuleConfiguration, wanted: RuleConfiguration): RuleConfiguration => ({
  ...before,
  transactionTemplate: {...wanted.transactionTemplate, source: before.transactionTemplate.source},
})
