// Replaces the ids that a file of rules writes shorter by the whole ones, before the rules are compared with those of the service.
import {createIdResolver} from '../accounts/id-resolver.ts'
import type {Body} from '../cli/body/assignments.ts'
import {rejectProblems} from '../cli/body/reject-problems.ts'
import type {Client} from '../client/client.ts'
import {hasShortIds, resolveIds} from '../quotes/resolve-ids.ts'
import type {RuleConfiguration} from './rule-configuration.ts'
import {type WantedRule, findDuplicates} from './rule-file.ts'

const prefix = 'transactionTemplate.'

const labelRule = (index: number) => `rules[${index}]`

// Connects only if a rule has such an id.
export async function resolveRuleIds(
  rules: readonly WantedRule[],
  connect: () => Promise<Client>,
): Promise<readonly WantedRule[]> {
  if (!rules.some(({configuration}) => hasShortIds(configuration, prefix))) return rules
  const resolver = createIdResolver(connect)
  const resolved: WantedRule[] = []
  for (const [index, rule] of rules.entries()) {
    const nameField = (path: string) => `${labelRule(index)}.${path}`
    const resolve = (body: unknown) => resolveIds(resolver, body as Body, {prefix, nameField})
    const {configuration, unsendable} = rule
    resolved.push({
      ...rule,
      configuration: (await resolve(configuration)) as unknown as RuleConfiguration,
      ...(unsendable && {unsendable: {...unsendable, fields: await resolve(unsendable.fields)}}),
    })
  }
  rejectSameRules(resolved)
  return resolved
}

// Two that looked different may name one customer.
function rejectSameRules(rules: readonly WantedRule[]): void {
  const named = rules.map(({id, configuration: {name, customerId}}) => ({
    ...(id !== undefined && {id}),
    name,
    customerId,
  }))
  rejectProblems(findDuplicates(named, labelRule), {rules: named})
}
