// The customer and the source account by which rules are listed.
import type {Finder} from '../cli/ids/finder.ts'

interface ScopeFlags {
  customer?: string | undefined
  from?: string | undefined
}

interface RuleScope {
  customerId?: string
  sourcePaymentAccountId?: string
}

export async function resolveRuleScope(finder: Finder, {customer, from}: ScopeFlags): Promise<RuleScope> {
  if (customer === undefined && from === undefined) return {}
  // Loaded only for a list that is filtered.
  const {findScope} = await import('../accounts/find-scope.ts')
  const {customerId, accountId} = await findScope(finder, {customer, account: from}, 'from')
  return {...(customerId && {customerId}), ...(accountId && {sourcePaymentAccountId: accountId})}
}
