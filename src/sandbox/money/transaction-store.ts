// Stores transactions. Each row contains its reply as JSON text, because transactions are listed more often than changed.
import type {Database} from '../store/database.ts'
import {writeForEachOrder, paginate, type PagePosition} from '../http/paging.ts'
import {type ListOrder, readBehaviours} from '../faults/behaviours.ts'
import type {RequestContext} from '../request-context.ts'
import {findCustomerRow} from '../customers/customer-store.ts'
import {findAccountRow} from './account-store.ts'
import type {Transaction, TransactionStatus} from './transitions.ts'

export interface TransactionRow extends PagePosition {
  transactionId: string
  sourceAccountId: string
  quoteId: string
  transactionStatus: TransactionStatus
  reply: string
}

export interface NewTransaction {
  organizationId: string
  createdAt: number
  reply: Transaction
}

const insertStatement = `
  insert into transactions
    (seq, transactionId, customerId, organizationId, sourceAccountId, destinationAccountId, quoteId, transactionStatus,
     createdAt, reply)
  values ((select coalesce(max(seq), 0) + 1 from transactions), ?, ?, ?, ?, ?, ?, ?, ?, ?)`

export function insertTransaction(database: Database, {organizationId, createdAt, reply}: NewTransaction) {
  database.run(
    insertStatement,
    reply.transactionId,
    reply.customerId.toLowerCase(),
    organizationId.toLowerCase(),
    reply.source.sourcePaymentAccountId.toLowerCase(),
    reply.destination.destinationPaymentAccountId.toLowerCase(),
    reply.quoteId,
    reply.transactionStatus,
    createdAt,
    JSON.stringify(reply),
  )
}

export function updateTransaction(database: Database, reply: Transaction) {
  database.run(
    'update transactions set transactionStatus = ?, reply = ? where transactionId = ?',
    reply.transactionStatus,
    JSON.stringify(reply),
    reply.transactionId,
  )
}

const columns = 'seq, createdAt, transactionId, sourceAccountId, quoteId, transactionStatus, reply'

export const findTransactionRow = (database: Database, transactionId: string): TransactionRow | undefined =>
  database.one<TransactionRow>(
    `select ${columns} from transactions where transactionId = ?`,
    transactionId.toLowerCase(),
  )

// Transactions that wait for money from this account, oldest first.
export const listAwaitingTransfer = (database: Database, accountId: string): TransactionRow[] =>
  database.all<TransactionRow>(
    `select ${columns} from transactions
     where transactionStatus = 'AWAITING_TRANSFER' and sourceAccountId = ? order by seq`,
    accountId.toLowerCase(),
  )

const secondMs = 1_000

type ListedRow = PagePosition & {reply: string}

const selectListed = 'select createdAt, seq, reply from transactions'
const selectAll = writeForEachOrder((rowsAfter) => `${selectListed} where ${rowsAfter}`)
const selectByCustomer = writeForEachOrder((rowsAfter) => `${selectListed} where customerId = ? and ${rowsAfter}`)
const selectByOrganization = writeForEachOrder(
  (rowsAfter) => `${selectListed} where organizationId = ? and ${rowsAfter}`,
)

// Each side has its own index. No transaction has the same account on both sides.
const selectByAccount = writeForEachOrder(
  (rowsAfter, inOrder) => `
  select * from (${selectListed} where sourceAccountId = ? and ${rowsAfter})
  union all
  select * from (${selectListed} where destinationAccountId = ? and ${rowsAfter})
  ${inOrder}`,
)

export interface TransactionsQuery {
  pageToken?: string | undefined
  pageSize?: number | undefined
  customerId?: string | undefined
  paymentAccountId?: string | undefined
  organizationId?: string | undefined
}

const matchesFilter = (filter: string | undefined, found: string | undefined) =>
  filter === undefined || filter.toLowerCase() === found?.toLowerCase()

// An account belongs to one customer, and a customer to one organization. So the narrowest filter selects the rows by its
// index, and the wider filters only decide whether there can be any.
function canMatch(database: Database, {customerId, paymentAccountId, organizationId}: TransactionsQuery): boolean {
  const account = paymentAccountId === undefined ? undefined : findAccountRow(database, paymentAccountId)
  if (paymentAccountId !== undefined && !matchesFilter(customerId, account?.customerId)) return false
  const owner = account?.customerId ?? customerId
  if (owner === undefined || organizationId === undefined) return true
  return matchesFilter(organizationId, findCustomerRow(database, owner)?.organizationId)
}

function readListedRows(
  database: Database,
  query: TransactionsQuery,
  {createdAt, seq}: PagePosition,
  count: number,
  order: ListOrder,
): ListedRow[] {
  const position = [createdAt, seq, count] as const
  if (!canMatch(database, query)) return []
  if (query.paymentAccountId !== undefined) {
    const accountId = query.paymentAccountId.toLowerCase()
    return database.all<ListedRow>(selectByAccount[order], accountId, ...position, accountId, ...position, count)
  }
  if (query.customerId !== undefined) {
    return database.all<ListedRow>(selectByCustomer[order], query.customerId.toLowerCase(), ...position)
  }
  if (query.organizationId !== undefined) {
    return database.all<ListedRow>(selectByOrganization[order], query.organizationId.toLowerCase(), ...position)
  }
  return database.all<ListedRow>(selectAll[order], ...position)
}

// Leaves out the newest transactions if the sandbox lets lists lag behind.
export function readTransactionPage(
  {database, now}: RequestContext,
  query: TransactionsQuery,
  behaviours = readBehaviours(database),
) {
  const {listLagSeconds, listOrder} = behaviours
  const latest = now - listLagSeconds * secondMs
  return paginate({list: 'transactions', now, behaviours}, query, (after, count) => {
    if (listOrder === 'oldest-first') {
      return readListedRows(database, query, after, count, listOrder).filter(({createdAt}) => createdAt <= latest)
    }
    const highest = {createdAt: latest, seq: Number.MAX_SAFE_INTEGER}
    return readListedRows(database, query, after.createdAt > latest ? highest : after, count, listOrder)
  })
}
