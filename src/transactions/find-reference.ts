// Finds a transaction by its id or the beginning of its id; in a terminal also by its amounts, references or status, or in a
// list.
import {type FindableKind, type Finder, type Reference, describeFormatLimit} from '../cli/ids/finder.ts'
import {matchId, matchWords, takeCertainMatch, takeWordMatch} from '../cli/ids/match.ts'
import {PagedSearch} from '../cli/ids/paged-search.ts'
import {createNoneError} from '../cli/ids/none-error.ts'
import {readWholeList} from '../cli/ids/read-whole-list.ts'
import {isUuid} from '../contract/uuid.ts'
import {isUuidPrefix, prefixLengthMin} from '../cli/ids/reference.ts'
import {formatMinute} from '../cli/output/format-values.ts'
import {toText} from '../cli/output/view.ts'
import type {LooseTransaction} from '../contract/loose.ts'
import {badUsage} from '../errors.ts'
import {type TransactionScope, findTransaction} from './find-transaction.ts'
import {formatDestinationAmount, formatSourceAmount} from './format-amounts.ts'

// The service cannot search, so svc reads the list: at most this many, in a hundred requests.
const transactionsSearchedMax = 10_000
// A person who chooses from a list looks for one of the newest.
const transactionsOfferedMax = 1000

const joinParts = (...parts: readonly unknown[]) => parts.map(toText).filter(Boolean).join(', ')

const describeTransaction = (transaction: LooseTransaction) =>
  joinParts(
    formatMinute(transaction.createdAt),
    [formatSourceAmount(transaction), formatDestinationAmount(transaction)].map(toText).filter(Boolean).join(' → '),
    transaction.transactionStatus,
  )

const transactionKind: FindableKind<LooseTransaction> = {
  singular: 'transaction',
  plural: 'transactions',
  getId: ({transactionId}) => (typeof transactionId === 'string' ? transactionId.trim() : ''),
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
  if (text === undefined || isUuid(text) || isUuidPrefix(text) || (finder.isInteractive && text.trim() !== '')) return
  throw badUsage(
    `${what} "${text}" is not a UUID, or the first ${prefixLengthMin} or more characters of one`,
    `${describeFormatLimit(finder)}Use the id that the service shows, such as 9884bda0-8957-4b2f-b39e-a74ed6a4dc7b; nothing was sent`,
  )
}

export interface FoundTransaction {
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
  const transactions = await readWholeList<LooseTransaction>((page) => client.transactions.list({...scope, ...page}), {
    itemsKey: 'transactions',
    plural: 'transactions',
    countMax: transactionsSearchedMax,
    narrowingHint: 'Give --customer, which makes the list shorter',
  })
  const transaction = isUuidPrefix(text)
    ? await takeCertainMatch(matchId(transactions, text, transactionKind), reference, transactionKind, finder)
    : await takeWordMatch(matchWords(transactions, text, transactionKind), reference, transactionKind, finder)
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
  const search = new PagedSearch<LooseTransaction>((page) => client.transactions.list({...scope, ...page}), {
    itemsKey: 'transactions',
    singular: 'transaction',
    plural: 'transactions',
    countMax: transactionsOfferedMax,
    getSearchText: (transaction) =>
      `${transactionKind.getSearchText(transaction)}\n${transactionKind.getId(transaction)}`,
    toChoice: (transaction) => ({
      name: transactionKind.describe(transaction),
      value: transactionKind.getId(transaction),
      description: transactionKind.getId(transaction),
    }),
  })
  await search.open()
  if (search.isEmpty) throw createNoneError('transactions')
  const {pick} = await import('../cli/prompts/ask.ts')
  return pick('Which transaction?', (term, signal) => search.find(term, signal))
}
