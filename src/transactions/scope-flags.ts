// The flags that limit which transactions are searched or listed.
import * as Flags from '@oclif/core/flags'
import {customerFlag} from '../cli/flags/shared.ts'
import type {Finder} from '../cli/ids/finder.ts'
import type {TransactionScope} from './find-transaction.ts'

export const accountFlag = (summary: string) => Flags.string({summary, env: 'SVC_ACCOUNT', helpValue: 'ID'})

export const scopeFlags = {
  customer: customerFlag('Search only the transactions of this customer', 'SVC_CUSTOMER'),
  account: accountFlag('Search only the transactions of this payment account'),
}

interface ScopeFlags {
  customer?: string | undefined
  account?: string | undefined
}

// The ids that the flags mean.
export async function resolveScope(finder: Finder, {customer, account}: ScopeFlags): Promise<TransactionScope> {
  if (customer === undefined && account === undefined) return {}
  // Loaded only for a list that is filtered.
  const {findScope} = await import('../accounts/find-scope.ts')
  const {customerId, accountId} = await findScope(finder, {customer, account}, 'account')
  return {...(customerId && {customerId}), ...(accountId && {paymentAccountId: accountId})}
}
