// Changes to a rule that exists: what was asked for, laid over what is, and refused where the service cannot change it.
import type {z} from 'zod'
import type {LooseRule} from '../contract/loose.ts'
import {ruleUpdate} from '../contract/rules.ts'
import {findProblems, toSentence} from '../contract/problems.ts'
import {SvcError, badUsage} from '../errors.ts'
import {isObject, mergeBodies} from '../cli/body/body.ts'
import {rejectProblems} from '../cli/body/reject-problems.ts'
import {type RuleFlags, validateRule, readRuleBody, getPath, normalizeDeveloperFee} from './rule-body.ts'
import {type Body, applyAssignment} from '../cli/body/assignments.ts'
import {cleanText} from '../cli/output/clean.ts'
import {toText} from '../cli/output/view.ts'
import {
  type Difference,
  type RuleConfiguration,
  toConfiguration,
  diffRules,
  isChangeable,
  keepFixedFields,
} from './rule-configuration.ts'

const replaceHint = 'Delete it and create another, or let `svc rules apply --replace` do both; nothing was changed'

const fixedFields = ['id', 'name', 'customerId', 'transactionTemplate.source', 'trigger', 'createdAt']

// Whoever sets a field wants it changed, so one that is fixed is refused by its name alone.
function rejectFixedFields(set: readonly string[]): void {
  const named: Body = {}
  for (const assignment of set) applyAssignment(named, assignment, (text) => text)
  const fixed = fixedFields.filter((path) => getPath(named, path) !== undefined)
  if (fixed.length === 0) return
  throw badUsage(`The service cannot change ${fixed.join(', ')} of a rule, which --set names`, replaceHint)
}

// A rule that is whole, over which a change is laid to judge it before the rule itself is read.
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

const omitFields = (body: Body, fields: readonly string[]): Body =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field)))

// What must stay as it is in the rule is judged by the rule, once that is read.
function omitFixedFields(change: Body): Body {
  const rest = omitFields(change, fixedFields)
  const template = rest['transactionTemplate']
  return isObject(template) ? {...rest, transactionTemplate: omitFields(template, ['source'])} : rest
}

// What a command line asks to change, in the form of requests. Refused here is what would be wrong in any rule.
export async function readRuleChange(id: string, flags: RuleFlags): Promise<Body> {
  rejectFixedFields(flags.set ?? [])
  const change = await readRuleBody(ruleUpdate, flags)
  if (change['id'] !== undefined && change['id'] !== id) {
    throw badUsage(
      `The file describes another rule, ${toText(change['id'])}`,
      'Give the id of the rule that it describes',
    )
  }
  const {type, value} = (getPath(change, 'transactionTemplate.amount') ?? {}) as Body
  if (type !== undefined && value === undefined) {
    throw badUsage(
      'transactionTemplate.amount.type stands without a value, and 100 of one type is not 100 of the other',
      'Give transactionTemplate.amount.value as well, or use --amount or --percent',
    )
  }
  const judged = normalizeDeveloperFee(mergeBodies(sampleRule, omitFixedFields(change)))
  rejectProblems(validateRule(ruleUpdate, judged, Date.now()), judged)
  return change
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

const describeDifference = ({path, from, to}: Difference) => `${path} from ${formatValue(from)} to ${formatValue(to)}`

export const describeChanges = ({name}: {name?: unknown}, differences: readonly Difference[]) =>
  [
    `This changes the rule "${toText(name)}":`,
    ...differences.map((difference) => `  ${describeDifference(difference)}`),
  ]
    .map(cleanText)
    .join('\n')

export interface ChangedRule {
  configuration: RuleConfiguration
  differences: Difference[]
}

// The complete configuration with the change in it, and what differs from the rule as it is.
export function mergeRuleChange(rule: LooseRule, change: Body): ChangedRule {
  const before = toConfiguration(rule)
  const after = normalizeDeveloperFee(mergeBodies(before, omitFields(change, ['id']))) as unknown as RuleConfiguration
  const differences = diffRules(before, after)
  const fixed = differences.filter(({path}) => !isChangeable(path))
  if (fixed.length > 0) {
    const lines = fixed.map(describeDifference)
    throw toRejection('RULE_FIELD_FIXED', 'The service cannot change this in a rule', replaceHint, lines)
  }
  const configuration = keepFixedFields(before, after)
  // Only the contract judges here: what else is odd about a rule that works is no reason not to change it.
  const problems = differences.length > 0 ? findProblems(ruleUpdate, {id: rule.id, ...configuration}) : []
  if (problems.length > 0) {
    const hint = 'Nothing was changed'
    throw toRejection('RULE_NOT_VALID', 'The rule would not be valid', hint, problems.map(toSentence))
  }
  return {configuration, differences}
}
