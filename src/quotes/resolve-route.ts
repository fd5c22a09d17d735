// Replaces what --customer, --from and --to say by the whole ids that are meant, in the body of a quote or a rule. Files and --set
// have whole ids.
import {checkAccountReference, findAccountId} from '../accounts/find-account.ts'
import {type Body, getValue, withValue} from '../values/body-paths.ts'
import {type Finder, type Reference, isUuidPrefix, toFlagReference} from '../cli/ids/finder.ts'
import {isUuid} from '../contract/ids.ts'
import {toText} from '../cli/output/view.ts'
import {SvcError} from '../errors.ts'

import {hasWords, svc} from '../values/text.ts'
import {type RoutePrefix, type Side, toRoutePath} from './route-fields.ts'
import {checkCustomerReference, findCustomerId} from '../customers/find-customer.ts'

export interface RouteReferences {
  customer?: string | undefined
  from?: string | undefined
  to?: string | undefined
  // Whether the person sees everything and says yes before anything is sent, so that the only match of a name need not be
  // confirmed by itself.
  isConfirmedLater?: boolean | undefined
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

// Whether anything has to be looked up.
export const needsLookup = ({customer, from, to}: RouteReferences, finder: Finder): boolean =>
  (customer !== undefined && !isUuid(customer)) || isAccountOpen(from, finder) || isAccountOpen(to, finder)

interface SideWords {
  side: Side
  flag: 'from' | 'to'
  question: string
  confirmation: string
}

const sides: readonly SideWords[] = [
  {side: 'source', flag: 'from', question: 'From which payment account?', confirmation: 'Pay from this account?'},
  {side: 'destination', flag: 'to', question: 'To which payment account?', confirmation: 'Pay to this account?'},
]

// The name of another customer, where one of its own accounts was expected. One page is read, and only to explain.
async function findOtherCustomer({connect, isInteractive}: Finder, customerId: string, text: string) {
  if (!isInteractive || isUuidPrefix(text)) return undefined
  const client = await connect()
  const page = await client.customers.list({pageSize: 100}).catch(() => undefined)
  return page?.customers.find((each) => each.customerId !== customerId && hasWords(toText(each.name), text))
}

// Both accounts of a route belong to the customer who pays, so an account is looked for among these alone.
async function explainNoMatch(finder: Finder, customerId: string, {what, text = ''}: Reference): Promise<SvcError> {
  const other = await findOtherCustomer(finder, customerId, text)
  const why = other ? `; it matches the name of another customer, ${toText(other.customerId)}` : ''
  return new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `${what} "${text}" matches no payment account of the customer who pays, ${customerId}${why}`,
    hint: `Both accounts of a payment belong to one customer: ${svc`accounts list --customer ${customerId}`} shows those to choose from`,
  })
}

async function findRouteAccountId(finder: Finder, customerId: string, reference: Reference): Promise<string> {
  try {
    return await findAccountId(finder, customerId, reference)
  } catch (error) {
    // With a status code, the service did not find the customer.
    const isNoMatch = error instanceof SvcError && error.error === 'NOT_FOUND' && error.statusCode === undefined
    throw isNoMatch ? await explainNoMatch(finder, customerId, reference) : error
  }
}

// `body` was built with the flags that `checkRouteFlags` returned; `flags` are those that were written.
export async function resolveRoute(
  finder: Finder,
  body: Body,
  flags: RouteReferences,
  prefix: RoutePrefix,
): Promise<Body> {
  const {isConfirmedLater} = flags
  const toConfirmed = (confirmation: string) => (isConfirmedLater ? {} : {confirmation})
  let resolved = body
  if (body['customerId'] === standIn) {
    const reference = {...toFlagReference('customer', flags.customer), ...toConfirmed('Pay from this customer?')}
    resolved = {...resolved, customerId: await findCustomerId(finder, reference)}
  }
  const isFromFlag = ({side, flag}: SideWords) =>
    isAccountOpen(flags[flag], finder) &&
    // --set overrides the flag.
    getValue(body, toRoutePath(prefix, side, 'PaymentAccountId')) === flags[flag]
  for (const {side, flag, question, confirmation} of sides.filter(isFromFlag)) {
    // The accounts of a customer are listed by its id, so a person chooses the customer first.
    const {customerId = await findCustomerId(finder, toFlagReference('customer', undefined))} = resolved
    resolved = {...resolved, customerId}
    const reference = {...toFlagReference(flag, flags[flag]), question, ...toConfirmed(confirmation)}
    const accountId = await findRouteAccountId(finder, String(customerId), reference)
    resolved = withValue(resolved, toRoutePath(prefix, side, 'PaymentAccountId'), accountId)
  }
  return resolved
}
