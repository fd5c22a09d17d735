// Finds a payment account in the list of its customer, since the interface has no read for a single one: by its id or the
// beginning of its id; in a terminal also by its bank, nickname or address, or in a list.
import type {Client} from '../client/client.ts'
import {findItem} from '../client/paging.ts'
import type {FindableKind, Finder, Reference} from '../cli/ids/finder.ts'
import {matchId, matchWords, takeCertainMatch, takeWordMatch} from '../cli/ids/match.ts'
import {readWholeList} from '../cli/ids/read-whole-list.ts'
import {isUuid} from '../contract/uuid.ts'
import {isUuidPrefix, prefixLengthMin} from '../cli/ids/reference.ts'
import {toText} from '../cli/output/view.ts'
import {type LoosePaymentAccount, readCode} from '../contract/loose.ts'
import {SvcError, badUsage} from '../errors.ts'
import {quoteForShell} from '../values/text.ts'
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

// The interface leaves the format of these ids open, so only an empty one is wrong. Call this before anything is sent.
export function checkAccountReference({what, text}: Reference): void {
  if (text === undefined || text.trim() !== '') return
  throw badUsage(`${what} is empty`, 'Use the id that the service shows; a pending account has none')
}

// Returns the id of an account of the customer. A whole id is returned as it is, without a request. In a script, so is
// everything that is not the beginning of a UUID: it may be an id of another format, and is never taken for a name.
export async function findAccountId(finder: Finder, customerId: string, reference: Reference): Promise<string> {
  const {text, name} = reference
  checkAccountReference(reference)
  if (text === undefined && !finder.isInteractive) finder.rejectMissing(name)
  if (text !== undefined && (isUuid(text) || !(finder.isInteractive || isUuidPrefix(text)))) return text
  return getAccountId(await searchAccount(finder, customerId, reference))
}

// Returns the account itself, which has to be in the customer's list.
export async function findAccount(
  finder: Finder,
  customerId: string,
  reference: Reference,
): Promise<LoosePaymentAccount> {
  const {text, name} = reference
  checkAccountReference(reference)
  if (text === undefined && !finder.isInteractive) finder.rejectMissing(name)
  // Text that is too short for the beginning of an id can only be a whole one, or a name that a person wrote.
  const isWhole = text !== undefined && (isUuid(text) || (!finder.isInteractive && text.length < prefixLengthMin))
  return isWhole ? readAccount(await finder.connect(), customerId, text) : searchAccount(finder, customerId, reference)
}

async function readAccount(client: Client, customerId: string, id: string): Promise<LoosePaymentAccount> {
  const found = await findItem(
    (page) => client.accounts.list({customerId, ...page}),
    'paymentAccounts',
    ({paymentAccountId}) => paymentAccountId === id,
  )
  if (found) return found
  throw createAccountNotFoundError(customerId, id)
}

// Stops at the account with the whole id, since the others do not matter then.
export async function readAllAccounts({connect}: Finder, customerId: string, wholeId?: string) {
  const client = await connect()
  return readWholeList<LoosePaymentAccount>((page) => client.accounts.list({customerId, ...page}), {
    itemsKey: 'paymentAccounts',
    plural: 'payment accounts',
    countMax: accountsSearchedMax,
    isEnough: (account) => getAccountId(account) === wholeId,
  })
}

async function searchAccount(finder: Finder, customerId: string, reference: Reference): Promise<LoosePaymentAccount> {
  const {text} = reference
  const accounts = await readAllAccounts(finder, customerId, text)
  if (text === undefined) {
    const [only, ...others] = accounts.filter((account) => getAccountId(account) !== '')
    if (only && others.length === 0) {
      finder.notice(
        `The only payment account of this customer is ${accountKind.describe(only)}, ${getAccountId(only)}.`,
      )
      return only
    }
    const {pickFromAll} = await import('../cli/ids/pick-item.ts')
    return pickFromAll(accounts, accountKind, `the customer ${customerId}`)
  }
  const matches = matchId(accounts, text, accountKind, {mayLackId: hasNoIdYet})
  if (matches.length > 0) return takeCertainMatch(matches, reference, accountKind, finder)
  if (isUuidPrefix(text) || !finder.isInteractive) throw createAccountNotFoundError(customerId, text)
  const named = matchWords(accounts, text, accountKind)
  if (named.length === 0) throw createAccountNotFoundError(customerId, text)
  return takeWordMatch(named, reference, accountKind, finder)
}

export const hasNoIdYet = ({paymentAccountId, paymentAccountStatus}: LoosePaymentAccount) =>
  paymentAccountId === '' || readCode(paymentAccountStatus) === 'PENDING'

// `where` names the flag or the field that has the account.
export const createAccountNotFoundError = (customerId: string, accountId: string, where?: string) =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `The customer ${customerId} has no payment account "${accountId}"${where ? ` (${where})` : ''}`,
    hint: `\`svc accounts list --customer ${quoteForShell(customerId)}\` shows those it has`,
  })
