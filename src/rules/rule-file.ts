// Reads a file of rules, as `svc rules export` or `svc rules list --json` writes it, and validates all of it.
import {type WarningPolicy, rejectUnlessAccepted} from '../cli/body/reject-problems.ts'
import type {Body} from '../values/body-paths.ts'
import {UntypedText, coerceToSchema, isObject} from '../cli/body/body.ts'
import {readDataFile} from '../cli/body/input-file.ts'
import {cleanText} from '../cli/output/clean.ts'
import {toText} from '../cli/output/view.ts'
import type {LooseRule} from '../contract/loose.ts'
import type {Problem} from '../contract/problems.ts'
import {ruleCreate} from '../contract/rules.ts'
import {opaqueId} from '../contract/scalars.ts'
import {joinPath} from '../contract/shape.ts'
import {badUsage} from '../errors.ts'
import {orderBy} from '../values/order.ts'
import {normalizeDeveloperFee, toRequestForm, validateRule} from './rule-body.ts'
import {type RuleConfiguration, toConfiguration} from './rule-configuration.ts'

const ruleInFile = ruleCreate.extend({id: opaqueId.optional()})

export interface WantedRule {
  id?: string | undefined
  configuration: RuleConfiguration
}

// The rules in a file, and how problems name one of them, such as rules[0].
interface FileContent {
  rules: unknown[]
  labelRule: (index: number) => string
}

const fromList = (key: string, rules: unknown[]): FileContent => ({rules, labelRule: (index) => `${key}[${index}]`})

// The fields of a file that hold a list of rules.
const listFields = ['rules', 'automationRules'] as const

const ruleFields = Object.keys(ruleInFile.shape)

function findRules(data: unknown, name: string): FileContent {
  if (Array.isArray(data)) return fromList('rules', data)
  const fields = isObject(data) ? data : {}
  for (const key of listFields) {
    const list = fields[key]
    if (!Array.isArray(list)) continue
    const others = Object.keys(fields).filter((other) => other !== key)
    // A service may add fields beside its list. In an exported file they are a mistake.
    if (key === 'rules' && others.length > 0) {
      throw badUsage(
        `${name} has ${others.join(', ')} beside its rules`,
        'Remove everything but the rules; nothing was sent',
      )
    }
    return fromList(key, list)
  }
  if (ruleFields.some((field) => Object.hasOwn(fields, field))) return {rules: [data], labelRule: () => ''}
  throw badUsage(
    `There are no rules in ${name}`,
    'The file needs {rules: […]}, a list of rules, one rule, or the output of `svc rules list --json`; nothing was sent',
  )
}

export const toNameKey = (customerId: unknown, name: unknown) =>
  JSON.stringify([String(customerId).toLowerCase(), String(name)])

// Two rules in a file must never describe the same rule of the service.
function findDuplicates(rules: readonly unknown[], labelRule: FileContent['labelRule']): Problem[] {
  const byId = new Map<string, number>()
  const byName = new Map<string, {index: number; hasId: boolean}>()
  return rules.flatMap((rule, index): Problem[] => {
    if (!isObject(rule) || typeof rule['name'] !== 'string' || typeof rule['customerId'] !== 'string') return []
    const {id, name, customerId} = rule
    const hasId = typeof id === 'string'
    const sameId = hasId ? byId.get(id) : undefined
    if (sameId !== undefined)
      return [{path: joinPath(labelRule(index), 'id'), message: `is also the id of ${labelRule(sameId)}`}]
    if (hasId) byId.set(id, index)
    const key = toNameKey(customerId, name)
    const sameName = byName.get(key)
    byName.set(key, {index, hasId: hasId && (sameName?.hasId ?? true)})
    if (!sameName || (hasId && sameName.hasId)) return []
    const message = `is also the name of ${labelRule(sameName.index)}, for the same customer: add the ids of both, or change a name`
    return [{path: joinPath(labelRule(index), 'name'), message}]
  })
}

// The schedule of a rule that the service has cannot be changed, so it is not warned about again.
function validateRuleOfFile(rule: Body, nowMs: number): Problem[] {
  const problems = validateRule(ruleInFile, rule, nowMs)
  const isKnown = isObject(rule) && rule['id'] !== undefined
  return problems.filter(({path, isWarning}) => !(isKnown && isWarning && path === 'trigger.cronSchedule'))
}

const noOverride: WarningPolicy = {isAccepted: false, canAsk: false, notice: () => {}}

// `file` is a path, or - for standard input. All problems are reported at once.
export async function readRuleFile(file: string, policy: WarningPolicy = noOverride): Promise<WantedRule[]> {
  const data = await readDataFile(file, {readNumber: (text) => new UntypedText(text), omitsBlanks: true})
  const {rules: rawRules, labelRule} = findRules(data, file === '-' ? 'standard input' : file)
  const requestRules = rawRules.map((rule) => (isObject(rule) ? toRequestForm(rule) : rule))
  const rules = coerceToSchema(requestRules, ruleInFile.array()).map((rule) =>
    isObject(rule) ? normalizeDeveloperFee(rule) : rule,
  )
  const nowMs = Date.now()
  const problems = rules.flatMap((rule, index) =>
    validateRuleOfFile(rule as Body, nowMs).map((problem) => ({
      ...problem,
      path: joinPath(labelRule(index), problem.path),
    })),
  )
  const [first = ''] = rules.length > 0 ? [labelRule(0)] : []
  const shown = first === '' ? rules[0] : {[first.slice(0, first.indexOf('['))]: rules}
  await rejectUnlessAccepted([...problems, ...findDuplicates(rules, labelRule)], shown, policy)
  return rules.map((rule) => {
    const {id} = rule as Body
    return {id: typeof id === 'string' ? id : undefined, configuration: toConfiguration(rule)}
  })
}

// Exports rules to a file: in the form of requests, in a stable order.
export type ExportedRule = {id?: unknown} & RuleConfiguration

// Sorts by customer, name and id, so that a file in git differs only where a rule does.
export const toExportedRules = (rules: readonly LooseRule[]): ExportedRule[] =>
  rules
    .map((rule) => ({id: rule.id, ...toConfiguration(rule)}))
    .toSorted(orderBy(({customerId, name, id}) => [customerId, name, toText(id)]))

export interface ExportScope {
  customer?: string | undefined
  from?: string | undefined
}

// The comment at the top of the file. It has no date, so that two exports of the same rules are equal.
export function renderHeading({customer, from}: ExportScope): string {
  const whose = customer ? ` of customer ${customer}` : ''
  return [
    `${from ? 'Automation rules' : 'All automation rules'}${whose}, written by \`svc rules export\`.`,
    ...(from
      ? [
          `Only rules that pay from account ${from}. Do not apply this file with --prune,`,
          'which would delete the others.',
        ]
      : []),
    'Preview changes with `svc rules apply -f FILE --dry-run`, and apply them',
    'without --dry-run. Only destination, developerFee and amount of a rule can',
    'change; for other changes --replace deletes the rule and creates it again.',
  ]
    .map((line) => `# ${cleanText(line)}\n`)
    .join('')
}
