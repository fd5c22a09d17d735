// Stores transactions. Each row contains its reply as JSON text, because transactions are listed more often than changed.
import type {Database, PendingWrites} from '../store/database.ts'
import type {PagePosition} from '../http/paging.ts'
import {type Transaction, type TransactionStatus, transitions} from './transitions.ts'

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

const columns = 'seq, createdAt, transactionId, sourceAccountId, quoteId, transactionStatus, reply'

const insertStatement = `
  insert into transactions
    (seq, transactionId, customerId, organizationId, sourceAccountId, destinationAccountId, quoteId, transactionStatus,
     createdAt, reply)
  values (coalesce(?, (select coalesce(max(seq), 0) + 1 from transactions)), ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const updateStatement = 'update transactions set transactionStatus = ?, reply = ? where transactionId = ?'

const selectById = `select ${columns} from transactions where transactionId = ?`

const readNextSeq = (database: Database) =>
  (database.one<{seq: number}>('select coalesce(max(seq), 0) + 1 as seq from transactions') as {seq: number}).seq

// SQLite chooses the next number if `seq` is null.
function writeNew(database: Database, seq: number | null, {organizationId, createdAt, reply}: NewTransaction) {
  database.run(
    insertStatement,
    seq,
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

const writeUpdate = (database: Database, reply: Transaction) =>
  database.run(updateStatement, reply.transactionStatus, JSON.stringify(reply), reply.transactionId)

// A row whose reply is an object, until it is written in the status that it has reached.
class PendingRow implements TransactionRow {
  readonly seq: number
  readonly createdAt: number
  readonly organizationId: string | undefined
  content: Transaction
  isChanged = false

  // Only a new row has an organization here.
  constructor(seq: number, createdAt: number, content: Transaction, organizationId?: string) {
    this.seq = seq
    this.createdAt = createdAt
    this.organizationId = organizationId
    this.content = content
  }

  get transactionId() {
    return this.content.transactionId
  }

  get sourceAccountId() {
    return this.content.source.sourcePaymentAccountId.toLowerCase()
  }

  get quoteId() {
    return this.content.quoteId
  }

  get transactionStatus() {
    return this.content.transactionStatus
  }

  get reply() {
    return JSON.stringify(this.content)
  }
}

const rowsKeptMax = 5_000

class PendingTransactions implements PendingWrites {
  readonly #database: Database
  readonly #rows = new Map<string, PendingRow>()
  #nextSeq: number | undefined

  constructor(database: Database) {
    this.#database = database
  }

  insert({organizationId, createdAt, reply}: NewTransaction) {
    const seq = (this.#nextSeq ??= readNextSeq(this.#database))
    this.#nextSeq++
    this.#rows.set(reply.transactionId, new PendingRow(seq, createdAt, reply, organizationId))
  }

  update(reply: Transaction) {
    const row = this.find(reply.transactionId)
    if (!row) return
    row.content = reply
    row.isChanged = true
  }

  find(transactionId: string): PendingRow | undefined {
    const known = this.#rows.get(transactionId)
    if (known) return known
    const stored = this.#database.one<TransactionRow>(selectById, transactionId)
    if (!stored) return undefined
    const row = new PendingRow(stored.seq, stored.createdAt, parseReply(stored))
    this.#rows.set(transactionId, row)
    return row
  }

  // In the order in which they were created.
  write() {
    for (const row of this.#rows.values()) this.#writeRow(row)
  }

  // Those that have ended, up to the first that has not, unless that leaves too many.
  writeFinished() {
    for (const [transactionId, row] of this.#rows) {
      if (transitions[row.transactionStatus].length > 0 && this.#rows.size < rowsKeptMax) return
      this.#writeRow(row)
      this.#rows.delete(transactionId)
    }
  }

  #writeRow({seq, organizationId, createdAt, content: reply, isChanged}: PendingRow) {
    if (organizationId !== undefined) writeNew(this.#database, seq, {organizationId, createdAt, reply})
    else if (isChanged) writeUpdate(this.#database, reply)
  }
}

const createPending = (database: Database) => new PendingTransactions(database)

export const parseReply = (row: TransactionRow): Transaction =>
  row instanceof PendingRow ? row.content : (JSON.parse(row.reply) as Transaction)

export function insertTransaction(database: Database, transaction: NewTransaction) {
  const pending = database.getDeferred(createPending)
  if (pending) pending.insert(transaction)
  else writeNew(database, null, transaction)
}

export function updateTransaction(database: Database, reply: Transaction) {
  const pending = database.getDeferred(createPending)
  if (pending) pending.update(reply)
  else writeUpdate(database, reply)
}

export function findTransactionRow(database: Database, transactionId: string): TransactionRow | undefined {
  const id = transactionId.toLowerCase()
  const pending = database.getDeferred(createPending)
  return pending ? pending.find(id) : database.one<TransactionRow>(selectById, id)
}

// Transactions that wait for money from this account, oldest first.
export const listAwaitingTransfer = (database: Database, accountId: string): TransactionRow[] =>
  database.all<TransactionRow>(
    `select ${columns} from transactions
     where transactionStatus = 'AWAITING_TRANSFER' and sourceAccountId = ? order by seq`,
    accountId.toLowerCase(),
  )
