// Builds the body of a rule from a file, flags and --set, and validates it.
import type {z} from 'zod'
import {type WarningPolicy, isAllowedField, rejectUnlessAccepted} from '../cli/body/reject-problems.ts'
import {applyAssignment} from '../cli/body/assignments.ts'
import {type Body, getValue} from '../values/body-paths.ts'
import {UntypedText, coerceToSchema, isObject, mergeBodies, readBody} from '../cli/body/body.ts'
import {suggestFields} from '../cli/body/suggest-fields.ts'
import type {Finder} from '../cli/ids/finder.ts'
import {toText} from '../cli/output/view.ts'
import type {LooseRule} from '../contract/loose.ts'
import {type Problem, findProblems, toSentence} from '../contract/problems.ts'
import {ruleCreate, ruleUpdate} from '../contract/rules.ts'
import {SvcError, badUsage} from '../errors.ts'
import {resolveRoute} from '../quotes/resolve-route.ts'
import {type RouteFlags, routeFields, toRouteBody} from '../quotes/route-fields.ts'
import {isZeroAmount} from '../values/money.ts'
import {findCronExtension, validateSchedule} from '../values/schedules.ts'
import {
  type Difference,
  type RuleConfiguration,
  applyChanges,
  diffRules,
  isChangeable,
  toConfiguration,
} from './rule-configuration.ts'

export interface RuleFlags extends RouteFlags {
  name?: string | undefined
  percent?: string | undefined
  cron?: string | undefined
  threshold?: string | undefined
  file?: string | undefined
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

function toBody(flags: RuleFlags): Body {
  const {customerId, ...route} = toRouteBody({...flags, amount: undefined})
  return {
    name: flags.name,
    customerId,
    transactionTemplate: {...route, amount: toAmount(flags)},
    trigger: toTrigger(flags),
  }
}

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
async function readRuleBody(schema: z.ZodType, flags: RuleFlags): Promise<Body> {
  const fromFile = flags.file === undefined ? {} : toRequestForm(await readBody(flags.file))
  if (toTrigger(flags)) delete fromFile['trigger']
  const body = mergeBodies(fromFile, toBody(flags))
  for (const assignment of flags.set ?? []) applyAssignment(body, assignment, (text) => new UntypedText(text))
  return coerceToSchema(body, schema)
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
  ...routeFields.flatMap(({flag, path, ...field}) =>
    flag === 'customer' || flag === 'amount' || 'isOptional' in field
      ? []
      : [[`transactionTemplate.${path}`, `--${flag}`] as const],
  ),
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
  const contractProblems = suggestFields(schema, findProblems(schema, body))
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

// Reads a change to an existing rule, merges it with the rule, and rejects what the service cannot change.
const replaceHint = 'Delete the rule and create another, or use `svc rules apply --replace`; nothing was changed'

const fixedFields = ['id', 'name', 'customerId', 'transactionTemplate.source', 'trigger', 'createdAt']

// A fixed field in --set is rejected even if its value would stay the same.
function rejectFixedFields(set: readonly string[]): void {
  const named: Body = {}
  for (const assignment of set) applyAssignment(named, assignment, (text) => text)
  const fixed = fixedFields.filter((path) => getValue(named, path) !== undefined)
  if (fixed.length === 0) return
  throw badUsage(`The service cannot change ${fixed.join(', ')} of a rule, which --set names`, replaceHint)
}

// A valid rule. A change is merged with it to validate the change before the real rule is read.
const sampleRule: z.input<typeof ruleUpdate> = {
  id: 'rule',
  name: 'rule',
  customerId: '00000000-0000-4000-8000-000000000000',
  transactionTemplate: {
    source: {sourcePaymentAccountId: 'from', sourcePaymentMethod: 'BASE', sourceCurrency: 'USDC'},
    destination: {destinationPaymentAccountId: 'to', destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
    amount: {type: 'FLAT', value: '1'},
    developerFee: {developerFeeType: 'USD', developerFeeAmount: '1'},
  },
  trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * *'},
}

interface FieldPolicy {
  // --allow-unknown-fields was given.
  allowsUnknownFields: boolean
}

const omitAllowed = (problems: readonly Problem[], {allowsUnknownFields}: FieldPolicy) =>
  problems.filter((problem) => !allowsUnknownFields || !isAllowedField(problem))

const omitFields = (body: Body, fields: readonly string[]): Body =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field)))

