// Stores and lists transactions. Each row contains its reply as JSON text, because transactions are listed more often than changed.
import {secondMs} from '../../../values/time.ts'
import {
  type ListContext,
  type ListQuery,
  type PagePosition,
  type Paging,
  createListQuery,
  everyRow,
  readPage,
} from '../../http/paging.ts'
import {type Database, parseStored} from '../../store/database.ts'
import {findOrganizationSeq} from '../../store/settings.ts'
import {type StatusChangeRow, findCustomerRow} from '../customers/customer-store.ts'
import {findAccountRow} from './accounts.ts'
import type {Terms} from './quote-store.ts'
import type {Transaction, TransactionStatus} from './transitions.ts'

export interface TransactionRow extends PagePosition {
  transactionId: string
  transactionStatus: TransactionStatus
  // The changes of the status, oldest first.
  history: string
  reply: string
}

const columns = 'seq, createdAt, transactionId, transactionStatus, history, reply'

// A transaction is listed under the numbers of its customer, organization and accounts. The rows of the table are in the order of
// their own numbers, so that these need no index.
const insertStatement = `
  insert into transactions
    (customerSeq, organizationSeq, sourceAccountSeq, destinationAccountSeq, seq, transactionId, transactionStatus,
     createdAt, history, reply)
  values (
    ?, (select seq from organizations where organizationId = ?), ?, ?,
    coalesce((select seq from transactions order by rowid desc limit 1), 0) + 1,
    ?, ?, ?, '[]', ?)`

const updateStatement = 'update transactions set transactionStatus = ?, history = ?, reply = ? where transactionId = ?'

const selectById = `select ${columns} from transactions where transactionId = ?`

export const parseReply = (row: TransactionRow): Transaction => parseStored<Transaction>(row.reply)

export function insertTransaction(database: Database, terms: Terms, createdAt: number, reply: Transaction) {
  database.run(
    insertStatement,
    terms.customerSeq,
    terms.organizationId,
    terms.source.accountSeq,
    terms.destination.accountSeq,
    reply.transactionId,
    reply.transactionStatus,
    createdAt,
    JSON.stringify(reply),
  )
}

// Stores the reply in its new status, and adds the change to the history.
export function updateTransaction(
  database: Database,
  row: TransactionRow,
  reply: Transaction,
  change: Pick<StatusChangeRow, 'changedAt' | 'fromStatus' | 'note'>,
) {
  const history = [...parseHistory(row), {...change, toStatus: reply.transactionStatus}]
  database.run(
    updateStatement,
    reply.transactionStatus,
    JSON.stringify(history),
    JSON.stringify(reply),
    reply.transactionId,
  )
}

const parseHistory = (row: TransactionRow) => parseStored<StatusChangeRow[]>(row.history)

export const findTransactionRow = (database: Database, transactionId: string): TransactionRow | undefined =>
  database.one<TransactionRow>(selectById, transactionId.toLowerCase())

export function findTransaction(database: Database, transactionId: string): Transaction | undefined {
  const row = findTransactionRow(database, transactionId)
  return row && parseReply(row)
}

// Transactions that wait for money from this account, oldest first.
export const listAwaitingTransfer = (database: Database, accountId: string): TransactionRow[] =>
  database.all<TransactionRow>(
    `select ${columns} from transactions
     where transactionStatus = 'AWAITING_TRANSFER'
       and sourceAccountSeq = (select accounts.seq from accounts where accountId = ?) order by seq`,
    accountId,
  )

// Oldest first.
export function listTransactionChanges(database: Database, transactionId: string): StatusChangeRow[] {
  const row = findTransactionRow(database, transactionId)
  return row ? parseHistory(row) : []
}

type ListedRow = PagePosition & {reply: string}

const createQuery = (...conditions: string[]) =>
  createListQuery('transactions', 'select createdAt, seq, reply from transactions', ...conditions)

const listQueries = {
  everything: createQuery(everyRow),
  customer: createQuery('customerSeq = ?1'),
  organization: createQuery('organizationSeq = ?1'),
  // No transaction has the same account on both sides.
  account: createQuery('sourceAccountSeq = ?1', 'destinationAccountSeq = ?1'),
}

interface TransactionsQuery extends Paging {
  customerId?: string | undefined
  paymentAccountId?: string | undefined
  organizationId?: string | undefined
}

const matchesFilter = (filter: string | undefined, found: string | undefined) =>
  filter === undefined || filter.toLowerCase() === found?.toLowerCase()

// An account belongs to one customer, and a customer to one organization. So the narrowest filter selects the rows by its
// index, and the wider filters only decide whether there can be any: the result is undefined if there cannot.
function chooseFilter(
  database: Database,
  {customerId, paymentAccountId, organizationId}: TransactionsQuery,
): [query: ListQuery, filter: number | null] | undefined {
  const account = paymentAccountId === undefined ? undefined : findAccountRow(database, paymentAccountId)
  if (paymentAccountId !== undefined && !(account && matchesFilter(customerId, account.customerId))) return undefined
  const ownerId = account?.customerId ?? customerId
  if (ownerId !== undefined) {
    const owner = findCustomerRow(database, ownerId)
    if (!owner || !matchesFilter(organizationId, owner.organizationId)) return undefined
    return account ? [listQueries.account, account.seq] : [listQueries.customer, owner.seq]
  }
  if (organizationId === undefined) return [listQueries.everything, null]
  const organizationSeq = findOrganizationSeq(database, organizationId)
  return organizationSeq === undefined ? undefined : [listQueries.organization, organizationSeq]
}

// Leaves out the newest transactions if the sandbox lets lists lag behind.
export function readTransactionPage(context: ListContext, query: TransactionsQuery) {
  const latest = context.now - context.behaviours.listLagSeconds * secondMs
  const [list, filter] = chooseFilter(context.database, query) ?? [listQueries.customer, null]
  return readPage<ListedRow>(context, list, filter, query, latest)
}
