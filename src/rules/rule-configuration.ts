// The configuration of a rule as requests carry it, and the comparison of two configurations whatever their spelling.
import {joinPath} from '../contract/shape.ts'
import {isUuid} from '../contract/ids.ts'
import type {z} from 'zod'
import {ruleFieldsChangeable} from '../contract/vocabulary.ts'
import {getCurrencyLabel, readCode} from '../contract/loose.ts'
import type {ruleCreate} from '../contract/rules.ts'
import {type Body, getValue, withValue, withoutValue} from '../values/body-paths.ts'
import {isZeroAmount, normalizeAmount} from '../values/money.ts'
import {isRecord, lookUp} from '../values/records.ts'

export type RuleConfiguration = z.infer<typeof ruleCreate>

// What a field holds, which decides how it is read and compared.
type Kind = 'text' | 'id' | 'code' | 'currency' | 'amount' | 'schedule'

const template = 'transactionTemplate'

// In the order of requests.
const kindByPath: Readonly<Record<string, Kind>> = {
  name: 'text',
  customerId: 'id',
  [`${template}.source.sourcePaymentAccountId`]: 'id',
  [`${template}.source.sourcePaymentMethod`]: 'code',
  [`${template}.source.sourceCurrency`]: 'currency',
  [`${template}.destination.destinationPaymentAccountId`]: 'id',
  [`${template}.destination.destinationPaymentMethod`]: 'code',
  [`${template}.destination.destinationCurrency`]: 'currency',
  [`${template}.amount.type`]: 'code',
  [`${template}.amount.value`]: 'amount',
  [`${template}.developerFee.developerFeeType`]: 'code',
  [`${template}.developerFee.developerFeeAmount`]: 'amount',
  'trigger.type': 'code',
  'trigger.thresholdAmount': 'amount',
  'trigger.cronSchedule': 'schedule',
}

const plainDecimal = /^\d+(\.\d+)?$/

// Requests carry an amount as a decimal string. A decimal string keeps its spelling, because a service may compare the text.
// Numbers and exponents are converted.
function toDecimalText(amount: unknown): unknown {
  if (typeof amount === 'string') return plainDecimal.test(amount) ? amount : normalizeAmount(amount)
  if (typeof amount === 'number') return normalizeAmount(String(amount))
  return JSON.isRawJSON(amount) ? normalizeAmount(amount.rawJSON) : amount
}

// Types have the spelling of the interface, whatever the case in which the service sent them.
const types = new Set(['FLAT', 'PCT', 'TIME_BASED', 'THRESHOLD_BASED', 'USD', 'SOURCE_CURRENCY'])

function readValue(value: unknown, kind: Kind): unknown {
  if (kind === 'amount') return toDecimalText(value)
  if (kind === 'currency') return getCurrencyLabel(value)
  return kind === 'code' && types.has(readCode(value)) ? readCode(value) : value
}

// Of the other type of trigger.
const foreignPaths: Readonly<Record<string, string>> = {
  THRESHOLD_BASED: 'trigger.cronSchedule',
  TIME_BASED: 'trigger.thresholdAmount',
}

// Converts a rule in the form of replies or of requests to the form of requests. Null in a reply means absent, and fields that the
// contract does not name are not sent back. What a service leaves out is missing here too, against the type.
export function toConfiguration(rule: unknown): RuleConfiguration {
  const foreign = lookUp(foreignPaths, readCode(getValue(rule, 'trigger.type')))
  const {
    [template]: parts,
    trigger = {},
    ...own
  } = Object.entries(kindByPath).reduce<Body>((read, [path, kind]) => {
    const value = path === foreign ? undefined : readValue(getValue(rule, path), kind)
    return value === undefined || value === null ? read : withValue(read, path, value)
  }, {})
  return {
    ...own,
    [template]: {source: {}, destination: {}, amount: {}, ...(isRecord(parts) && parts)},
    trigger,
  } as unknown as RuleConfiguration
}

// Equal rules must never look different: a second equal rule would be created and would also pay. Ids are opaque, except that the
// case of a UUID does not matter.
function normalizeValue(path: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  const kind = lookUp(kindByPath, path)
  if (kind === 'amount') return normalizeAmount(value)
  if (kind === 'code' || kind === 'currency') return value.toUpperCase()
  if (kind === 'schedule') return value.trim().replaceAll(/\s+/g, ' ').toUpperCase()
  return kind === 'id' && isUuid(value) ? value.toLowerCase() : value
}

interface Leaf {
  path: string
  value: unknown
  // The value in normalized spelling.
  meaning: unknown
}

// Every value with its path. A developer fee of 0 is the same as none.
function listLeaves(fields: Body, parent = ''): Leaf[] {
  return Object.entries(fields).flatMap(([field, value]): Leaf[] => {
    const path = joinPath(parent, field)
    if (isRecord(value)) {
      const isNoFee = field === 'developerFee' && isZeroAmount(String(value['developerFeeAmount']))
      return isNoFee ? [] : listLeaves(value, path)
    }
    return value === undefined ? [] : [{path, value, meaning: normalizeValue(path, value)}]
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
export const applyChanges = <T extends Body>(rule: T, changes: readonly Difference[]): T =>
  changes.reduce<Body>(
    (changed, {path, to}) => (to === undefined ? withoutValue(changed, path) : withValue(changed, path, to)),
    rule,
  ) as T
