// Plans what must change so that the service has the rules of a file. Planning writes nothing.
import {toText} from '../../cli/output/view.ts'
import type {Client} from '../../client/client.ts'
import {rejectCutList} from '../../client/paging.ts'
import type {LooseRule} from '../../contract/loose.ts'
import {findProblems, toSentence} from '../../contract/problems.ts'
import {ruleCreate, ruleUpdate} from '../../contract/rules.ts'
import {SvcError, findOrUndefined} from '../../errors.ts'
import {
  type Difference,
  type RuleConfiguration,
  applyChanges,
  diffRules,
  isChangeable,
  toConfiguration,
} from '../rule-configuration.ts'
import {countNoun} from '../../values/text.ts'
import {describeDifference} from '../rule-body.ts'
import {type WantedRule, toNameKey} from '../rule-file.ts'

// What a step does. One that replaces deletes a rule and creates it anew; one that is refused fails the whole plan.
export type Action = 'create' | 'update' | 'replace' | 'delete' | 'refused' | 'unchanged'

export const isChange = ({action}: {action: Action}) => action !== 'unchanged'

export interface PlanStep {
  action: Action
  // The current id. A rule that does not exist yet has none.
  id?: string | undefined
  name: string
  customerId: string
  changes: Difference[]
  // Why the step is refused.
  reason?: string
  existing?: ExistingRule
  // The configuration to send.
  configuration?: RuleConfiguration
  // Set if the step is refused only because --replace was not given.
  needsReplace?: true
}

// A step as it is printed.
export type PlanRow = Omit<PlanStep, 'existing' | 'configuration' | 'needsReplace'>

// The requests that a step sends. A replacement deletes the old rule and creates the new one.
export function listWrites({action, id = ''}: PlanStep): Array<{method: string; path: string}> {
  const create = {method: 'POST', path: '/automation-rules'}
  const path = `/automation-rules/${encodeURIComponent(id)}`
  if (action === 'create') return [create]
  if (action === 'update') return [{method: 'PUT', path}]
  if (action === 'replace') return [{method: 'DELETE', path}, create]
  return action === 'delete' ? [{method: 'DELETE', path}] : []
}

interface PlanOptions {
  // Delete and create rules whose fixed fields differ.
  replace: boolean
  // Delete rules that the file does not have, of the customers that it names.
  prune: boolean
}

const emptyRule = toConfiguration({})

const toRow = ({name, customerId}: RuleConfiguration) => ({name, customerId})

function planExistingRule({configuration}: WantedRule, existing: ExistingRule, {replace}: PlanOptions): PlanStep {
  const {id} = existing
  const current = toConfiguration(existing)
  const changes = diffRules(current, configuration)
  const base = {id, ...toRow(configuration), changes, existing}
  const refuse = (reason: string): PlanStep => ({action: 'refused', ...base, reason})
  if (changes.length === 0) return {action: 'unchanged', ...base}
  if (changes.some(({path}) => !isChangeable(path))) {
    if (!replace) {
      return {...refuse('fixed fields differ, so it needs delete and create (--replace)'), needsReplace: true}
    }
    // The old rule is deleted before the service sees the new one, so the new one must be validated here.
    const [problem] = findProblems(ruleCreate, configuration)
    return problem ? refuse(toSentence(problem)) : {action: 'replace', ...base, configuration}
  }
  const body = applyChanges(current, changes)
  const [problem] = findProblems(ruleUpdate, {id, ...body})
  return problem
    ? refuse(`what the service has cannot be sent back: ${problem.path} ${problem.message}`)
    : {action: 'update', ...base, configuration: body}
}

function planRule(wanted: WantedRule, match: Match, options: PlanOptions): PlanStep {
  const {configuration} = wanted
  if (!match) {
    return {action: 'create', ...toRow(configuration), changes: diffRules(emptyRule, configuration), configuration}
  }
  if ('rule' in match) return planExistingRule(wanted, match.rule, options)
  return {action: 'refused', ...toRow(configuration), changes: [], reason: match.ambiguous}
}

function planDeletion(rule: ExistingRule): PlanStep {
  const configuration = toConfiguration(rule)
  const changes = diffRules(configuration, emptyRule)
  return {action: 'delete', id: rule.id, ...toRow(configuration), changes, existing: rule}
}

const toCustomer = ({customerId}: {customerId?: unknown}) => toText(customerId).toLowerCase()

