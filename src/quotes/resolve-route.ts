// Replaces what --customer, --from and --to say, and what a file says in their place, by the whole ids that are meant, in the body
// of a quote or a rule. --set has whole ids only.
import {
  type IdResolver,
  checkAccountReference,
  createIdResolver,
  findAccountId,
  isShortAccountId,
} from '../accounts/find-account.ts'
import {type Body, getValue, withValue} from '../values/body-paths.ts'
import {type Finder, type Reference, isIdBeginning, isUuidPrefix, toFlagReference} from '../cli/ids/finder.ts'
import {isUuid} from '../contract/ids.ts'
import {toText} from '../cli/output/view.ts'
import {SvcError, badUsage} from '../errors.ts'
import {hasWords, quoteForShell} from '../values/text.ts'

import {type RoutePrefix, type Side, accountPaths, toRoutePath} from './route-fields.ts'
import type {Problem} from '../contract/problems.ts'
import {
  checkCustomerReference,
  customerReferenceRule,
  findCustomerId,
  isShortCustomerReference,
} from '../customers/find-customer.ts'

export interface RouteReferences {
  customer?: string | undefined
  from?: string | undefined
  to?: string | undefined
  set?: readonly string[] | undefined
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
export const needsLookup = (
  body: Body,
  {customer, from, to}: RouteReferences,
  prefix: RoutePrefix,
  finder: Finder,
): boolean =>
  (customer !== undefined && !isUuid(customer)) ||
  isAccountOpen(from, finder) ||
  isAccountOpen(to, finder) ||
  hasShortIds(body, prefix)

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
    hint: `Both accounts of a payment belong to one customer: \`svc accounts list --customer ${quoteForShell(customerId)}\` shows those to choose from`,
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
  const resolver = createIdResolver(finder.connect)
  const {set, isConfirmedLater} = flags
  const toConfirmed = (confirmation: string) => (isConfirmedLater ? {} : {confirmation})
  let resolved = body
  if (body[customerPath] === standIn) {
    const reference = {...toFlagReference('customer', flags.customer), ...toConfirmed('Pay from this customer?')}
    resolved = {...resolved, customerId: await findCustomerId(finder, reference)}
  }
  const isFromFlag = ({side, flag}: SideWords) =>
    isAccountOpen(flags[flag], finder) &&
    // --set overrides the flag.
    getValue(body, toRoutePath(prefix, side, 'PaymentAccountId')) === flags[flag]
  const fromFlags = sides.filter(isFromFlag)
  const foundPaths = fromFlags.map(({side}) => toRoutePath(prefix, side, 'PaymentAccountId'))
  resolved = await resolveIds(resolver, resolved, {prefix, set, foundPaths})
  for (const {side, flag, question, confirmation} of fromFlags) {
    // The accounts of a customer are listed by its id, so a person chooses the customer first.
    const {customerId = await findCustomerId(finder, toFlagReference('customer', undefined))} = resolved
    resolved = {...resolved, customerId}
    const reference = {...toFlagReference(flag, flags[flag]), question, ...toConfirmed(confirmation)}
    const accountId = await findRouteAccountId(finder, String(customerId), reference)
    resolved = withValue(resolved, toRoutePath(prefix, side, 'PaymentAccountId'), accountId)
  }
  return resolved
}

// Looks up the short ids and emails in the body of a quote or a rule, and puts whole ids in their place before anything is sent
// or recorded.
const customerPath = 'customerId'

const isShortAt = (body: Body, path: string, isShort: (text: string) => boolean): boolean => {
  const value = getValue(body, path)
  return typeof value === 'string' && isShort(value)
}

// Whether the body has an id that has to be looked up.
export const hasShortIds = (body: Body, prefix: RoutePrefix): boolean =>
  isShortAt(body, customerPath, isShortCustomerReference) ||
  accountPaths(prefix).some((path) => isShortAt(body, path, isShortAccountId))

// The body with the ids of a payment that it may have made, where what is written is the beginning of these.
export const takeKnownIds = (body: Body, known: object, prefix: RoutePrefix): Body =>
  [customerPath, ...accountPaths(prefix)].reduce((taken, path) => {
    const [written, id] = [getValue(body, path), getValue(known, path)].map(String)
    return isShortAccountId(written ?? '') && isIdBeginning(written ?? '', id ?? '')
      ? withValue(taken, path, id)
      : taken
  }, body)

// A customer that is looked up is no problem of the body. Anything else that is no UUID can only be a mistake.
export const acceptShortCustomer = (problems: readonly Problem[], body: Body): Problem[] =>
  problems.flatMap((problem) => {
    if (problem.path !== customerPath || typeof body[customerPath] !== 'string' || body[customerPath] === '') {
      return [problem]
    }
    return isShortAt(body, customerPath, isShortCustomerReference) ? [] : [{...problem, message: customerReferenceRule}]
  })

// The fields that are given with --set, which has the bytes of the request, and so whole ids.
const isAssigned = (set: readonly string[], path: string) =>
  set.some((assignment) => assignment.startsWith(`${path}=`) || assignment.startsWith(`${path}:=`))

export function rejectShortCustomerInSet(set: readonly string[] | undefined, body: Body): void {
  if (!set || !isAssigned(set, customerPath) || !isShortAt(body, customerPath, isShortCustomerReference)) return
  throw badUsage(`${customerPath} must be a UUID in --set`, 'Write the whole id, or use --customer; nothing was sent')
}

interface BodyToResolve {
  prefix: RoutePrefix
  // How errors name a field, if not by its path.
  nameField?: (path: string) => string
  set?: readonly string[] | undefined
  // Accounts that have been looked up already.
  foundPaths?: readonly string[]
}

export async function resolveIds(resolver: IdResolver, body: Body, settings: BodyToResolve): Promise<Body> {
  const {prefix, nameField = (path) => path, set = [], foundPaths = []} = settings
  const toReference = (path: string): Reference => {
    const name = nameField(path)
    return {what: name, name, text: String(getValue(body, path))}
  }
  let resolved = body
  if (isShortAt(body, customerPath, isShortCustomerReference)) {
    resolved = {...body, [customerPath]: await resolver.findCustomerId(toReference(customerPath))}
  }
  for (const path of accountPaths(prefix)) {
    if (foundPaths.includes(path) || isAssigned(set, path) || !isShortAt(body, path, isShortAccountId)) continue
    const accountId = await resolver.findAccountId(String(resolved[customerPath]), toReference(path))
    resolved = withValue(resolved, path, accountId)
  }
  return resolved
}
