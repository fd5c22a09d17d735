// The customer and the source account by which rules are listed.
import {findScope} from '../accounts/find-scope.ts'
import type {Finder} from '../cli/ids/finder.ts'

interface ScopeFlags {
  customer?: string | undefined
  from?: string | undefined
}

export async function resolveRuleScope(finder: Finder, {customer, from}: ScopeFlags) {
  const {customerId, accountId} = await findScope(finder, {customer, account: from}, 'from')
  return {...(customerId && {customerId}), ...(accountId && {sourcePaymentAccountId: accountId})}
}
