// Builds the body of a rule from a file, flags and --set, and validates it.
import type {z} from 'zod'
import {type WarningPolicy, rejectUnlessAccepted} from '../cli/body/reject-problems.ts'
import {type Body, getValue} from '../values/body-paths.ts'
import {buildBody, mergeBodies} from '../cli/body/body.ts'
import {isPlainObject} from '../contract/shape.ts'
import type {Finder} from '../cli/ids/finder.ts'
import {toText} from '../cli/output/view.ts'
import {type LooseRule, getCurrencyLabel} from '../contract/loose.ts'
import {type Problem, findProblems, toSentence} from '../contract/problems.ts'
import {ruleCreate, ruleUpdate} from '../contract/rules.ts'
import {SvcError, badUsage} from '../errors.ts'
import {addFeeType, findFineAmounts, findZeroAmounts} from '../quotes/quote-body.ts'
import {resolveRoute} from '../quotes/resolve-route.ts'
import {type RouteFlags, routeFields, toRouteBody} from '../quotes/route-fields.ts'
import {isZeroAmount} from '../values/money.ts'
import {validateSchedule} from '../values/schedules.ts'
import {svc} from '../values/text.ts'
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

// Converts the output of `svc rules get` to the form of requests. A developer fee of null stays: it removes the fee.
export const toRequestForm = (body: Body): Body =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([field, value]) => field !== 'createdAt' && (value !== null || field === 'developerFee'))
      .map(([field, value]) => {
        if (field.endsWith('Currency')) return [field, getCurrencyLabel(value) ?? value]
        return [field, isPlainObject(value) ? toRequestForm(value) : value]
      }),
  )

// A trigger flag replaces the whole trigger of the file, which may have the other type.
const readRuleBody = (schema: z.ZodType, flags: RuleFlags): Promise<Body> =>
  buildBody(() => schema, {
    ...flags,
    flags: toBody(flags),
    prepare: (body) => {
      const fromFile = toRequestForm(body)
      if (toTrigger(flags)) delete fromFile['trigger']
      return fromFile
    },
  })

// Leaves out a developer fee of 0, which is the same as none (docs/assumptions.md, R7), and completes its type.
export function normalizeDeveloperFee<T extends Body>(body: T): T {
  const template = body['transactionTemplate']
  if (!isPlainObject(template) || !('developerFee' in template)) return body
  const {developerFee: fee, ...others} = template
  const isNone = fee === null || (isPlainObject(fee) && isZeroAmount(String(fee['developerFeeAmount'])))
  return {...body, transactionTemplate: isNone ? others : addFeeType(template)}
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
  const lacksFee = isPlainObject(fee) && fee['developerFeeAmount'] === undefined
  return lacksFee ? [...missing, '--developer-fee'] : missing
}

export async function readNewRuleBody(flags: RuleFlags): Promise<Body> {
  const body = await readRuleBody(ruleCreate, flags)
  // A file may have the id of the rule it was exported from, which the new rule does not get. An id from --set is rejected.
  const isFromFile = flags.file !== undefined && !flags.set?.some((assignment) => /^id:?=/.test(assignment))
  if (isFromFile) delete body['id']
  return normalizeDeveloperFee(body)
}

