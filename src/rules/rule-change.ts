// Reads a change to an existing rule, merges it with the rule, and rejects what the service cannot change.
import type {z} from 'zod'
import type {LooseRule} from '../contract/loose.ts'
import {ruleUpdate} from '../contract/rules.ts'
import {type Problem, findProblems, toSentence} from '../contract/problems.ts'
import {SvcError, badUsage} from '../errors.ts'
import {isObject, mergeBodies} from '../cli/body/body.ts'
import {type WarningPolicy, isAllowedField, rejectUnlessAccepted} from '../cli/body/accept-warnings.ts'
import {type RuleFlags, normalizeDeveloperFee, readRuleBody, validateRule} from './rule-body.ts'
import {type Body, applyAssignment} from '../cli/body/assignments.ts'
import {isIdBeginning} from '../cli/ids/reference.ts'
import {toText} from '../cli/output/view.ts'
import {getValue} from '../cli/wizard/body-paths.ts'
import {
  type Difference,
  type RuleConfiguration,
  toConfiguration,
  diffRules,
  isChangeable,
  keepFixedFields,
} from './rule-configuration.ts'

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

// Throws if the file has the id of another rule, or its beginning.
export function rejectOtherRule({id}: Body, ruleId: string): void {
  if (id === undefined || id === ruleId || isIdBeginning(toText(id), ruleId)) return
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

export interface ChangedRule {
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
  const configuration = keepFixedFields(before, after)
  // Checks the contract only. A rule that already works can be changed even if validateRule would reject it.
  const problems =
    differences.length > 0 ? omitAllowed(findProblems(ruleUpdate, {id: rule.id, ...configuration}), policy) : []
  if (problems.length > 0) {
    const hint = 'Nothing was changed'
    throw toRejection('RULE_NOT_VALID', 'The rule would not be valid', hint, problems.map(toSentence))
  }
  return {configuration, differences}
}
