// Stores and lists transactions. Each row contains its reply as JSON text, because transactions are listed more often than changed.
import {secondMs} from '../../../values/time.ts'
import {type PagePosition, type Paging, paginate, writeForEachOrder} from '../../http/paging.ts'
import {type Database, parseStored} from '../../store/database.ts'
import {findOrganizationSeq} from '../../store/settings.ts'
import {type ChangeNote, type StatusChangeRow, findCustomerRow, findCustomerSeq} from '../customers/customer-store.ts'
import type {ListOrder} from '../faults/behaviour-table.ts'
import type {RequestContext} from '../request-context.ts'
import {type AccountRow, findAccountRow} from './accounts.ts'
import type {Transaction, TransactionStatus} from './transitions.ts'

export interface TransactionRow extends PagePosition {
  transactionId: string
  transactionStatus: TransactionStatus
  // The first status, and for each change the milliseconds since the creation and the status after it, with a mark behind it if a
  // control made it. Empty without changes.
  history: string
  reply: string
}

interface NewTransaction {
  organizationId: string
  createdAt: number
  reply: Transaction
}

const columns = 'seq, createdAt, transactionId, transactionStatus, history, reply'

// The numbers under which a transaction is listed, from the ids of its customer, organization and accounts. The rows of the
// table are in the order of their own numbers, so that these need no index.
const insertStatement = `
  insert into transactions
    (customerSeq, organizationSeq, sourceAccountSeq, destinationAccountSeq, seq, transactionId, transactionStatus,
     createdAt, history, reply)
  values (
    (select seq from customers where customerId = ?),
    (select seq from organizations where organizationId = ?),
    (select seq from accounts where accountId = ?),
    (select seq from accounts where accountId = ?),
    coalesce((select seq from transactions order by rowid desc limit 1), 0) + 1,
    ?, ?, ?, '', ?)`

const updateStatement = 'update transactions set transactionStatus = ?, history = ?, reply = ? where transactionId = ?'

const selectById = `select ${columns} from transactions where transactionId = ?`

export const parseReply = (row: TransactionRow): Transaction => parseStored<Transaction>(row.reply)

export function insertTransaction(database: Database, {organizationId, createdAt, reply}: NewTransaction) {
  database.run(
    insertStatement,
    reply.customerId,
    organizationId,
    reply.source.sourcePaymentAccountId,
    reply.destination.destinationPaymentAccountId,
    reply.transactionId,
    reply.transactionStatus,
    createdAt,
    JSON.stringify(reply),
  )
}

const madeUpMark = '*'

// Stores the reply in its new status, and adds the change to the history.
export function updateTransaction(
  database: Database,
  row: TransactionRow,
  reply: Transaction,
  {from, at, isMadeUp}: {from: TransactionStatus; at: number; isMadeUp: boolean},
) {
  const mark = isMadeUp ? madeUpMark : ''
  const history = `${row.history || from} ${at - row.createdAt} ${reply.transactionStatus}${mark}`
  database.run(updateStatement, reply.transactionStatus, history, JSON.stringify(reply), reply.transactionId)
}

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
  if (!row) return []
  const [first = '', ...rest] = row.history.split(' ')
  const changes: StatusChangeRow[] = []
  for (let fromStatus = first, at = 0; at < rest.length; at += 2) {
    const [toStatus = '', mark] = (rest[at + 1] ?? '').split(/(?=\*)/)
    const note: ChangeNote = mark === madeUpMark ? {isMadeUp: true} : {}
    changes.push({changedAt: row.createdAt + Number(rest[at]), fromStatus, toStatus, note})
    fromStatus = toStatus
  }
  return changes
}

type ListedRow = PagePosition & {reply: string}

const selectListed = 'select createdAt, seq, reply from transactions'

