// What has to be done so that the service has the rules of a file: compared one by one, and nothing done yet.
import {findProblems, toSentence} from '../../contract/problems.ts'
import {ruleCreate, ruleUpdate} from '../../contract/rules.ts'
import {SvcError} from '../../errors.ts'
import {toRequestForm} from '../rule-body.ts'
import type {ExistingRule, ExistingRules} from './existing-rules.ts'
import {listUnsendableFields, findUnsendableDifferences, formatLossWarning} from '../unsendable-fields.ts'
import {type WantedRule, toNameKey} from '../rule-file.ts'
import {
  type Difference,
  type RuleConfiguration,
  toConfiguration,
  diffRules,
  isChangeable,
} from '../rule-configuration.ts'

export type Action = 'create' | 'update' | 'replace' | 'delete' | 'unchanged' | 'refused'

// What is shown of a step, to people and to scripts.
export interface PlanRow {
  action: Action
  // The id that the rule has now; absent while it has none.
  id?: string
  name: string
  customerId: string
  changes: Difference[]
  // Fields that the service has in the rule and that cannot be sent back, so that they may be gone afterwards.
  loses?: string[]
  // Why it cannot be done.
  reason?: string
}

export interface PlanStep extends PlanRow {
  // What the service has.
  existing?: ExistingRule
  // What is to be sent.
  configuration?: RuleConfiguration
}

interface StepWrite {
  method: string
  path: string
}

// The requests that a step sends. A replacement deletes the old rule and creates the new one.
export function listWrites({action, id = ''}: PlanStep): StepWrite[] {
  const create = {method: 'POST', path: '/automation-rules'}
  const path = `/automation-rules/${encodeURIComponent(id)}`
  if (action === 'create') return [create]
  if (action === 'update') return [{method: 'PUT', path}]
  if (action === 'replace') return [{method: 'DELETE', path}, create]
  return action === 'delete' ? [{method: 'DELETE', path}] : []
}

export interface PlanOptions {
  // Delete and create what cannot be changed.
  replace: boolean
  // Delete rules of the file's customers that the file does not have.
  prune: boolean
}

type Match = {rule: ExistingRule} | {ambiguous: string} | undefined

const fixedReason = 'fixed fields differ, so it needs delete and create (--replace)'

const getPath = (configuration: RuleConfiguration, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], configuration)

// Rules are compared in one spelling, and differences are shown in that of either side.
const restoreSpelling = (changes: Difference[], before: RuleConfiguration, after: RuleConfiguration): Difference[] =>
  changes.map(({path, from, to}) => ({
    path,
    ...(from !== undefined && {from: getPath(before, path)}),
    ...(to !== undefined && {to: getPath(after, path)}),
  }))

const toRow = ({name, customerId}: RuleConfiguration) => ({name, customerId})

// A rule of which nothing is known differs from any other in everything that the other has.
const emptyRule = {} as RuleConfiguration

// The complete configuration for PUT: what is there, with only that of the wanted laid over which may change and does.
// Where both mean the same, the service's own spelling stays.
function mergeForUpdate(
  existing: RuleConfiguration,
  wanted: RuleConfiguration,
  changes: Difference[],
): RuleConfiguration {
  const changed = new Set(changes.map(({path}) => path))
  const {source, ...sections} = existing.transactionTemplate
  const laid = (['destination', 'amount', 'developerFee'] as const).map((section) => {
    const path = `transactionTemplate.${section}`
    const [before, after] = [sections[section], wanted.transactionTemplate[section]]
    if (![...changed].some((one) => one.startsWith(`${path}.`))) return [section, before] as const
    const fields = Object.entries(after ?? {}).map(([field, value]) => {
      const own = (before as Record<string, unknown> | undefined)?.[field]
      return [field, changed.has(`${path}.${field}`) ? value : (own ?? value)]
    })
    return [section, after && Object.fromEntries(fields)] as const
  })
  const present = laid.filter(([, value]) => value !== undefined)
  return {...existing, transactionTemplate: {source, ...Object.fromEntries(present)}} as RuleConfiguration
}

// What an update or a replacement takes from the rule without anybody having said so.
function toLosses(existing: ExistingRule): Pick<PlanStep, 'loses'> {
  const loses = listUnsendableFields(existing)
  return loses.length > 0 ? {loses} : {}
}

function planStep({configuration, unsendable}: WantedRule, match: Match, {replace}: PlanOptions): PlanStep {
  const row = toRow(configuration)
  const unsent = (where: string) => `${where}, and it cannot be sent: ${unsendable?.problems.join('; ')}`
  if (!match && unsendable)
    return {action: 'refused', ...row, changes: [], reason: unsent('the service does not have it')}
  if (!match)
    return {
      action: 'create',
      ...row,
      changes: restoreSpelling(diffRules(emptyRule, configuration), emptyRule, configuration),
      configuration,
    }
  if ('ambiguous' in match) return {action: 'refused', ...row, changes: [], reason: match.ambiguous}
  const existing = match.rule
  const {id} = existing
  const present = toConfiguration(existing)
  const changes = restoreSpelling(diffRules(present, configuration), present, configuration)
  const otherwise = [
    ...changes.map(({path}) => path),
    ...(unsendable ? findUnsendableDifferences(toRequestForm(existing), unsendable.said) : []),
  ]
  if (otherwise.length === 0) return {action: 'unchanged', id, ...row, changes, existing}
  if (unsendable) {
    const reason = unsent(`it differs from the service in ${otherwise.join(', ')}`)
    return {action: 'refused', id, ...row, changes, reason, existing}
  }
  if (changes.some(({path}) => !isChangeable(path))) {
    if (!replace) return {action: 'refused', id, ...row, changes, reason: fixedReason, existing}
    // The old rule is gone before the service sees the new one, so that what can be known to be wrong must be known here.
    const [wrong] = findProblems(ruleCreate, configuration)
    return wrong
      ? {action: 'refused', id, ...row, changes, reason: toSentence(wrong), existing}
      : {action: 'replace', id, ...row, changes, ...toLosses(existing), existing, configuration}
  }
  const body = mergeForUpdate(present, configuration, changes)
  const [problem] = findProblems(ruleUpdate, {id, ...body})
  if (!problem) return {action: 'update', id, ...row, changes, ...toLosses(existing), existing, configuration: body}
  const reason = `what the service has cannot be sent back: ${problem.path} ${problem.message}`
  return {action: 'refused', id, ...row, changes, reason, existing}
}

