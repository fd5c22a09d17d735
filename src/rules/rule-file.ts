// A file of rules, as people keep it or as the service lists them: read, brought into one form, and checked as a whole.
import type {Problem} from '../contract/problems.ts'
import {ruleCreate} from '../contract/rules.ts'
import {opaqueId} from '../contract/scalars.ts'
import {badUsage} from '../errors.ts'
import {isObject} from '../cli/body/body.ts'
import {formatProblems, rejectProblems} from '../cli/body/reject-problems.ts'
import {toRequestForm, validateRule, normalizeDeveloperFee} from './rule-body.ts'
import {UntypedText, coerceToSchema} from '../cli/body/coerce-to-schema.ts'
import type {Body} from '../cli/body/assignments.ts'
import {readDataFile} from '../cli/body/input-file.ts'
import {type RuleConfiguration, toConfiguration} from './rule-configuration.ts'

const ruleInFile = ruleCreate.extend({id: opaqueId.optional()})

export interface WantedRule {
  id?: string | undefined
  configuration: RuleConfiguration
  // Set where it cannot be sent: the service may have it just so, and then nothing has to be.
  unsendable?: UnsendableRule
}

interface UnsendableRule {
  // What is wrong with it, a line each.
  problems: string[]
  // All that the file says of it, in the form of requests.
  said: Body
}

// What a file may hold: where the rules stand in it, and how a problem names the place of one of them.
interface FileContent {
  rules: unknown[]
  labelRule: (index: number) => string
}

const fromList = (key: string, rules: unknown[]): FileContent => ({rules, labelRule: (index) => `${key}[${index}]`})

const ruleFields = Object.keys(ruleInFile.shape)

function findRules(data: unknown, name: string): FileContent {
  if (Array.isArray(data)) return fromList('rules', data)
  const fields = isObject(data) ? data : {}
  for (const key of ['rules', 'automationRules']) {
    // A key with nothing after it is an empty list in YAML, as a person writes it.
    const list = fields[key] === null ? [] : fields[key]
    if (!Array.isArray(list)) continue
    const others = Object.keys(fields).filter((other) => other !== key)
    // What the service puts beside its list is its own matter; in a file of ours it is a slip.
    if (key === 'rules' && others.length > 0) {
      throw badUsage(`${name} holds ${others.join(', ')} beside its rules`, 'Leave only rules; nothing was sent')
    }
    return fromList(key, list)
  }
  if (ruleFields.some((field) => Object.hasOwn(fields, field))) return {rules: [data], labelRule: () => ''}
  throw badUsage(
    `There are no rules in ${name}`,
    'Give {rules: […]}, a list of rules, one rule, or what `svc rules list --json` prints; nothing was sent',
  )
}

const joinPath = (labelRule: string, path: string) => [labelRule, path].filter((part) => part !== '').join('.')

export const toNameKey = (customerId: unknown, name: unknown) =>
  JSON.stringify([String(customerId).toLowerCase(), String(name)])

// Two rules of a file must never mean the same rule of the service.
function findDuplicates(rules: readonly unknown[], labelRule: FileContent['labelRule']): Problem[] {
  const byId = new Map<string, number>()
  const byName = new Map<string, {index: number; hasId: boolean}>()
  return rules.flatMap((rule, index): Problem[] => {
    if (!isObject(rule) || typeof rule['name'] !== 'string' || typeof rule['customerId'] !== 'string') return []
    const {id, name, customerId} = rule
    const hasId = typeof id === 'string'
    const sameId = hasId ? byId.get(id) : undefined
    if (sameId !== undefined)
      return [{path: joinPath(labelRule(index), 'id'), message: `is that of ${labelRule(sameId)} as well`}]
    if (hasId) byId.set(id, index)
    const key = toNameKey(customerId, name)
    const sameName = byName.get(key)
    byName.set(key, {index, hasId: hasId && (sameName?.hasId ?? true)})
    if (!sameName || (hasId && sameName.hasId)) return []
    const message = `is that of ${labelRule(sameName.index)} as well, for the same customer: give both their ids, or another name`
    return [{path: joinPath(labelRule(index), 'name'), message}]
  })
}

// Where something is wrong here, there is no telling which rule of the service is meant.
const identifyingFields = new Set(['', 'id', 'name', 'customerId'])

// What a service that has grown may send: a value or a field that this svc does not know. All else is a mistake.
const isFromNewerService = ({path, kind}: Problem) =>
  !identifyingFields.has(path) && (kind === 'value' || kind === 'unknownField')

// A rule that came from the service may be of a kind that this svc does not know. Whether it is still what the service has
// is for the plan to say (docs/assumptions.md, R16).
const mayComeFromService = (rule: unknown, problems: readonly Problem[]) =>
  isObject(rule) && typeof rule['id'] === 'string' && problems.every(isFromNewerService)

function toWantedRule(rule: Body, problems: readonly Problem[]): WantedRule {
  const wanted = {id: rule['id'] as string | undefined, configuration: toConfiguration(rule)}
  return problems.length === 0
    ? wanted
    : {...wanted, unsendable: {problems: formatProblems(problems, rule), said: rule}}
}

// `file` is a path, or - for standard input. Whatever is wrong in it is said at once, with its place.
export async function readRuleFile(file: string): Promise<WantedRule[]> {
  const data = await readDataFile(file, (text) => new UntypedText(text))
  const {rules: found, labelRule} = findRules(data, file === '-' ? 'standard input' : file)
  const plain = found.map((rule) => (isObject(rule) ? toRequestForm(rule) : rule))
  const rules = (coerceToSchema(plain, ruleInFile.array()) as unknown[]).map((rule) =>
    isObject(rule) ? normalizeDeveloperFee(rule) : rule,
  )
  const nowMs = Date.now()
  const validated = rules.map((rule) => ({rule: rule as Body, problems: validateRule(ruleInFile, rule as Body, nowMs)}))
  const problems = validated.flatMap(({rule, problems: own}, index) =>
    mayComeFromService(rule, own)
      ? []
      : own.map(({path, message}) => ({path: joinPath(labelRule(index), path), message})),
  )
  const [first = ''] = rules.length > 0 ? [labelRule(0)] : []
  const shown = first === '' ? rules[0] : {[first.slice(0, first.indexOf('['))]: rules}
  rejectProblems([...problems, ...findDuplicates(rules, labelRule)], shown)
  return validated.map(({rule, problems: own}) => toWantedRule(rule, own))
}
