// Finds a payment account in the list of its customer, since the interface has no read for a single one: by its id or the
// beginning of its id; in a terminal also by its bank, nickname or address, or in a list.
import type {Client} from '../client/client.ts'
import {findItem} from '../client/paging.ts'
import type {FindableKind, Finder, Reference} from '../cli/ids/finder.ts'
import {matchId, matchWords, takeCertainMatch, takeWordMatch} from '../cli/ids/match.ts'
import {pickFromAll} from '../cli/ids/pick-item.ts'
import {readWholeList} from '../cli/ids/read-whole-list.ts'
import {isOpaqueId, isUuid, isUuidPrefix, prefixLengthMin} from '../cli/ids/reference.ts'
import {toText} from '../cli/output/view.ts'
import type {LoosePaymentAccount} from '../contract/loose.ts'
import {SvcError, badUsage} from '../errors.ts'
import {quoteForShell} from '../validation/shell-quote.ts'
import {getAccountId} from './accepted-routes.ts'
import {describeAccount} from './describe-account.ts'

// A customer has a handful of accounts; this many are fifty requests.
const accountsSearchedMax = 5000

// Wide enough for every part of a description. Pickers cut it to the terminal.
const descriptionWidth = 200

export const accountKind: FindableKind<LoosePaymentAccount> = {
  singular: 'payment account',
  plural: 'payment accounts',
  getId: getAccountId,
  describe: (account) => describeAccount(account, descriptionWidth),
  outline: (account) => [getAccountId(account), toText(account.paymentAccountType)].filter(Boolean).join(', '),
  getSearchText: (account) => `${describeAccount(account, descriptionWidth)}\n${toText(account.nickname)}`,
}

// Throws if a script writes something that cannot be an id, such as a name. Call this before anything is sent.
export function checkAccountReference({what, text}: Reference, {isInteractive}: Pick<Finder, 'isInteractive'>): void {
  if (text === undefined || isOpaqueId(text) || (isInteractive && text.trim() !== '')) return
  const hint = 'Use the id that the service shows, or its first 8 or more characters; nothing was sent'
  throw text.trim() === '' ? badUsage(`${what} is empty`, hint) : badUsage(`${what} "${text}" is not an id`, hint)
}

// Returns the id of an account of the customer. A UUID is returned as it is, without a request. The interface leaves the
// format of these ids open, so any other text may be a whole id that the customer's list does not have: then a script gets
// it back unchanged, and the service decides about it.
export async function findAccountId(finder: Finder, customerId: string, reference: Reference): Promise<string> {
  const {text} = reference
  checkAccountReference(reference, finder)
  if (text !== undefined && isWhole(text, finder)) return text
  const found = await searchAccount(finder, customerId, reference)
  if (found) return getAccountId(found)
  if (text !== undefined && !isUuidPrefix(text)) return text
  throw createAccountNotFoundError(customerId, text ?? '')
}

// Returns the account itself, which has to be in the customer's list.
export async function findAccount(
  finder: Finder,
  customerId: string,
  reference: Reference,
): Promise<LoosePaymentAccount> {
  const {text} = reference
  checkAccountReference(reference, finder)
  const found =
    text !== undefined && isWhole(text, finder)
      ? await readAccount(await finder.connect(), customerId, text)
      : await searchAccount(finder, customerId, reference)
  if (found) return found
  throw createAccountNotFoundError(customerId, text ?? '')
}

// Whether the text needs no search: it is a whole id, or too short for the beginning of one and not written by a person.
const isWhole = (text: string, {isInteractive}: Finder) =>
  isUuid(text) || (!isInteractive && text.length < prefixLengthMin)

async function readAccount(client: Client, customerId: string, id: string): Promise<LoosePaymentAccount | undefined> {
  return findItem(
    (page) => client.accounts.list({customerId, ...page}),
    'paymentAccounts',
    ({paymentAccountId}) => paymentAccountId === id,
  ) as Promise<LoosePaymentAccount | undefined>
}

// Returns undefined if a script writes something that matches no account.
async function searchAccount(
  finder: Finder,
  customerId: string,
  reference: Reference,
): Promise<LoosePaymentAccount | undefined> {
  const {text, name} = reference
  if (text === undefined && !finder.isInteractive) finder.rejectMissing(name)
  const client = await finder.connect()
  const accounts = await readWholeList<LoosePaymentAccount>((page) => client.accounts.list({customerId, ...page}), {
    itemsKey: 'paymentAccounts',
    plural: 'payment accounts',
    countMax: accountsSearchedMax,
    isEnough: (account) => getAccountId(account) === text,
  })
  if (text === undefined) return pickFromAll(accounts, accountKind, `the customer ${customerId}`)
  const matches = matchId(accounts, text, accountKind, {mayLackId: true})
  if (matches.length > 0) return takeCertainMatch(matches, reference, accountKind, finder)
  if (isUuidPrefix(text) || !finder.isInteractive) return undefined
  return takeWordMatch(matchWords(accounts, text, accountKind), reference, accountKind, finder)
}

export const createAccountNotFoundError = (customerId: string, accountId: string) =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `The customer ${customerId} has no payment account "${accountId}"`,
    hint: `\`svc accounts list --customer ${quoteForShell(customerId)}\` shows those it has`,
  })
