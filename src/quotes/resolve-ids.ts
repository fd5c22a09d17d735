// Looks up the short ids and emails in the body of a quote or a rule, and puts whole ids in their place before anything is sent
// or recorded.
import {type IdResolver, isShortAccountId} from '../accounts/id-resolver.ts'
import type {Body} from '../cli/body/assignments.ts'
import type {Reference} from '../cli/ids/finder.ts'
import {isIdBeginning} from '../cli/ids/reference.ts'
import {getValue, withValue} from '../cli/wizard/body-paths.ts'
import type {Problem} from '../contract/problems.ts'
import {customerReferenceRule, isShortCustomerReference} from '../customers/find-customer.ts'
import {badUsage} from '../errors.ts'
import {type RoutePrefix, toRoutePath} from './route-fields.ts'

export const customerPath = 'customerId'

const getAccountPaths = (prefix: RoutePrefix) =>
  (['source', 'destination'] as const).map((side) => toRoutePath({prefix}, side, 'PaymentAccountId'))

const isShortAt = (body: Body, path: string, isShort: (text: string) => boolean): boolean => {
  const value = getValue(body, path)
  return typeof value === 'string' && isShort(value)
}

// Whether the body has an id that has to be looked up.
export const hasShortIds = (body: Body, prefix: RoutePrefix): boolean =>
  isShortAt(body, customerPath, isShortCustomerReference) ||
  getAccountPaths(prefix).some((path) => isShortAt(body, path, isShortAccountId))

// The body with the ids of a payment that it may have made, where what is written is the beginning of these.
export const takeKnownIds = (body: Body, known: object, prefix: RoutePrefix): Body =>
  [customerPath, ...getAccountPaths(prefix)].reduce((taken, path) => {
    const [written, id] = [getValue(body, path), getValue(known as Body, path)].map(String)
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

export interface BodyToResolve {
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
  for (const path of getAccountPaths(prefix)) {
    if (foundPaths.includes(path) || isAssigned(set, path) || !isShortAt(body, path, isShortAccountId)) continue
    const accountId = await resolver.findAccountId(String(resolved[customerPath]), toReference(path))
    resolved = withValue(resolved, path, accountId)
  }
  return resolved
}
