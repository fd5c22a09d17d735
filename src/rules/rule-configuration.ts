// The configuration of a rule as requests carry it, and the comparison of two configurations whatever their spelling.
import {joinPath} from '../contract/shape.ts'
import {isUuid} from '../contract/ids.ts'
import type {z} from 'zod'
import {ruleFieldsChangeable} from '../contract/vocabulary.ts'
import {type LooseRule, getCurrencyLabel, readCode} from '../contract/loose.ts'
import type {ruleCreate} from '../contract/rules.ts'
import {type Body, withValue, withoutValue} from '../values/body-paths.ts'
import {isZeroAmount, normalizeAmount} from '../values/money.ts'
import {isRecord} from '../values/records.ts'

export type RuleConfiguration = z.infer<typeof ruleCreate>

type Fields = Readonly<Record<string, unknown>>

// Null in a reply means absent. Fields that the contract does not name are not sent back.
const omitAbsent = (fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))

const plainDecimal = /^\d+(\.\d+)?$/

// Requests carry an amount as a decimal string. A decimal string keeps its spelling, because a service may compare the text.
// Numbers and exponents are converted.
function toDecimalText(amount: unknown): unknown {
  if (typeof amount === 'string') return plainDecimal.test(amount) ? amount : normalizeAmount(amount)
  if (typeof amount === 'number') return normalizeAmount(String(amount))
  return JSON.isRawJSON(amount) ? normalizeAmount(amount.rawJSON) : amount
}

// Requests have the spelling of the interface, whatever the case in which the service sent it.
const toKnownCode = (value: unknown): unknown => (codes.has(readCode(value)) ? readCode(value) : value)
const codes = new Set(['FLAT', 'PCT', 'TIME_BASED', 'THRESHOLD_BASED', 'USD', 'SOURCE_CURRENCY'])

function toTrigger(trigger: LooseRule['trigger']) {
  const {cronSchedule} = trigger ?? {}
  const type = toKnownCode(trigger?.type)
  const thresholdAmount = toDecimalText(trigger?.thresholdAmount)
  if (type === 'THRESHOLD_BASED') return omitAbsent({type, thresholdAmount})
  if (type === 'TIME_BASED') return omitAbsent({type, cronSchedule})
  return omitAbsent({type, thresholdAmount, cronSchedule})
}

// Converts a rule in the form of replies or of requests to the form of requests.
export function toConfiguration(rule: unknown): RuleConfiguration {
  const {name, customerId, transactionTemplate: template, trigger} = (rule ?? {}) as LooseRule
  const {sourcePaymentAccountId, sourcePaymentMethod, sourceCurrency} = template?.source ?? {}
  const {destinationPaymentAccountId, destinationPaymentMethod, destinationCurrency} = template?.destination ?? {}
  const {type, value} = template?.amount ?? {}
  const {developerFeeType, developerFeeAmount} = template?.developerFee ?? {}
  const developerFee = omitAbsent({
    developerFeeType: toKnownCode(developerFeeType),
    developerFeeAmount: toDecimalText(developerFeeAmount),
  })
  return {
    ...omitAbsent({name, customerId}),
    transactionTemplate: {
      source: omitAbsent({
        sourcePaymentAccountId,
        sourcePaymentMethod,
        sourceCurrency: getCurrencyLabel(sourceCurrency),
      }),
      destination: omitAbsent({
        destinationPaymentAccountId,
        destinationPaymentMethod,
        destinationCurrency: getCurrencyLabel(destinationCurrency),
      }),
      amount: omitAbsent({type: toKnownCode(type), value: toDecimalText(value)}),
      ...(Object.keys(developerFee).length > 0 && {developerFee}),
    },
    trigger: toTrigger(trigger),
  } as unknown as RuleConfiguration
}

const amountFields = new Set(['value', 'thresholdAmount', 'developerFeeAmount'])
// Codes are compared without regard to case.
const codeFields = new Set([
  'sourceCurrency',
  'destinationCurrency',
  'sourcePaymentMethod',
  'destinationPaymentMethod',
  'type',
  'developerFeeType',
])
// Ids are opaque, except that the case of a UUID does not matter.
const idFields = new Set(['customerId', 'sourcePaymentAccountId', 'destinationPaymentAccountId'])

// Equal rules must never look different: a second equal rule would be created and would also pay.
function normalizeValue(field: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (amountFields.has(field)) return normalizeAmount(value)
  if (codeFields.has(field)) return value.toUpperCase()
  if (field === 'cronSchedule') return value.trim().replaceAll(/\s+/g, ' ').toUpperCase()
  return idFields.has(field) && isUuid(value) ? value.toLowerCase() : value
}

interface Leaf {
  path: string
  value: unknown
  // The value in normalized spelling.
  meaning: unknown
}

// Every value with its path. A developer fee of 0 is the same as none.
function listLeaves(fields: Fields, parent = ''): Leaf[] {
  return Object.entries(fields).flatMap(([field, value]): Leaf[] => {
    const path = joinPath(parent, field)
    if (isRecord(value)) {
      const isNoFee = field === 'developerFee' && isZeroAmount(String(value['developerFeeAmount']))
      return isNoFee ? [] : listLeaves(value, path)
    }
    return value === undefined ? [] : [{path, value, meaning: normalizeValue(field, value)}]
  })
}

// The meaning of a rule: its values by path, in normalized spelling.
export const normalizeRule = (rule: RuleConfiguration): Record<string, unknown> =>
  Object.fromEntries(listLeaves(rule).map(({path, meaning}) => [path, meaning]))

export interface Difference {
  path: string
  // Absent if the rule has no such field.
  from?: unknown
  to?: unknown
}

// Lists what must change in `from` to make it equal to `to`: compared in normalized spelling, shown as each side spells it.
export function diffRules(from: RuleConfiguration, to: RuleConfiguration): Difference[] {
  const [before, after] = [from, to].map((rule) => new Map(listLeaves(rule).map((leaf) => [leaf.path, leaf])))
  const paths = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])
  return [...paths].flatMap((path) => {
    const [old, wanted] = [before?.get(path), after?.get(path)]
    if (old?.meaning === wanted?.meaning) return []
    return [{path, ...(old && {from: old.value}), ...(wanted && {to: wanted.value})}]
  })
}

export const isSameRule = (one: RuleConfiguration, other: RuleConfiguration) => diffRules(one, other).length === 0

// Whether PUT can change this field.
export const isChangeable = (path: string) =>
  ruleFieldsChangeable.some((field) => path === field || path.startsWith(`${field}.`))

// Whether a rule has every value of `wanted` that PUT can change. What else a service makes of a rule is its own matter.
export const hasChangeableFields = (rule: RuleConfiguration, wanted: RuleConfiguration) =>
  diffRules(rule, wanted).every(({path}) => !isChangeable(path))

// The complete configuration that PUT needs. What does not change keeps the service's spelling: a service may compare the text, and
// consider "500" another threshold than "500.00".
export const applyChanges = (rule: RuleConfiguration, changes: readonly Difference[]): RuleConfiguration =>
  changes.reduce<Body>(
    (changed, {path, to}) => (to === undefined ? withoutValue(changed, path) : withValue(changed, path, to)),
    rule,
  ) as unknown as RuleConfiguration
