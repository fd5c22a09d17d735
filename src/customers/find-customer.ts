// Finds a customer by its id, the beginning of its id or its email; in a terminal also by part of its name, or in a list.
import {
  type FindableKind,
  type Finder,
  type Reference,
  createNoneError,
  describeFormatLimit,
  isEmail,
  isUuidPrefix,
  prefixLengthMin,
} from '../cli/ids/finder.ts'
import {matchId, matchWords, readWholeList, takeCertainMatch, takeWordMatch} from '../cli/ids/match.ts'
import {isUuid} from '../contract/ids.ts'
import {joinParts, toText} from '../cli/output/view.ts'
import type {LooseCustomer} from '../contract/loose.ts'
import {badUsage} from '../errors.ts'
import {listCustomers} from './answers.ts'
import {isActive} from './customer-search.ts'
import {quoteForShell} from '../values/text.ts'

// The service cannot search, so svc reads the list: at most this many, in a hundred requests.
export const customersSearchedMax = 10_000

export const customerKind: FindableKind<LooseCustomer> = {
  singular: 'customer',
  plural: 'customers',
  getId: ({customerId}) => (typeof customerId === 'string' ? customerId.trim() : ''),
  describe: ({name, email, customerStatus}) => joinParts(name, email, customerStatus),
  outline: ({customerId, customerType, customerStatus}) => joinParts(customerId, customerType, customerStatus),
  getSearchText: ({name, email}) => `${toText(name)}\n${toText(email)}`,
}

// Whether the text names a customer for certain, so that a script may write it.
const isCertainReference = (text: string): boolean => isUuid(text) || isUuidPrefix(text) || isEmail(text)

// Throws if a script writes something that does not name a customer for certain. Call this before anything is sent.
export function checkCustomerReference(
  {what, text}: Reference,
  finder: Pick<Finder, 'isInteractive' | 'isKeptByFormat'>,
): void {
  if (text === undefined || isCertainReference(text) || (finder.isInteractive && text.trim() !== '')) return
  throw badUsage(
    `${what} "${text}" is not a UUID, the first ${prefixLengthMin} or more characters of one, or an email`,
    `${describeFormatLimit(finder)}\`svc customers list --search ${quoteForShell(text)}\` searches names; nothing was sent`,
  )
}

// Returns the id of the customer. A whole id is returned as it is, without a request.
export async function findCustomerId(finder: Finder, reference: Reference): Promise<string> {
  const {text} = reference
  checkCustomerReference(reference, finder)
  if (text === undefined) return pickCustomerId(finder, reference)
  if (isUuid(text)) return text
  const organizationId = isCertainReference(text) ? undefined : await finder.getOrganizationId()
  const customers = await readAllCustomers(finder, organizationId)
  return customerKind.getId(await findAmong(customers, reference, finder))
}

async function findAmong(
  customers: readonly LooseCustomer[],
  reference: Reference,
  finder: Finder,
): Promise<LooseCustomer> {
  const {text = ''} = reference
  if (isEmail(text)) return takeCertainMatch(matchEmail(customers, text), reference, customerKind, finder)
  if (isUuidPrefix(text))
    return takeCertainMatch(matchId(customers, text, customerKind), reference, customerKind, finder)
  return takeWordMatch(putActiveFirst(matchWords(customers, text, customerKind)), reference, customerKind, finder)
}

// Only they can pay.
const putActiveFirst = (customers: readonly LooseCustomer[]) =>
  customers.toSorted((a, b) => Number(isActive(b)) - Number(isActive(a)))

// Upper and lower case count as the same, so two emails that differ in nothing else match both.
function matchEmail(customers: readonly LooseCustomer[], text: string): LooseCustomer[] {
  const wanted = text.toLowerCase()
  const withEmail = customers.filter(({email}) => typeof email === 'string' && email.trim().toLowerCase() === wanted)
  return matchWords(withEmail, '', customerKind)
}

export async function readAllCustomers({connect}: Finder, organizationId?: string): Promise<LooseCustomer[]> {
  const client = await connect()
  const query = {...(organizationId && {organizationId})}
  return readWholeList<LooseCustomer>((page) => listCustomers(client, {...query, ...page}), {
    itemsKey: 'customers',
    plural: 'customers',
    countMax: customersSearchedMax,
  })
}

// Without an id, a person searches in the list.
async function pickCustomerId(finder: Finder, {name}: Reference): Promise<string> {
  if (!finder.isInteractive) finder.rejectMissing(name)
  const [{CustomerSearch}, {pick}] = await Promise.all([
    import('./customer-search.ts'),
    import('../cli/prompts/ask.ts'),
  ])
  const search = new CustomerSearch(await finder.connect(), await finder.getOrganizationId())
  await search.open()
  if (search.isEmpty) throw createNoneError('customers', 'Create one with `svc customers create`')
  return pick('Which customer?', (term, signal) => search.find(term, signal))
}