const selectByFilter = {
  everything: writeForEachOrder((rowsAfter) => `${selectListed} where ${rowsAfter}`),
  customer: writeForEachOrder((rowsAfter) => `${selectListed} where customerSeq = ? and ${rowsAfter}`),
  organization: writeForEachOrder((rowsAfter) => `${selectListed} where organizationSeq = ? and ${rowsAfter}`),
  // Each side has its own index. No transaction has the same account on both sides.
  account: writeForEachOrder(
    (rowsAfter, inOrder) => `
    select * from (${selectListed} where sourceAccountSeq = ? and ${rowsAfter})
    union all
    select * from (${selectListed} where destinationAccountSeq = ? and ${rowsAfter})
    ${inOrder}`,
  ),
}

export interface TransactionsQuery extends Paging {
  customerId?: string | undefined
  paymentAccountId?: string | undefined
  organizationId?: string | undefined
}

const matchesFilter = (filter: string | undefined, found: string | undefined) =>
  filter === undefined || filter.toLowerCase() === found?.toLowerCase()

// An account belongs to one customer, and a customer to one organization. So the narrowest filter selects the rows by its
// index, and the wider filters only decide whether there can be any.
function canMatch(
  database: Database,
  {customerId, paymentAccountId, organizationId}: TransactionsQuery,
  account: AccountRow | undefined,
): boolean {
  if (paymentAccountId !== undefined && !matchesFilter(customerId, account?.customerId)) return false
  const owner = account?.customerId ?? customerId
  if (owner === undefined || organizationId === undefined) return true
  return matchesFilter(organizationId, findCustomerRow(database, owner)?.organizationId)
}

type Values = readonly (string | number)[]

interface ListQueries {
  queries: Readonly<Record<ListOrder, string>>
  // The values of a query for the rows after a position.
  listValues: (after: PagePosition, count: number) => Values
}

function createQueries(filter: 'everything' | 'customer' | 'organization', ...keys: number[]): ListQueries {
  return {queries: selectByFilter[filter], listValues: ({createdAt, seq}, count) => [...keys, createdAt, seq, count]}
}

function createAccountQueries(accountSeq: number): ListQueries {
  return {
    queries: selectByFilter.account,
    listValues: ({createdAt, seq}, count) => [
      accountSeq,
      createdAt,
      seq,
      count,
      accountSeq,
      createdAt,
      seq,
      count,
      count,
    ],
  }
}

// Undefined if no row can match.
function chooseQueries(database: Database, query: TransactionsQuery): ListQueries | undefined {
  const {customerId, paymentAccountId, organizationId} = query
  const account = paymentAccountId === undefined ? undefined : findAccountRow(database, paymentAccountId)
  if (!canMatch(database, query, account)) return undefined
  if (paymentAccountId !== undefined) return account && createAccountQueries(account.seq)
  if (customerId !== undefined) {
    const customerSeq = findCustomerSeq(database, customerId)
    return customerSeq === undefined ? undefined : createQueries('customer', customerSeq)
  }
  if (organizationId === undefined) return createQueries('everything')
  const organizationSeq = findOrganizationSeq(database, organizationId)
  return organizationSeq === undefined ? undefined : createQueries('organization', organizationSeq)
}

// Leaves out the newest transactions if the sandbox lets lists lag behind.
function startBefore(latest: number, after: PagePosition): PagePosition {
  return after.createdAt > latest ? {createdAt: latest, seq: Number.MAX_SAFE_INTEGER} : after
}

export function readTransactionPage(
  context: RequestContext,
  query: TransactionsQuery,
  behaviours = context.behaviours,
) {
  const {database, now} = context
  const {listLagSeconds, listOrder} = behaviours
  const latest = now - listLagSeconds * secondMs
  const chosen = chooseQueries(database, query)
  const readRows = (after: PagePosition, count: number, order: ListOrder) =>
    chosen ? database.all<ListedRow>(chosen.queries[order], ...chosen.listValues(after, count)) : []
  return paginate({list: 'transactions', now, behaviours}, query, (after, count) =>
    listOrder === 'oldest-first'
      ? readRows(after, count, listOrder).filter(({createdAt}) => createdAt <= latest)
      : readRows(startBefore(latest, after), count, listOrder),
  )
}
