// Finds a customer by its id, the beginning of its id or its email; in a terminal also by part of its name, or in a list.
import {
  type FindableKind,
  type Finder,
  type Reference,
  createNoMatchError,
  createNoneError,
  findMeant,
  isEmail,
  isUuidPrefix,
  prefixLengthMin,
  readWholeList,
} from '../cli/ids/finder.ts'
import {isUuid} from '../contract/ids.ts'
import {joinParts, toText} from '../cli/output/view.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {badUsage} from '../errors.ts'
import {listCustomers} from './answers.ts'
import {quoteForShell} from '../values/text.ts'

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
    `\`svc customers list --search ${quoteForShell(text)}\` searches names; nothing was sent`,
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
  const [{PagedSearch}, {pick}] = await Promise.all([
    import('../cli/ids/paged-search.ts'),
    import('../cli/prompts/ask.ts'),
  ])
  const [client, organizationId] = [await finder.connect(), await finder.getOrganizationId()]
  const query = {...(organizationId && {organizationId})}
  const search = new PagedSearch((page) => listCustomers(client, {...query, ...page}), 'customers', customerKind)
  await search.open()
  if (search.isEmpty) throw createNoneError('customers', 'Create one with `svc customers create`')
  return pick('Which customer?', (term, signal) => search.find(term, signal))
}
