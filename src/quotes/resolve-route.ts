// Replaces what --customer, --from and --to say by the whole ids that they mean, in the body of a quote or a rule. Files and
// --set have whole ids only, since they are kept and read again.
import {checkAccountReference, findAccountId} from '../accounts/find-account.ts'
import type {Body} from '../cli/body/assignments.ts'
import {type Finder, toFlagReference} from '../cli/ids/finder.ts'
import {isUuid, isUuidPrefix} from '../cli/ids/reference.ts'
import {getValue, withValue} from '../cli/wizard/body-paths.ts'
import {checkCustomerReference, findCustomerId} from '../customers/find-customer.ts'
import {type RoutePrefix, type Side, toRoutePath} from './route-fields.ts'

export interface RouteReferences {
  customer?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

// Stands for a customer that is not looked up yet, so that everything else can be validated before anything is sent.
const standIn = 'ffffffff-ffff-4fff-bfff-ffffffffffff'

// Throws if a script writes something that does not name the customer or an account for certain.
export function checkRouteFlags<F extends RouteReferences>(flags: F, finder: Finder): F {
  checkCustomerReference(toFlagReference('customer', flags.customer), finder)
  checkAccountReference(toFlagReference('from', flags.from))
  checkAccountReference(toFlagReference('to', flags.to))
  return flags.customer === undefined || isUuid(flags.customer) ? flags : {...flags, customer: standIn}
}

// In a script an account that is no UUID, nor the beginning of one, is an id of another format.
const isAccountOpen = (text: string | undefined, {isInteractive}: Finder) =>
  text !== undefined && !isUuid(text) && (isInteractive || isUuidPrefix(text))

// Whether any of the flags has to be looked up.
export const needsLookup = ({customer, from, to}: RouteReferences, finder: Finder): boolean =>
  (customer !== undefined && !isUuid(customer)) || isAccountOpen(from, finder) || isAccountOpen(to, finder)

const sides: ReadonlyArray<{side: Side; flag: 'from' | 'to'}> = [
  {side: 'source', flag: 'from'},
  {side: 'destination', flag: 'to'},
]

// `body` was built with the flags that `checkRouteFlags` returned; `flags` are those that were written.
export async function resolveRoute(
  finder: Finder,
  body: Body,
  flags: RouteReferences,
  prefix: RoutePrefix,
): Promise<Body> {
  let resolved = body
  if (body['customerId'] === standIn) {
    const reference = {...toFlagReference('customer', flags.customer), needsConfirmation: true}
    resolved = {...resolved, customerId: await findCustomerId(finder, reference)}
  }
  for (const {side, flag} of sides) {
    const path = toRoutePath({prefix}, side, 'PaymentAccountId')
    const text = flags[flag]
    // --set overrides the flag.
    if (!isAccountOpen(text, finder) || getValue(body, path) !== text) continue
    // The accounts of a customer are listed by its id, so a person chooses the customer first.
    const {customerId = await findCustomerId(finder, toFlagReference('customer', undefined))} = resolved
    resolved = {...resolved, customerId}
    const reference = {...toFlagReference(flag, text), needsConfirmation: true}
    resolved = withValue(resolved, path, await findAccountId(finder, String(customerId), reference))
  }
  return resolved
}
