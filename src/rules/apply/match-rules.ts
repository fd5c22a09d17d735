// Finds for each rule of a file the rule of the service that it describes.
import {type WantedRule, toNameKey} from '../rule-file.ts'
import type {ExistingRule, ExistingRules} from './existing-rules.ts'

// Undefined if the service has no such rule.
export type Match = {rule: ExistingRule} | {ambiguous: string} | undefined

// Matches by id, else by customer and name among the rules that no id of the file matches (docs/assumptions.md, R11).
export function matchRules(wanted: readonly WantedRule[], {byId, ofCustomers}: ExistingRules): Match[] {
  const matchedIds = new Set(wanted.flatMap(({id}) => (id !== undefined && byId.has(id) ? [id] : [])))
  const wantedByName = Map.groupBy(
    wanted.filter(({id}) => id === undefined || !matchedIds.has(id)),
    ({configuration: {customerId, name}}) => toNameKey(customerId, name),
  )
  const existingByName = Map.groupBy(
    ofCustomers.filter(({id}) => !matchedIds.has(id)),
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
