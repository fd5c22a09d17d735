// Finds the customer and the account by which a list is filtered.
import {type Finder, toFlagReference} from '../cli/ids/finder.ts'
import {isUuidPrefix} from '../cli/ids/reference.ts'
import {checkCustomerReference, findCustomerId} from '../customers/find-customer.ts'
import {badUsage} from '../errors.ts'
import {checkAccountReference, findAccountId} from './find-account.ts'

export interface ListScope {
  customerId?: string
  accountId?: string
}

interface ScopeFlags {
  customer: string | undefined
  account: string | undefined
}

// Throws if a script writes something that does not name the customer or the account for certain.
function checkScope({customer, account}: ScopeFlags, accountFlag: string, finder: Finder): void {
  checkCustomerReference(toFlagReference('customer', customer), finder)
  checkAccountReference(toFlagReference(accountFlag, account))
  if (account === undefined || customer !== undefined || !isUuidPrefix(account)) return
  // The service lists accounts by customer only.
  throw badUsage(
    `--${accountFlag} "${account}" is only the beginning of an id`,
    'Give --customer as well, so that svc can find the account, or the whole id; nothing was sent',
  )
}

// `accountFlag` is the name of the flag that has the account.
export async function findScope(finder: Finder, flags: ScopeFlags, accountFlag: string): Promise<ListScope> {
  checkScope(flags, accountFlag, finder)
  const {customer, account} = flags
  const customerId =
    customer === undefined ? undefined : await findCustomerId(finder, toFlagReference('customer', customer))
  if (account === undefined) return {...(customerId && {customerId})}
  if (customerId === undefined) return {accountId: account}
  return {customerId, accountId: await findAccountId(finder, customerId, toFlagReference(accountFlag, account))}
}
