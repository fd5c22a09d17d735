// What people approve of a file of rules: every rule, and whether rules that the file does not have are deleted.
import {type ApprovalSubject, digestPart, digestParts} from '../controls/statement.ts'
import {normalizeRule} from './rule-configuration.ts'
import type {WantedRule} from './rule-file.ts'

export function createRulesSubject(
  serviceId: string,
  rules: readonly WantedRule[],
  {prune}: {prune: boolean},
): ApprovalSubject {
  const parts = rules.map(({id, configuration, unsendable}) =>
    digestPart([id ?? '', normalizeRule(configuration), unsendable?.fields ?? {}]),
  )
  return {kind: 'rules', serviceId, digest: digestParts([...parts, digestPart({prune})])}
}

export const listRulePayees = (rules: readonly WantedRule[]): string[] =>
  rules.map(({configuration}) => configuration.transactionTemplate.destination.destinationPaymentAccountId)
