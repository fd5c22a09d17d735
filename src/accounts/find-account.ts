// Finds a payment account in the list of its customer, since the interface has no read for a single one: by its id or the
// beginning of its id; in a terminal also by its bank, nickname or address, or in a list.
import type {FindableKind} from '../cli/ids/findable.ts'
import {
  type Finder,
  type Reference,
  createNoMatchError,
  findMeant,
  isUuidPrefix,
  readWholeList,
  toFlagReference,
} from '../cli/ids/finder.ts'
import {isUuid} from '../contract/ids.ts'
import type {Client} from '../client/client.ts'
import {toText} from '../cli/output/view.ts'
import {type LoosePaymentAccount, readCode} from '../contract/loose.ts'
import {checkCustomerReference, findCustomerId, readAllCustomers} from '../customers/find-customer.ts'
import {SvcError, badUsage} from '../errors.ts'
import {svc} from '../values/text.ts'
import {describeAccount, getAccountId} from './describe-account.ts'

// Wide enough for every part of a description. Pickers cut it to the terminal.
const descriptionWidth = 200

const accountKind: FindableKind<LoosePaymentAccount> = {
  singular: 'payment account',
  plural: 'payment accounts',
  getId: getAccountId,
  // A pending account has no id yet. Any other without one cannot be read.
  mayLackId: ({paymentAccountId, paymentAccountStatus}) =>
    paymentAccountId === '' || readCode(paymentAccountStatus) === 'PENDING',
  describe: (account) => describeAccount(account, descriptionWidth),
  outline: (account) => [getAccountId(account), toText(account.paymentAccountType)].filter(Boolean).join(', '),
  getSearchText: (account) => `${describeAccount(account, descriptionWidth)}\n${toText(account.nickname)}`,
}

// The interface leaves the format of these ids open, so only an empty one is wrong. Call this before anything is sent.
export function checkAccountReference({what, text}: Reference): void {
  if (text === undefined || text.trim() !== '') return
  throw badUsage(`${what} is empty`, 'Use the id that the service shows; a pending account has none')
}

// Returns the id of an account of the customer. A whole id is returned as it is, without a request. In a script, so is
// everything that is not the beginning of a UUID: it may be an id of another format, and is never taken for a name.
export async function findAccountId(finder: Finder, customerId: string, reference: Reference): Promise<string> {
  const {text} = reference
  checkAccountReference(reference)
  if (text !== undefined && (isUuid(text) || !(finder.isInteractive || isUuidPrefix(text)))) return text
  return getAccountId(await findAccount(finder, customerId, reference))
}

// Every account of a customer. Stops at the one with the whole id, since the others do not matter then.
export const listAccounts = async (client: Client, customerId: string, wholeId?: string) =>
  readWholeList<LoosePaymentAccount>(
    (page) => client.accounts.list({customerId, ...page}),
    'paymentAccounts',
    'payment accounts',
    (account) => getAccountId(account) === wholeId,
  )

// Returns the account itself, which has to be in the customer's list.
export async function findAccount(
  finder: Finder,
  customerId: string,
  reference: Reference,
): Promise<LoosePaymentAccount> {
  const {text, name} = reference
  checkAccountReference(reference)
  if (text === undefined && !finder.isInteractive) finder.rejectMissing(name)
  const accounts = await listAccounts(await finder.connect(), customerId, text)
  const [only, ...others] = accounts.filter((account) => getAccountId(account) !== '')
  if (text === undefined && only && others.length === 0) {
    finder.notice(`The only payment account of this customer is ${accountKind.describe(only)}, ${getAccountId(only)}.`)
    return only
  }
  const found = await findMeant(accounts, reference, accountKind, finder)
  if (!found) throw createAccountNotFoundError(customerId, text ?? '')
  return found
}

export const createAccountNotFoundError = (customerId: string, accountId: string) =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `The customer ${customerId} has no payment account "${accountId}"`,
    hint: `${svc`accounts list --customer ${customerId}`} shows those it has`,
  })

// Finds an account of any customer of the sandbox. A service elsewhere would be asked once per customer, so this is for the
// sandbox alone, which is in the same process.
export async function findAnyAccountId(finder: Finder, reference: Reference): Promise<string> {
  const {text, name} = reference
  checkAccountReference(reference)
  if (text === undefined) {
    if (!finder.isInteractive) finder.rejectMissing(name)
    const customerId = await findCustomerId(finder, toFlagReference('customer', undefined))
    return findAccountId(finder, customerId, reference)
  }
  if (!isUuidPrefix(text)) return text
  const client = await finder.connect()
  const accounts: LoosePaymentAccount[] = []
  for (const {customerId} of await readAllCustomers(finder)) {
    if (typeof customerId === 'string') accounts.push(...(await listAccounts(client, customerId)))
  }
  const found = await findMeant(accounts, reference, accountKind, finder)
  if (!found) throw createNoMatchError(reference, accountKind)
  return getAccountId(found)
}

interface ScopeFlags {
  customer: string | undefined
  account: string | undefined
}

// Throws if a script writes something that does not name the customer or the account for certain.
function checkScope({customer, account}: ScopeFlags, accountFlag: string, finder: Finder): void {
  checkCustomerReference(toFlagReference('customer', customer), finder)
  checkAccountReference(toFlagReference(accountFlag, account))
  if (account === undefined || customer !== undefined || isUuid(account)) return
  // In a script, anything else may be an id of another format.
  if (!isUuidPrefix(account) && !finder.isInteractive) return
  // The service lists accounts by customer only.
  throw badUsage(
    `--${accountFlag} "${account}" is ${isUuidPrefix(account) ? 'only the beginning of an id' : 'no id of an account'}`,
    'Give --customer as well, so that svc can find the account, or the whole id; nothing was sent',
  )
}

// Finds the customer and the account by which a list is filtered. `accountFlag` is the name of the flag that has the account.
export async function findScope(
  finder: Finder,
  flags: ScopeFlags,
  accountFlag: string,
): Promise<{customerId?: string; accountId?: string}> {
  checkScope(flags, accountFlag, finder)
  const {customer, account} = flags
  const customerId =
    customer === undefined ? undefined : await findCustomerId(finder, toFlagReference('customer', customer))
  if (account === undefined) return {...(customerId && {customerId})}
  if (customerId === undefined) return {accountId: account}
  return {customerId, accountId: await findAccountId(finder, customerId, toFlagReference(accountFlag, account))}
}
