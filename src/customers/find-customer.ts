// Finds a customer by its id, the beginning of its id or its email; in a terminal also by part of its name, or in a list.
import type {FindableKind} from '../cli/ids/findable.ts'
import {
  type Finder,
  type Reference,
  createNoMatchError,
  findMeant,
  isEmail,
  isUuidPrefix,
  prefixLengthMin,
  readWholeList,
} from '../cli/ids/finder.ts'
import {isUuid} from '../contract/ids.ts'
import {formatMinute, joinParts, toText} from '../cli/output/view.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {badUsage} from '../errors.ts'
import {orderBy} from '../values/order.ts'
import {svc} from '../values/text.ts'
import {toInstantMs} from '../values/time.ts'
import {listCustomers} from './answers.ts'

export const customerKind: FindableKind<LooseCustomer> = {
  singular: 'customer',
  plural: 'customers',
  getId: ({customerId}) => (typeof customerId === 'string' ? customerId.trim() : ''),
  describe: ({name, email, customerStatus}) => joinParts(name, email, customerStatus),
  outline: ({customerId, customerType, customerStatus}) => joinParts(customerId, customerType, customerStatus),
  getSearchText: ({name, email}) => `${toText(name)}\n${toText(email)}`,
  getAlias: ({email}) => email,
  // Only active ones can pay.
  isLast: ({customerStatus}) => readCode(customerStatus) !== 'ACTIVE',
}

// Whether the text names a customer for certain, so that a script may write it.
const isCertainReference = (text: string): boolean => isUuid(text) || isUuidPrefix(text) || isEmail(text)

// Throws if a script writes something that does not name a customer for certain. Call this before anything is sent.
export function checkCustomerReference({what, text}: Reference, {isInteractive}: Pick<Finder, 'isInteractive'>): void {
  if (text === undefined || isCertainReference(text) || (isInteractive && text.trim() !== '')) return
  throw badUsage(
    `${what} "${text}" is not a UUID, the first ${prefixLengthMin} or more characters of one, or an email`,
    `${svc`customers list --search ${text}`} searches names; nothing was sent`,
  )
}

// Returns the id of the customer. A whole id is returned as it is, without a request.
export async function findCustomerId(finder: Finder, reference: Reference): Promise<string> {
  const {text} = reference
  checkCustomerReference(reference, finder)
  if (text === undefined) return pickCustomerId(finder, reference)
  if (isUuid(text)) return text
  const organizationId = isCertainReference(text) ? undefined : await finder.getOrganizationId()
  const found = await findMeant(await readAllCustomers(finder, organizationId), reference, customerKind, finder)
  if (!found) throw createNoMatchError(reference, customerKind)
  return customerKind.getId(found)
}

export async function readAllCustomers({connect}: Finder, organizationId?: string): Promise<LooseCustomer[]> {
  const client = await connect()
  const query = {...(organizationId && {organizationId})}
  return readWholeList((page) => listCustomers(client, {...query, ...page}), 'customers', 'customers')
}

// Without an id, a person searches in the list.
async function pickCustomerId(finder: Finder, {name}: Reference): Promise<string> {
  if (!finder.isInteractive) finder.rejectMissing(name)
  const {PagedSearch} = await import('../cli/ids/choose-item.ts')
  const [client, organizationId] = [await finder.connect(), await finder.getOrganizationId()]
  const query = {...(organizationId && {organizationId})}
  const search = new PagedSearch((page) => listCustomers(client, {...query, ...page}), 'customers', customerKind)
  await search.open(`Create one with ${svc`customers create`}`)
  return search.pick()
}

// The order in which customers are corrected: who has waited longest comes first, who has no readable time last.
export const sortByWaiting = (customers: readonly LooseCustomer[]): LooseCustomer[] =>
  customers.toSorted(orderBy(({updatedAt}) => [toInstantMs(updatedAt) ?? Number.POSITIVE_INFINITY]))

const needsCorrection = (customer: LooseCustomer) =>
  readCode(customer.customerStatus) === 'NEEDS_ADDITIONAL_INFORMATION' && customerKind.getId(customer) !== ''

const describeWaiting = ({name, customerType, updatedAt}: LooseCustomer) =>
  joinParts(name, customerType, `since ${toText(formatMinute(updatedAt)) || 'an unknown time'}`)

// Lets a person choose a customer whose data needs correction. Returns its id, or undefined if no customer is waiting.
export async function chooseWaitingCustomer(finder: Finder, organizationId?: string): Promise<string | undefined> {
  const waiting = sortByWaiting((await readAllCustomers(finder, organizationId)).filter(needsCorrection))
  if (waiting.length === 0) return undefined
  const {pickItem} = await import('../cli/ids/choose-item.ts')
  const question = `Which customer? (${waiting.length} waiting, longest first)`
  return customerKind.getId(await pickItem(question, waiting, {...customerKind, describe: describeWaiting}))
}