export function planChanges(
  wanted: readonly WantedRule[],
  existing: readonly ExistingRule[],
  options: PlanOptions,
): PlanStep[] {
  const matches = matchRules(wanted, existing)
  const steps = wanted.map((rule, index) => planRule(rule, matches[index], options))
  if (!options.prune) return steps
  const matchedIds = new Set(matches.flatMap((match) => (match && 'rule' in match ? [match.rule.id] : [])))
  const customers = new Set(wanted.map(({configuration}) => toCustomer(configuration)))
  const isPruned = (rule: ExistingRule) => customers.has(toCustomer(rule)) && !matchedIds.has(rule.id)
  return [...steps, ...existing.filter(isPruned).map(planDeletion)]
}

const describeRefusedStep = ({id, name, changes, reason, needsReplace}: PlanStep): string[] => {
  const rule = `${JSON.stringify(name)}${id === undefined ? '' : ` (${id})`}`
  if (!needsReplace) return [`${rule}: ${reason}`]
  return changes.filter(({path}) => !isChangeable(path)).map((change) => `${rule}: ${describeDifference(change)}`)
}

// One refused step fails the whole plan, before any write.
export function toPlanError(steps: readonly PlanStep[]): SvcError | undefined {
  const refused = steps.filter(({action}) => action === 'refused')
  if (refused.length === 0) return undefined
  const needsReplace = refused.some((step) => step.needsReplace)
  return new SvcError({
    error: needsReplace ? 'RULE_FIELD_FIXED' : 'RULE_REFUSED',
    kind: 'refused',
    message: `${countNoun(refused.length, 'rule')} cannot be changed to match the file${needsReplace ? ': only destination, developer fee and amount can change' : ''}`,
    hint: `${needsReplace ? 'Use --replace to delete and create these rules' : 'Correct the file'}; nothing was changed`,
    problems: refused.flatMap(describeRefusedStep),
  })
}

export const toPlanRow = ({
  existing: _existing,
  configuration: _sent,
  needsReplace: _needs,
  ...row
}: PlanStep): PlanRow => row

// The rule of the service that a rule of the file describes. Undefined if the service has no such rule.
type Match = {rule: ExistingRule} | {ambiguous: string} | undefined

// Matches by id, else by customer and name among the rules that no id of the file matches (docs/assumptions.md, R11).
function matchRules(wanted: readonly WantedRule[], existing: readonly ExistingRule[]): Match[] {
  const byId = new Map(existing.map((rule) => [rule.id, rule]))
  const matchedIds = new Set(wanted.flatMap(({id}) => (id !== undefined && byId.has(id) ? [id] : [])))
  const wantedByName = Map.groupBy(
    wanted.filter(({id}) => id === undefined || !matchedIds.has(id)),
    ({configuration: {customerId, name}}) => toNameKey(customerId, name),
  )
  const existingByName = Map.groupBy(
    existing.filter(({id}) => !matchedIds.has(id)),
    ({customerId, name}) => toNameKey(customerId, name),
  )
  return wanted.map(({id, configuration}): Match => {
    const sameId = id === undefined ? undefined : byId.get(id)
    if (sameId) return {rule: sameId}
    const key = toNameKey(configuration.customerId, configuration.name)
    if ((wantedByName.get(key)?.length ?? 0) > 1) {
      return {
        ambiguous: 'several rules in the file have this customer and name, and the service has none of their ids',
      }
    }
    const candidates = existingByName.get(key) ?? []
    const [rule, ...others] = candidates
    if (!rule) return undefined
    if (others.length === 0) return {rule}
    const ids = candidates.map((candidate) => candidate.id).join(', ')
    return {ambiguous: `the service has several rules with this customer and name (${ids}): add the id to the file`}
  })
}

export type ExistingRule = LooseRule & {readonly id: string}

// All rules of the service. One that the file names by its id may be missing in a list that is late, and would be created again.
export async function readExistingRules(client: Client, wanted: readonly WantedRule[]): Promise<ExistingRule[]> {
  const list = await client.rules.list({})
  rejectCutList(list)
  const rules = new Map(list.automationRules.map((rule) => [toText(rule.id), rule]))
  for (const {id} of wanted) {
    const unlisted =
      id === undefined || rules.has(id) ? undefined : await findOrUndefined(client.rules.get({ruleId: id}))
    if (id !== undefined && unlisted) rules.set(id, unlisted)
  }
  // The reply may carry another id, but the service answers to this one.
  return [...rules].map(([id, rule]) => ({...rule, id}))
}
