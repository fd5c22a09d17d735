// Transactions as the database keeps them: the reply is written out in the row, since lists are read far more often.
import type {Database} from '../store/database.ts'
import {pageOf, type Place} from '../http/paging.ts'
import {getCustomerRow} from '../customers/customer-store.ts'
import {ServiceError} from '../http/refusal.ts'
import {accountRow} from './account-store.ts'
import type {Transaction, TransactionStatus} from './transitions.ts'

export interface TransactionRow extends Place {
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

const insert = `
  insert into transactions
    (seq, transactionId, customerId, organizationId, sourceAccountId, destinationAccountId, quoteId, transactionStatus,
     createdAt, reply)
  values ((select coalesce(max(seq), 0) + 1 from transactions), ?, ?, ?, ?, ?, ?, ?, ?, ?)`

export function insertTransaction(database: Database, {organizationId, createdAt, reply}: NewTransaction) {
  database.run(
    insert,
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

export function rewriteTransaction(database: Database, reply: Transaction) {
  database.run(
    'update transactions set transactionStatus = ?, reply = ? where transactionId = ?',
    reply.transactionStatus,
    JSON.stringify(reply),
    reply.transactionId,
  )
}

const columns = 'seq, createdAt, transactionId, sourceAccountId, quoteId, transactionStatus, reply'

export const transactionRow = (database: Database, transactionId: string): TransactionRow | undefined =>
  database.one<TransactionRow>(
    `select ${columns} from transactions where transactionId = ?`,
    transactionId.toLowerCase(),
  )

// Those that wait for money from one account, the oldest first.
export const awaitingFrom = (database: Database, accountId: string): TransactionRow[] =>
  database.all<TransactionRow>(
    `select ${columns} from transactions
     where transactionStatus = 'AWAITING_TRANSFER' and sourceAccountId = ? order by seq`,
    accountId.toLowerCase(),
  )

type ListedRow = Place & {reply: string}

const below = '(createdAt, seq) < (?, ?) order by createdAt desc, seq desc limit ?'
const listed = 'select createdAt, seq, reply from transactions'
const everything = `${listed} where ${below}`
const byCustomer = `${listed} where customerId = ? and ${below}`
const byOrganization = `${listed} where organizationId = ? and ${below}`

// Each side is found by its own index; no transaction has the same account on both.
const byAccount = `
  select * from (${listed} where sourceAccountId = ? and ${below})
  union all
  select * from (${listed} where destinationAccountId = ? and ${below})
  order by createdAt desc, seq desc limit ?`

export interface TransactionsQuery {
  pageToken?: string | undefined
  pageSize?: number | undefined
  customerId?: string | undefined
  paymentAccountId?: string | undefined
  organizationId?: string | undefined
}

function foundOr<T>(find: () => T): T | undefined {
  try {
    return find()
  } catch (error) {
    if (error instanceof ServiceError && error.error === 'NOT_FOUND') return undefined
    throw error
  }
}

const isSame = (wanted: string | undefined, found: string | undefined) =>
  wanted === undefined || wanted.toLowerCase() === found?.toLowerCase()

// An account has one customer and a customer one organization, so the narrowest filter finds the rows by its index,
// and the wider ones only say whether there can be any.
function fits(database: Database, {customerId, paymentAccountId, organizationId}: TransactionsQuery): boolean {
  const account = paymentAccountId === undefined ? undefined : accountRow(database, paymentAccountId)
  if (paymentAccountId !== undefined && !isSame(customerId, account?.customerId)) return false
  const owner = account?.customerId ?? customerId
  if (owner === undefined || organizationId === undefined) return true
  return isSame(organizationId, foundOr(() => getCustomerRow(database, owner))?.organizationId)
}

function readPage(database: Database, query: TransactionsQuery, {createdAt, seq}: Place, count: number): ListedRow[] {
  const place = [createdAt, seq, count] as const
  if (!fits(database, query)) return []
  if (query.paymentAccountId !== undefined) {
    const accountId = query.paymentAccountId.toLowerCase()
    return database.all<ListedRow>(byAccount, accountId, ...place, accountId, ...place, count)
  }
  if (query.customerId !== undefined) {
    return database.all<ListedRow>(byCustomer, query.customerId.toLowerCase(), ...place)
  }
  if (query.organizationId !== undefined) {
    return database.all<ListedRow>(byOrganization, query.organizationId.toLowerCase(), ...place)
  }
  return database.all<ListedRow>(everything, ...place)
}

// Only what is as old as `latest` is there: a list may lag behind.
export function transactionPage(database: Database, query: TransactionsQuery, latest: number) {
  const highest = {createdAt: latest, seq: Number.MAX_SAFE_INTEGER}
  return pageOf('transactions', query, (after, count) =>
    readPage(database, query, after.createdAt > latest ? highest : after, count),
  )
}
