// Finds an account of any customer of the sandbox. A service elsewhere would be asked once per customer, so this is for the
// sandbox alone, which is in the same process.
import {type Finder, type Reference, toFlagReference} from '../cli/ids/finder.ts'
import {matchId, takeCertainMatch} from '../cli/ids/match.ts'
import {isUuidPrefix} from '../cli/ids/reference.ts'
import type {LoosePaymentAccount} from '../contract/loose.ts'
import {findCustomerId, readAllCustomers} from '../customers/find-customer.ts'
import {getAccountId} from './accepted-routes.ts'
import {accountKind, checkAccountReference, findAccountId, hasNoIdYet, readAllAccounts} from './find-account.ts'

export async function findAnyAccountId(finder: Finder, reference: Reference): Promise<string> {
  const {text, name} = reference
  checkAccountReference(reference)
  if (text === undefined) {
    if (!finder.isInteractive) finder.rejectMissing(name)
    const customerId = await findCustomerId(finder, toFlagReference('customer', undefined))
    return findAccountId(finder, customerId, reference)
  }
  if (!isUuidPrefix(text)) return text
  const accounts: LoosePaymentAccount[] = []
  for (const {customerId} of await readAllCustomers(finder)) {
    if (typeof customerId === 'string') accounts.push(...(await readAllAccounts(finder, customerId)))
  }
  const matches = matchId(accounts, text, accountKind, {mayLackId: hasNoIdYet})
  return getAccountId(await takeCertainMatch(matches, reference, accountKind, finder))
}
