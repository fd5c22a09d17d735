// Stores transactions. Each row contains its reply as JSON text, because transactions are listed more often than changed.
import type {Database} from '../store/database.ts'
import type {PagePosition} from '../http/paging.ts'
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