// Each wanted rule by its id, else by customer and name among the rules that no id has claimed (docs/assumptions.md, R11).
function matchRules(wanted: readonly WantedRule[], {byId, ofCustomers}: ExistingRules): Match[] {
  const claimed = new Set(wanted.flatMap(({id}) => (id !== undefined && byId.has(id) ? [id] : [])))
  const byName = Map.groupBy(
    wanted.filter(({id}) => id === undefined || !claimed.has(id)),
    ({configuration: {customerId, name}}) => toNameKey(customerId, name),
  )
  const named = Map.groupBy(
    ofCustomers.filter(({id}) => !claimed.has(id)),
    ({customerId, name}) => toNameKey(customerId, name),
  )
  return wanted.map(({id, configuration}): Match => {
    const own = id === undefined ? undefined : byId.get(id)
    if (own) return {rule: own}
    const key = toNameKey(configuration.customerId, configuration.name)
    const candidates = named.get(key) ?? []
    if ((byName.get(key)?.length ?? 0) > 1) {
      return {
        ambiguous: 'several rules of the file have this customer and name, and the service knows none of their ids',
      }
    }
    const [rule, ...others] = candidates
    if (!rule) return undefined
    if (others.length === 0) return {rule}
    const ids = candidates.map((one) => one.id).join(', ')
    return {ambiguous: `the service has several rules of this customer and name (${ids}): say which by its id`}
  })
}

export function planChanges(wanted: readonly WantedRule[], existing: ExistingRules, choices: PlanOptions): PlanStep[] {
  const matches = matchRules(wanted, existing)
  const steps = wanted.map((rule, index) => planStep(rule, matches[index], choices))
  if (!choices.prune) return steps
  const kept = new Set(matches.flatMap((match) => (match && 'rule' in match ? [match.rule.id] : [])))
  const gone = existing.ofCustomers
    .filter(({id}) => !kept.has(id))
    .map((rule): PlanStep => {
      const configuration = toConfiguration(rule)
      const changes = restoreSpelling(diffRules(configuration, emptyRule), configuration, emptyRule)
      return {action: 'delete', id: rule.id, ...toRow(configuration), changes, existing: rule}
    })
  return [...steps, ...gone]
}

const formatValue = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value))

const describeRefusedStep = ({id, name, changes, reason}: PlanStep): string[] => {
  const which = `${JSON.stringify(name)}${id === undefined ? '' : ` (${id})`}`
  if (reason !== fixedReason) return [`${which}: ${reason}`]
  return changes
    .filter(({path}) => !isChangeable(path))
    .map(({path, from, to}) => `${which}: ${path} is ${formatValue(from)}, wanted ${formatValue(to)}`)
}

// A plan with a step that cannot be done is refused as a whole, before any write.
export function toPlanError(steps: readonly PlanStep[]): SvcError | undefined {
  const refused = steps.filter(({action}) => action === 'refused')
  if (refused.length === 0) return undefined
  const isFixed = refused.some(({reason}) => reason === fixedReason)
  const count = refused.length === 1 ? '1 rule' : `${refused.length} rules`
  return new SvcError({
    error: isFixed ? 'RULE_FIELD_FIXED' : 'RULE_REFUSED',
    kind: 'refused',
    message: isFixed
      ? `${count} cannot be made what the file says: only destination, developer fee and amount can change`
      : `${count} cannot be made what the file says`,
    hint: isFixed
      ? 'All else needs delete and create, which --replace does; nothing was changed'
      : 'Mend the file; nothing was changed',
    problems: refused.flatMap(describeRefusedStep),
  })
}

// A step without what is only needed to do it.
export const toPlanRow = ({action, id, name, customerId, changes, loses, reason}: PlanStep): PlanRow => ({
  action,
  ...(id !== undefined && {id}),
  name,
  customerId,
  changes,
  ...(loses && {loses}),
  ...(reason !== undefined && {reason}),
})

// What to know about a plan beyond its steps.
export function listPlanNotices(
  steps: readonly PlanStep[],
  idsUnknown: readonly string[],
  {prune}: PlanOptions,
): string[] {
  const remarks: string[] = []
  if (steps.length === 0) {
    const pruned = prune ? ', and names no customer, so --prune deletes nothing' : ''
    remarks.push(`The file holds no rules${pruned}.`)
  }
  if (idsUnknown.length > 0) {
    remarks.push(
      `The service does not know ${idsUnknown.join(', ')}: matched by customer and name. Export anew to have the ids of today.`,
    )
  }
  if (steps.some(({action}) => action === 'replace')) {
    remarks.push('A replaced rule is deleted first and then created: a firing that falls in between does not happen.')
  }
  const warning = formatLossWarning(steps.map(({name, loses = []}) => ({name, loses})))
  return warning ? [...remarks, warning] : remarks
}