const cronPath = 'trigger.cronSchedule'
const extensions = /[#?+LW]/

// What plain cron does not have (docs/assumptions.md, R17). Names such as JUL and WED contain the letters L and W.
const findCronExtension = (expression: string): Problem | undefined =>
  extensions.test(expression.toUpperCase().replaceAll(/[A-Z]{3}/g, ''))
    ? {
        path: cronPath,
        isWarning: true,
        message: 'uses an extension of cron (L, W, #, ? or +) that the service may not know',
      }
    : undefined

// Checks the contract, and warns about amounts of 0, schedules that never fire and extensions of cron (docs/assumptions.md,
// R8 and R17).
export function validateRule(schema: z.ZodType, body: Body, nowMs: number): Problem[] {
  const contractProblems = findProblems(schema, body)
  const zeroAmounts = findZeroAmounts(body, ['transactionTemplate.amount.value', 'trigger.thresholdAmount'])
  const isFlat = getValue(body, 'transactionTemplate.amount.type') === 'FLAT'
  const currencyPath = 'transactionTemplate.source.sourceCurrency'
  const fineAmounts = [...(isFlat ? ['transactionTemplate.amount.value'] : []), 'trigger.thresholdAmount'].flatMap(
    (path) => findFineAmounts(body, path, currencyPath),
  )
  const cron = getValue(body, cronPath)
  const schedule =
    typeof cron === 'string' ? (validateSchedule(cronPath, cron, nowMs) ?? findCronExtension(cron)) : undefined
  const reported = new Set(contractProblems.map(({path}) => path))
  return [
    ...contractProblems,
    ...[...zeroAmounts, ...fineAmounts, ...(schedule ? [schedule] : [])].filter(({path}) => !reported.has(path)),
  ]
}

// Reads what is to change in a rule.
export async function readRuleChange(flags: RuleFlags): Promise<Body> {
  const change = await readRuleBody(ruleUpdate, flags)
  const {type, value} = (getValue(change, 'transactionTemplate.amount') ?? {}) as Body
  if (type !== undefined && value === undefined) {
    throw badUsage(
      'transactionTemplate.amount.type has no value, and the current value belongs to the current type',
      'Give transactionTemplate.amount.value as well, or use --amount or --percent',
    )
  }
  return change
}

// Throws if the file has the id of another rule.
export function rejectOtherRule({id}: Body, ruleId: string): void {
  if (id === undefined || id === ruleId) return
  throw badUsage(`The file describes another rule, ${toText(id)}`, 'Give the id of the rule that it describes')
}

const formatValue = (value: unknown) => (value === undefined ? 'nothing' : toText(value))

export const describeDifference = ({path, from, to}: Difference) =>
  `${path} from ${formatValue(from)} to ${formatValue(to)}`

// PUT needs the whole rule, so one that the service itself does not show whole cannot be changed.
function rejectPartialRule(rule: LooseRule, before: RuleConfiguration, problems: readonly Problem[]): void {
  const own = new Set(findProblems(ruleUpdate, {id: rule.id, ...before}).map(toSentence))
  const problem = problems.find((each) => !each.isWarning && own.has(toSentence(each)))
  if (!problem) return
  throw new SvcError({
    error: 'UNREACHABLE',
    kind: 'unreachable',
    message: `The service answered with a rule that is not whole: ${toSentence(problem)}`,
    hint: 'Nothing was changed. Check that the base URL is that of the service',
  })
}

// Returns the complete changed configuration, and how it differs from the rule. Rejects what the service cannot change, and what
// would not be valid. A rule that already works is not warned about for what stays as it is.
export async function mergeRuleChange(rule: LooseRule, given: Body, policy: WarningPolicy) {
  const {id: _, ...change} = given
  const before = toConfiguration(rule)
  const after = normalizeDeveloperFee(mergeBodies(before, change))
  const fixed = diffRules(before, toConfiguration(after)).filter(({path}) => !isChangeable(path))
  if (fixed.length > 0) {
    throw new SvcError({
      error: 'RULE_FIELD_FIXED',
      kind: 'refused',
      message: 'The service cannot change this in a rule',
      hint: `Delete the rule and create another, or use ${svc`rules apply --replace`}; nothing was changed`,
      problems: fixed.map(describeDifference),
    })
  }
  const differences = diffRules(before, after)
  const configuration = applyChanges(before, differences)
  const isChanged = (path: string) => differences.some((difference) => difference.path === path)
  const problems = validateRule(ruleUpdate, {id: rule.id, ...configuration}, Date.now()).filter(
    ({path, isWarning}) => !isWarning || isChanged(path),
  )
  if (differences.length > 0) rejectPartialRule(rule, before, problems)
  if (differences.length > 0) await rejectUnlessAccepted(problems, configuration, policy)
  return {configuration, differences}
}

// Replaces what --to or a file says in a change of a rule by the whole ids that are meant. The account is one of the customer of the rule, which a file may name too.
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
