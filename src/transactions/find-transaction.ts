// Finds a transaction in the service's list, because the interface cannot read a single one.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {customerFlag} from '../cli/flags/shared.ts'
import type {FindableKind} from '../cli/ids/findable.ts'
import {
  type Finder,
  type Reference,
  createNoMatchError,
  findMeant,
  isUuidPrefix,
  prefixLengthMin,
  readWholeList,
} from '../cli/ids/finder.ts'
import {PagedSearch} from '../cli/ids/choose-item.ts'
import {formatMinute, joinParts, toText} from '../cli/output/view.ts'
import {startProgress} from '../cli/output/streams.ts'
import type {Client} from '../client/client.ts'
import {type Page, findItem} from '../client/paging.ts'
import type {LooseTransaction} from '../contract/loose.ts'
import {isUuid} from '../contract/ids.ts'
import {SvcError, badUsage} from '../errors.ts'
import {readText} from '../values/records.ts'
import {formatDestinationAmount, formatSourceAmount} from './format-amounts.ts'

// Which transactions to search. Without a field, all of them.
export interface TransactionScope {
  customerId?: string
  paymentAccountId?: string
}

// The customer of a transaction as a scope, if its id is valid as a filter.
export function toCustomerScope({customerId}: LooseTransaction): TransactionScope | undefined {
  return typeof customerId === 'string' && isUuid(customerId) ? {customerId} : undefined
}

const createMatcher = (transactionId: string) => {
  const wanted = transactionId.toLowerCase()
  return ({transactionId: id}: LooseTransaction) => readText(id).toLowerCase() === wanted
}

export async function findTransaction(
  client: Client,
  transactionId: string,
  scope: TransactionScope,
  withProgress = true,
): Promise<LooseTransaction> {
  const progress = withProgress ? startProgress() : undefined
  let searched = 0
  const ask = async (page: {pageSize: number; pageToken?: string}): Promise<Page> => {
    if (searched > 0) progress?.report(`${searched} transactions searched…`)
    const listed = await client.transactions.list({...scope, ...page})
    searched += listed.transactions.length
    return listed
  }
  const found = await findItem(ask, 'transactions', createMatcher(transactionId)).finally(() => progress?.end())
  if (found) return found
  throw toNotFound(transactionId, scope, searched)
}

function toNotFound(
  transactionId: string,
  {customerId, paymentAccountId}: TransactionScope,
  searched: number,
): SvcError {
  const owner = [customerId && ` of customer ${customerId}`, paymentAccountId && ` of account ${paymentAccountId}`]
  const count = searched === 1 ? 'one transaction' : `${searched} transactions`
  return new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `${transactionId} is not among the ${count}${owner.filter(Boolean).join('')} that the service lists`,
    hint: 'Check the id, and that it belongs to this profile',
  })
}

const describeTransaction = (transaction: LooseTransaction) =>
  joinParts(
    formatMinute(transaction.createdAt),
    [formatSourceAmount(transaction), formatDestinationAmount(transaction)].map(toText).filter(Boolean).join(' → '),
    transaction.transactionStatus,
  )

const transactionKind: FindableKind<LooseTransaction> = {
  singular: 'transaction',
  plural: 'transactions',
  getId: ({transactionId}) => readText(transactionId).trim(),
  describe: describeTransaction,
  outline: ({transactionId, transactionStatus, createdAt}) => joinParts(transactionId, transactionStatus, createdAt),
  getSearchText: (transaction) =>
    joinParts(
      describeTransaction(transaction),
      transaction.correlationId,
      transaction.quoteId,
      transaction.customerId,
      transaction.source?.sourceReferenceId,
      transaction.destination?.destinationReferenceId,
    ),
}

// Throws if a script writes something that is no id. Call this before anything is sent.
export function checkTransactionReference({what, text, name}: Reference, finder: Finder): void {
  if (text === undefined && !finder.isInteractive) finder.rejectMissing(name)
  // The interface says UUID, and a service may number them.
  const isId = (id: string) => isUuid(id) || isUuidPrefix(id) || /^\d+$/.test(id)
  if (text === undefined || isId(text) || (finder.isInteractive && text.trim() !== '')) return
  throw badUsage(
    `${what} "${text}" is not a UUID, or the first ${prefixLengthMin} or more characters of one`,
    'Use the id that the service shows, or the key of a payment in the journal; nothing was sent',
  )
}

interface FoundTransaction {
  transactionId: string
  // The transaction, if it was read to find its id.
  transaction?: LooseTransaction
}

// A whole id is returned as it is, without a request.
export async function findTransactionReference(
  finder: Finder,
  scope: TransactionScope,
  reference: Reference,
): Promise<FoundTransaction> {
  checkTransactionReference(reference, finder)
  const {text} = reference
  if (text === undefined) return {transactionId: await pickTransactionId(finder, scope)}
  if (isUuid(text)) return {transactionId: text}
  const client = await finder.connect()
  const fetchPage = (page: object) => client.transactions.list({...scope, ...page})
  const transactions = await readWholeList<LooseTransaction>(fetchPage, 'transactions', 'transactions')
  const transaction = await findMeant(transactions, reference, transactionKind, finder)
  if (!transaction) throw createNoMatchError(reference, transactionKind)
  return {transactionId: transactionKind.getId(transaction), transaction}
}

// Returns the transaction itself.
export async function readTransactionReference(
  finder: Finder,
  scope: TransactionScope,
  reference: Reference,
): Promise<LooseTransaction> {
  const {transactionId, transaction} = await findTransactionReference(finder, scope, reference)
  return transaction ?? findTransaction(await finder.connect(), transactionId, scope)
}

async function pickTransactionId(finder: Finder, scope: TransactionScope): Promise<string> {
  const client = await finder.connect()
  const fetchPage = (page: object) => client.transactions.list({...scope, ...page})
  const search = new PagedSearch<LooseTransaction>(fetchPage, 'transactions', transactionKind)
  await search.open()
  return search.pick()
}

export const transactionArgs = {
  id: Args.string({
    description: `ID of the transaction, its first ${prefixLengthMin} or more characters, or the key of a payment in the journal`,
  }),
}

// The flags that limit which transactions are searched or listed.
export const accountFlag = (summary: string) => Flags.string({summary, helpValue: 'ID'})

export const scopeFlags = {
  customer: customerFlag('Search only the transactions of this customer'),
  account: accountFlag('Search only the transactions of this payment account'),
}

interface ScopeFlags {
  customer?: string | undefined
  account?: string | undefined
}

// The ids that the flags mean.
export async function resolveScope(finder: Finder, {customer, account}: ScopeFlags): Promise<TransactionScope> {
  if (customer === undefined && account === undefined) return {}
  // Loaded only for a list that is filtered.
  const {findScope} = await import('../accounts/find-account.ts')
  const {customerId, accountId} = await findScope(finder, {customer, account}, 'account')
  return {...(customerId && {customerId}), ...(accountId && {paymentAccountId: accountId})}
}
