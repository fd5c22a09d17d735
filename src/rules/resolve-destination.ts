// Replaces what --to says in a change of a rule by the whole id of the account.
import type {Body} from '../cli/body/assignments.ts'
import type {Finder} from '../cli/ids/finder.ts'
import type {LooseRule} from '../contract/loose.ts'
import {resolveRoute} from '../quotes/resolve-route.ts'

// The account is one of the customer of the rule.
export async function resolveDestination(
  finder: Finder,
  {customerId}: LooseRule,
  change: Body,
  to: string | undefined,
): Promise<Body> {
  const {transactionTemplate} = await resolveRoute(finder, {...change, customerId}, {to}, 'transactionTemplate.')
  return transactionTemplate === undefined ? change : {...change, transactionTemplate}
}