// Fixed fields are compared with the rule after it is read.
function omitFixedFields(change: Body): Body {
  const rest = omitFields(change, fixedFields)
  const template = rest['transactionTemplate']
  return isObject(template) ? {...rest, transactionTemplate: omitFields(template, ['source'])} : rest
}

// Reads the change from the flags, and rejects what would be invalid in any rule.
export async function readRuleChange(flags: RuleFlags, policy: WarningPolicy & FieldPolicy): Promise<Body> {
  rejectFixedFields(flags.set ?? [])
  const change = await readRuleBody(ruleUpdate, flags)
  const {type, value} = (getValue(change, 'transactionTemplate.amount') ?? {}) as Body
  if (type !== undefined && value === undefined) {
    throw badUsage(
      'transactionTemplate.amount.type has no value, and the current value belongs to the current type',
      'Give transactionTemplate.amount.value as well, or use --amount or --percent',
    )
  }
  const sample = normalizeDeveloperFee(mergeBodies(sampleRule, omitFixedFields(change)))
  await rejectUnlessAccepted(omitAllowed(validateRule(ruleUpdate, sample, Date.now()), policy), sample, policy)
  return change
}

// Throws if the file has the id of another rule.
export function rejectOtherRule({id}: Body, ruleId: string): void {
  if (id === undefined || id === ruleId) return
  throw badUsage(`The file describes another rule, ${toText(id)}`, 'Give the id of the rule that it describes')
}

const toRejection = (error: string, message: string, hint: string, problems: readonly string[]) =>
  new SvcError({
    error,
    kind: 'refused',
    message: problems.length === 1 ? `${message}: ${problems[0]}` : message,
    hint,
    ...(problems.length > 1 && {problems}),
  })

const formatValue = (value: unknown) => (value === undefined ? 'nothing' : toText(value))

export const describeDifference = ({path, from, to}: Difference) =>
  `${path} from ${formatValue(from)} to ${formatValue(to)}`

interface ChangedRule {
  configuration: RuleConfiguration
  differences: Difference[]
}

// Returns the complete changed configuration, and how it differs from the rule.
export function mergeRuleChange(rule: LooseRule, change: Body, policy: FieldPolicy): ChangedRule {
  const before = toConfiguration(rule)
  const after = normalizeDeveloperFee(mergeBodies(before, omitFields(change, ['id']))) as unknown as RuleConfiguration
  const differences = diffRules(before, after)
  const knownPaths = new Set(diffRules(before, toConfiguration(after)).map(({path}) => path))
  // What the interface does not have is not among the fields that it fixes.
  const fixed = differences.filter(
    ({path}) => !isChangeable(path) && (!policy.allowsUnknownFields || knownPaths.has(path)),
  )
  if (fixed.length > 0) {
    const lines = fixed.map(describeDifference)
    throw toRejection('RULE_FIELD_FIXED', 'The service cannot change this in a rule', replaceHint, lines)
  }
  const configuration = applyChanges(before, differences)
  // Checks the contract only. A rule that already works can be changed even if validateRule would reject it.
  const problems =
    differences.length > 0 ? omitAllowed(findProblems(ruleUpdate, {id: rule.id, ...configuration}), policy) : []
  if (problems.length > 0) {
    const hint = 'Nothing was changed'
    throw toRejection('RULE_NOT_VALID', 'The rule would not be valid', hint, problems.map(toSentence))
  }
  return {configuration, differences}
}

// Replaces what --to or a file says in a change of a rule by the whole ids that are meant.

// The account is one of the customer of the rule, which a file may name too.
export async function resolveDestination(
  finder: Finder,
  {customerId: owner}: LooseRule,
  change: Body,
  flags: {to?: string | undefined; set?: readonly string[] | undefined},
): Promise<Body> {
  const {customerId = owner} = change
  const resolved = await resolveRoute(finder, {...change, customerId}, flags, 'transactionTemplate.')
  const {transactionTemplate} = resolved
  return {
    ...change,
    ...('customerId' in change && {customerId: resolved['customerId']}),
    ...(transactionTemplate !== undefined && {transactionTemplate}),
  }
}
