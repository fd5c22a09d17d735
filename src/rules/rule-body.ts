// Builds the body of a rule from a file, flags and --set, and validates it.
import type {z} from 'zod'
import {isZeroAmount} from '../values/money.ts'
import {findCronExtension, validateSchedule} from '../values/schedules.ts'
import {type Problem, findProblems} from '../contract/problems.ts'
import {ruleCreate} from '../contract/rules.ts'
import {type Body, applyAssignment} from '../cli/body/assignments.ts'
import {isObject, mergeBodies, readBody} from '../cli/body/body.ts'
import {suggestFields} from '../cli/body/suggest-fields.ts'
import {UntypedText, coerceToSchema} from '../cli/body/coerce-to-schema.ts'
import {getValue} from '../cli/wizard/body-paths.ts'
import {acceptShortCustomer, rejectShortCustomerInSet} from '../quotes/resolve-ids.ts'

type Text = string | undefined

export interface RuleFlags {
  name?: Text
  customer?: Text
  from?: Text
  'from-currency'?: Text
  'from-method'?: Text
  to?: Text
  'to-currency'?: Text
  'to-method'?: Text
  amount?: Text
  percent?: Text
  cron?: Text
  threshold?: Text
  'developer-fee'?: Text
  'developer-fee-type'?: Text
  file?: Text
  set?: readonly string[] | undefined
}

function toAmount({amount, percent}: RuleFlags): Body | undefined {
  if (amount !== undefined) return {type: 'FLAT', value: amount}
  return percent === undefined ? undefined : {type: 'PCT', value: percent}
}

function toTrigger({cron, threshold}: RuleFlags): Body | undefined {
  if (cron !== undefined) return {type: 'TIME_BASED', cronSchedule: cron}
  return threshold === undefined ? undefined : {type: 'THRESHOLD_BASED', thresholdAmount: threshold}
}

function toDeveloperFee(flags: RuleFlags): Body | undefined {
  const fee = {developerFeeType: flags['developer-fee-type'], developerFeeAmount: flags['developer-fee']}
  return Object.values(fee).some((value) => value !== undefined) ? fee : undefined
}

const toBody = (flags: RuleFlags): Body => ({
  name: flags.name,
  customerId: flags.customer,
  transactionTemplate: {
    source: {
      sourcePaymentAccountId: flags.from,
      sourcePaymentMethod: flags['from-method'],
      sourceCurrency: flags['from-currency'],
    },
    destination: {
      destinationPaymentAccountId: flags.to,
      destinationPaymentMethod: flags['to-method'],
      destinationCurrency: flags['to-currency'],
    },
    amount: toAmount(flags),
    developerFee: toDeveloperFee(flags),
  },
  trigger: toTrigger(flags),
})

const toCurrencyLabel = (currency: unknown) =>
  isObject(currency) && 'label' in currency ? currency['label'] : currency

// Converts the output of `svc rules get` to the form of requests. A developer fee of null stays: it removes the fee.
export const toRequestForm = (body: Body): Body =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([field, value]) => field !== 'createdAt' && (value !== null || field === 'developerFee'))
      .map(([field, value]) => {
        if (field.endsWith('Currency')) return [field, toCurrencyLabel(value)]
        return [field, isObject(value) ? toRequestForm(value) : value]
      }),
  )

// Flags override the file, and --set overrides both. A trigger flag replaces the whole trigger of the file, which may have
// the other type.
export async function readRuleBody(schema: z.ZodType, flags: RuleFlags): Promise<Body> {
  const fromFile = flags.file === undefined ? {} : toRequestForm(await readBody(flags.file))
  if (toTrigger(flags)) delete fromFile['trigger']
  const body = mergeBodies(fromFile, toBody(flags))
  for (const assignment of flags.set ?? []) applyAssignment(body, assignment, (text) => new UntypedText(text))
  const coerced = coerceToSchema(body, schema) as Body
  rejectShortCustomerInSet(flags.set, coerced)
  return coerced
}

const feeTypeDefault = 'SOURCE_CURRENCY'

// Leaves out a developer fee of 0, which is the same as none (docs/assumptions.md, R7), and completes its type.
export function normalizeDeveloperFee(body: Body): Body {
  const template = body['transactionTemplate']
  if (!isObject(template) || !('developerFee' in template)) return body
  const {developerFee: fee, ...others} = template
  const isNone = fee === null || (isObject(fee) && isZeroAmount(String(fee['developerFeeAmount'])))
  const developerFee = isObject(fee) ? {...fee, developerFeeType: fee['developerFeeType'] ?? feeTypeDefault} : fee
  return {...body, transactionTemplate: {...others, ...(!isNone && {developerFee})}}
}

const flagsByPath: ReadonlyArray<readonly [path: string, flag: string]> = [
  ['name', '--name'],
  ['customerId', '--customer'],
  ['transactionTemplate.source.sourcePaymentAccountId', '--from'],
  ['transactionTemplate.source.sourceCurrency', '--from-currency'],
  ['transactionTemplate.source.sourcePaymentMethod', '--from-method'],
  ['transactionTemplate.destination.destinationPaymentAccountId', '--to'],
  ['transactionTemplate.destination.destinationCurrency', '--to-currency'],
  ['transactionTemplate.destination.destinationPaymentMethod', '--to-method'],
  ['transactionTemplate.amount', '--amount or --percent'],
  ['trigger', '--cron or --threshold'],
]

// The flags for the fields that a new rule still lacks.
export function listMissingFlags(body: Body): string[] {
  const missing = flagsByPath.filter(([path]) => getValue(body, path) === undefined).map(([, flag]) => flag)
  const fee = getValue(body, 'transactionTemplate.developerFee')
  const lacksFee = isObject(fee) && fee['developerFeeAmount'] === undefined
  return lacksFee ? [...missing, '--developer-fee'] : missing
}

export async function readNewRuleBody(flags: RuleFlags): Promise<Body> {
  const body = await readRuleBody(ruleCreate, flags)
  // A file may have the id of the rule it was exported from, which the new rule does not get. An id from --set is rejected.
  const isFromFile = flags.file !== undefined && !flags.set?.some((assignment) => /^id:?=/.test(assignment))
  if (isFromFile) delete body['id']
  return normalizeDeveloperFee(body)
}

const amountPaths = ['transactionTemplate.amount.value', 'trigger.thresholdAmount']

const validateCron = (path: string, cron: string, nowMs: number) =>
  validateSchedule(path, cron, nowMs) ?? findCronExtension(path, cron)

// Checks the contract, and warns about amounts of 0, schedules that never fire and extensions of cron (docs/assumptions.md,
// R8 and R17).
export function validateRule(schema: z.ZodType, body: Body, nowMs: number): Problem[] {
  const contractProblems = suggestFields(schema, acceptShortCustomer(findProblems(schema, body), body))
  const zeroAmounts = amountPaths
    .filter((path) => {
      const value = getValue(body, path)
      return typeof value === 'string' && isZeroAmount(value)
    })
    .map((path): Problem => ({path, isWarning: true, message: 'should be more than 0'}))
  const cron = getValue(body, 'trigger.cronSchedule')
  const schedule = typeof cron === 'string' ? validateCron('trigger.cronSchedule', cron, nowMs) : undefined
  const reported = new Set(contractProblems.map(({path}) => path))
  return [
    ...contractProblems,
    ...[...zeroAmounts, ...(schedule ? [schedule] : [])].filter(({path}) => !reported.has(path)),
  ]
}
