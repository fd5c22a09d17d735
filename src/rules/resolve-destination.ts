// Replaces what --to or a file says in a change of a rule by the whole ids that are meant.
import type {Body} from '../cli/body/assignments.ts'
import type {Finder} from '../cli/ids/finder.ts'
import type {LooseRule} from '../contract/loose.ts'
import {resolveRoute} from '../quotes/resolve-route.ts'

// The account is one of the customer of the rule, which a file may name too.
export async function resolveDestination(
  finder: Finder,
  {customerId: owner}: LooseRule,
  change: Body,
  flags: {to?: string | undefined; set?: readonly string[] | undefined},
): Promise<Body> {
  const {customerId = owner} = change
  const resolved = await resolveRoute(finder, {...change, customerId}, flags, 'transactionTemplate.')
  const {transactionTemplate} = resolved
  return {
    ...change,
    ...('customerId' in change && {customerId: resolved['customerId']}),
    ...(transactionTemplate !== undefined && {transactionTemplate}),
  }
}
