// Stores transactions. Each row contains its reply as JSON text, because transactions are listed more often than changed.
import type {Database, PendingWrites} from '../../store/database.ts'
import {createDeferredCache} from '../../store/row-cache.ts'
import type {StatusChangeRow} from '../../store/status-changes.ts'
import type {PagePosition} from '../../http/paging.ts'
import {serializeTransaction} from './serialize.ts'
import {type Transaction, type TransactionStatus, transitions} from './transitions.ts'

export interface TransactionRow extends PagePosition {
  transactionId: string
  transactionStatus: TransactionStatus
  // The first status, and for each change the milliseconds since the creation and the status after it. Empty without changes.
  history: string
  reply: string
}

export interface NewTransaction {
  organizationId: string
  createdAt: number
  reply: Transaction
}

const columns = 'seq, createdAt, transactionId, transactionStatus, history, reply'

// The rows of the table are in the order of their numbers, so that these need no index.
const selectNextSeq = 'coalesce((select seq from transactions order by rowid desc limit 1), 0) + 1'

const insertInto = `
  insert into transactions
    (customerSeq, organizationSeq, sourceAccountSeq, destinationAccountSeq, seq, transactionId, transactionStatus,
     createdAt, history, reply)`

// The numbers under which a transaction is listed, from the ids of its customer, organization and accounts.
const listKeys = [
  'select seq from customers where customerId = ?',
  'select seq from organizations where organizationId = ?',
  'select seq from accounts where accountId = ?',
  'select seq from accounts where accountId = ?',
].map((select) => `(${select})`)

const insertByIds = `${insertInto} values (${listKeys.join(', ')}, ${selectNextSeq}, ?, ?, ?, ?, ?)`
export const insertByKeys = `${insertInto} values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const selectKeys = `select json_array(${listKeys.join(', ')}) as keys`

const updateStatement = 'update transactions set transactionStatus = ?, history = ?, reply = ? where transactionId = ?'

const selectById = `select ${columns} from transactions where transactionId = ?`

export const readNextSeq = (database: Database) =>
  (database.one<{seq: number}>(`select ${selectNextSeq} as seq`) as {seq: number}).seq

function listIds({organizationId, reply: {customerId, source, destination}}: NewTransaction) {
  return [customerId, organizationId, source.sourcePaymentAccountId, destination.destinationPaymentAccountId] as const
}

function writeNew(database: Database, transaction: NewTransaction) {
  const {createdAt, reply} = transaction
  const {transactionId, transactionStatus} = reply
  const text = serializeTransaction(reply)
  database.run(insertByIds, ...listIds(transaction), transactionId, transactionStatus, createdAt, '', text)
}

type ListKeys = readonly [customerSeq: number, organizationSeq: number, sourceSeq: number, destinationSeq: number]

const findKeys = createDeferredCache<ListKeys>()

// Many transactions have the same two accounts, so their numbers are read once.
function readKeys(database: Database, transaction: NewTransaction): ListKeys {
  const {source, destination} = transaction.reply
  const accountIds = `${source.sourcePaymentAccountId} ${destination.destinationPaymentAccountId}`
  return findKeys(database, accountIds, () => {
    const {keys} = database.one<{keys: string}>(selectKeys, ...listIds(transaction)) as {keys: string}
    return JSON.parse(keys) as ListKeys
  })
}

const writeUpdate = (database: Database, reply: Transaction, history: string) =>
  database.run(updateStatement, reply.transactionStatus, history, JSON.stringify(reply), reply.transactionId)

// A row whose reply is an object, until it is written in the status that it has reached.
class PendingRow implements TransactionRow {
  readonly seq: number
  readonly createdAt: number
  // Only a new row has them here.
  readonly keys: ListKeys | undefined
  content: Transaction
  history: string
  isChanged = false

  constructor({seq, createdAt}: PagePosition, content: Transaction, history: string, keys?: ListKeys) {
    this.seq = seq
    this.createdAt = createdAt
    this.history = history
    this.keys = keys
    this.content = content
  }

  get transactionId() {
    return this.content.transactionId
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

  insert(transaction: NewTransaction) {
    const {createdAt, reply} = transaction
    const seq = (this.#nextSeq ??= readNextSeq(this.#database))
    this.#nextSeq++
    this.#rows.set(
      reply.transactionId,
      new PendingRow({seq, createdAt}, reply, '', readKeys(this.#database, transaction)),
    )
  }

  update(reply: Transaction, history: string) {
    const row = this.find(reply.transactionId)
    if (!row) return
    row.content = reply
    row.history = history
    row.isChanged = true
  }

  find(transactionId: string): PendingRow | undefined {
    const known = this.#rows.get(transactionId)
    if (known) return known
    const stored = this.#database.one<TransactionRow>(selectById, transactionId)
    if (!stored) return undefined
    const row = new PendingRow(stored, parseReply(stored), stored.history)
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

  #writeRow({seq, keys, createdAt, content, history, isChanged}: PendingRow) {
    const {transactionId, transactionStatus} = content
    if (keys) {
      const text = serializeTransaction(content)
      this.#database.run(insertByKeys, ...keys, seq, transactionId, transactionStatus, createdAt, history, text)
    } else if (isChanged) writeUpdate(this.#database, content, history)
  }
}

const createPending = (database: Database) => new PendingTransactions(database)

export const parseReply = (row: TransactionRow): Transaction =>
  row instanceof PendingRow ? row.content : (JSON.parse(row.reply) as Transaction)

export function insertTransaction(database: Database, transaction: NewTransaction) {
  const pending = database.getDeferred(createPending)
  if (pending) pending.insert(transaction)
  else writeNew(database, transaction)
}

// Stores the reply in its new status, and adds the change to the history.
export function updateTransaction(
  database: Database,
  row: TransactionRow,
  reply: Transaction,
  {from, at}: {from: TransactionStatus; at: number},
) {
  const history = `${row.history || from} ${at - row.createdAt} ${reply.transactionStatus}`
  const pending = database.getDeferred(createPending)
  if (pending) pending.update(reply, history)
  else writeUpdate(database, reply, history)
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
    const toStatus = rest[at + 1] as string
    changes.push({changedAt: row.createdAt + Number(rest[at]), fromStatus, toStatus})
    fromStatus = toStatus
  }
  return changes
}
