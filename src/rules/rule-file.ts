// Reads a file of rules, as `svc rules export` or `svc rules list --json` writes it, and validates all of it.
import {type WarningPolicy, rejectUnlessAccepted} from '../cli/body/reject-problems.ts'
import type {Body} from '../values/body-paths.ts'
import {UntypedText, coerceToSchema} from '../cli/body/body.ts'
import {readDataFile} from '../cli/body/input-file.ts'
import {toText} from '../cli/output/view.ts'
import type {LooseRule} from '../contract/loose.ts'
import type {Problem} from '../contract/problems.ts'
import {ruleCreate} from '../contract/rules.ts'
import {opaqueId} from '../contract/scalars.ts'
import {isPlainObject, joinPath} from '../contract/shape.ts'
import {badUsage} from '../errors.ts'
import {orderBy} from '../values/order.ts'
import {normalizeDeveloperFee, toRequestForm, validateRule} from './rule-body.ts'
import {type RuleConfiguration, toConfiguration} from './rule-configuration.ts'

const ruleInFile = ruleCreate.extend({id: opaqueId.optional()})

export interface WantedRule {
  id?: string | undefined
  configuration: RuleConfiguration
}

function findRules(data: unknown, name: string): unknown[] {
  if (Array.isArray(data)) return data
  const {rules, automationRules: listed, ...others} = isPlainObject(data) ? data : {}
  if ('transactionTemplate' in others) return [data]
  if (Array.isArray(listed)) return listed
  if (!Array.isArray(rules)) {
    throw badUsage(
      `There are no rules in ${name}`,
      'The file needs {rules: […]}, a list of rules, one rule, or the output of `svc rules list --json`; nothing was sent',
    )
  }
  // A service may add fields beside its list. In an exported file they are a mistake.
  const [other] = Object.keys(others)
  if (other !== undefined) {
    throw badUsage(`${name} has ${other} beside its rules`, 'Remove everything but the rules; nothing was sent')
  }
  return rules
}

export const toNameKey = (customerId: unknown, name: unknown) =>
  JSON.stringify([String(customerId).toLowerCase(), String(name)])

// Two rules in a file must never describe the same rule of the service. Of one customer and name, ids tell them apart.
function findDuplicates(rules: readonly unknown[]): Problem[] {
  const byId = new Map<unknown, number>()
  const byName = new Map<string, {index: number; hasId: boolean}>()
  return rules.flatMap((rule, index): Problem[] => {
    if (!isPlainObject(rule) || typeof rule['name'] !== 'string' || typeof rule['customerId'] !== 'string') return []
    const {id, name, customerId} = rule
    const hasId = typeof id === 'string'
    const sameId = byId.get(id)
    if (sameId !== undefined) return [{path: `rules[${index}].id`, message: `is also the id of rules[${sameId}]`}]
    if (hasId) byId.set(id, index)
    const key = toNameKey(customerId, name)
    const same = byName.get(key)
    byName.set(key, {index, hasId: hasId && (same?.hasId ?? true)})
    if (!same || (hasId && same.hasId)) return []
    const message = `is also the name of rules[${same.index}], for the same customer: add the ids of both, or change a name`
    return [{path: `rules[${index}].name`, message}]
  })
}

// The schedule of a rule that the service has cannot be changed, so it is not warned about again.
function validateRuleOfFile(rule: Body, nowMs: number): Problem[] {
  const problems = validateRule(ruleInFile, rule, nowMs)
  const isKnown = isPlainObject(rule) && rule['id'] !== undefined
  return problems.filter(({path, isWarning}) => !(isKnown && isWarning && path === 'trigger.cronSchedule'))
}

const noOverride: WarningPolicy = {isAccepted: false, canAsk: false, notice: () => {}}

// `file` is a path, or - for standard input. All problems are reported at once.
export async function readRuleFile(file: string, policy: WarningPolicy = noOverride): Promise<WantedRule[]> {
  const data = await readDataFile(file, {readNumber: (text) => new UntypedText(text), omitsBlanks: true})
  const rawRules = findRules(data, file === '-' ? 'standard input' : file)
  const requestRules = rawRules.map((rule) => (isPlainObject(rule) ? toRequestForm(rule) : rule))
  const rules = coerceToSchema(requestRules, ruleInFile.array()).map((rule) =>
    isPlainObject(rule) ? normalizeDeveloperFee(rule) : rule,
  )
  const nowMs = Date.now()
  const problems = rules.flatMap((rule, index) =>
    validateRuleOfFile(rule as Body, nowMs).map((problem) => ({
      ...problem,
      path: joinPath(`rules[${index}]`, problem.path),
    })),
  )
  await rejectUnlessAccepted([...problems, ...findDuplicates(rules)], {rules}, policy)
  return rules.map((rule) => {
    const {id} = rule as Body
    return {id: typeof id === 'string' ? id : undefined, configuration: toConfiguration(rule)}
  })
}

// Rules in the form of requests, sorted by customer, name and id, so that a file in git differs only where a rule does.
export const toExportedRules = (rules: readonly LooseRule[]) =>
  rules
    .map((rule) => ({id: rule.id, ...toConfiguration(rule)}))
    .toSorted(orderBy(({customerId, name, id}) => [customerId, name, toText(id)]))

// The comment at the top of the file. It has no date, so that two exports of the same rules are equal.
export const exportHeading = `# Automation rules, written by \`svc rules export\`. Preview changes with
# \`svc rules apply -f FILE --dry-run\`. A file with only some rules of a customer
# must not be applied with --prune, which deletes the others.
`
