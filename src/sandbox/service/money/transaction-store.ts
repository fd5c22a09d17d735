// Stores and lists transactions. Each row contains its reply as JSON text, because transactions are listed more often than changed.
import {secondMs} from '../../../values/time.ts'
import {limits} from '../../../contract/vocabulary.ts'
import {
  type PagePosition,
  type Paging,
  createPageToken,
  findStart,
  paginate,
  writeForEachOrder,
} from '../../http/paging.ts'
import {type Database, type PendingWrites, parseStored} from '../../store/database.ts'
import {findOrganizationSeq} from '../../store/settings.ts'
import {createDeferredCache} from '../../store/caches.ts'
import {type ChangeNote, type StatusChangeRow, findCustomerRow, findCustomerSeq} from '../customers/customer-store.ts'
import type {ListOrder} from '../faults/behaviour-table.ts'
import type {RequestContext} from '../request-context.ts'
import {type AccountRow, findAccountRow} from './accounts.ts'
import {type Transaction, type TransactionStatus, transitions} from './transitions.ts'

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

export const readNextSeq = (database: Database) => database.only<{seq: number}>(`select ${selectNextSeq} as seq`).seq

function listIds({organizationId, reply: {customerId, source, destination}}: NewTransaction) {
  return [customerId, organizationId, source.sourcePaymentAccountId, destination.destinationPaymentAccountId] as const
}

function writeNew(database: Database, transaction: NewTransaction) {
  const {createdAt, reply} = transaction
  const {transactionId, transactionStatus} = reply
  const text = JSON.stringify(reply)
  database.run(insertByIds, ...listIds(transaction), transactionId, transactionStatus, createdAt, '', text)
}

type ListKeys = readonly [customerSeq: number, organizationSeq: number, sourceSeq: number, destinationSeq: number]

const findKeys = createDeferredCache<ListKeys>()

// Many transactions have the same two accounts, so their numbers are read once.
function readKeys(database: Database, transaction: NewTransaction): ListKeys {
  const {source, destination} = transaction.reply
  const accountIds = `${source.sourcePaymentAccountId} ${destination.destinationPaymentAccountId}`
  return findKeys(database, accountIds, () => {
    const {keys} = database.only<{keys: string}>(selectKeys, ...listIds(transaction))
    return parseStored<ListKeys>(keys)
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
      const text = JSON.stringify(content)
      this.#database.run(insertByKeys, ...keys, seq, transactionId, transactionStatus, createdAt, history, text)
    } else if (isChanged) writeUpdate(this.#database, content, history)
  }
}

const createPending = (database: Database) => new PendingTransactions(database)

export const parseReply = (row: TransactionRow): Transaction =>
  row instanceof PendingRow ? row.content : parseStored<Transaction>(row.reply)

export function insertTransaction(database: Database, transaction: NewTransaction) {
  const pending = database.getDeferred(createPending)
  if (pending) pending.insert(transaction)
  else writeNew(database, transaction)
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
  const pending = database.getDeferred(createPending)
  if (pending) pending.update(reply, history)
  else writeUpdate(database, reply, history)
}

export function findTransactionRow(database: Database, transactionId: string): TransactionRow | undefined {
  const id = transactionId.toLowerCase()
  const pending = database.getDeferred(createPending)
  return pending ? pending.find(id) : database.one<TransactionRow>(selectById, id)
}

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

// Lists are read as rows, or a whole page as the text of a reply.

type ListedRow = PagePosition & {reply: string}

// The queries of a page as one text, which takes less than half the time of its rows. The subquery has an order and a limit,
// and SQLite joins its rows as they come, with the rest of the reply. Only lists in the default order are read this way.
function writeSelect(write: (select: string, rowsAfter: string, inOrder: string) => string) {
  const writeWith = (selected: string) =>
    writeForEachOrder((rowsAfter, inOrder) => write(`select ${selected} from transactions`, rowsAfter, inOrder))
  const rows = writeWith('createdAt, seq, reply')
  return {
    rows,
    joined: `select count(*) as count, ? || group_concat(reply) || ? as text from (${rows['newest-first']})`,
    positions: `${writeWith('createdAt, seq')['newest-first']} offset ?`,
  }
}

const selectByFilter = {
  everything: writeSelect((select, rowsAfter) => `${select} where ${rowsAfter}`),
  customer: writeSelect((select, rowsAfter) => `${select} where customerSeq = ? and ${rowsAfter}`),
  organization: writeSelect((select, rowsAfter) => `${select} where organizationSeq = ? and ${rowsAfter}`),
  // Each side has its own index. No transaction has the same account on both sides.
  account: writeSelect(
    (select, rowsAfter, inOrder) => `
    select * from (${select} where sourceAccountSeq = ? and ${rowsAfter})
    union all
    select * from (${select} where destinationAccountSeq = ? and ${rowsAfter})
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
  queries: ReturnType<typeof writeSelect>
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
    chosen ? database.all<ListedRow>(chosen.queries.rows[order], ...chosen.listValues(after, count)) : []
  return paginate({list: 'transactions', now, behaviours}, query, (after, count) =>
    listOrder === 'oldest-first'
      ? readRows(after, count, listOrder).filter(({createdAt}) => createdAt <= latest)
      : readRows(startBefore(latest, after), count, listOrder),
  )
}

const textBefore = '{"transactions":['

const writeTextAfter = (nextPageToken: string | undefined) =>
  nextPageToken === undefined ? ']}' : `],"nextPageToken":${JSON.stringify(nextPageToken)}}`

export interface TransactionsText {
  count: number
  // The whole reply.
  text: string
  // The reply of the first transaction.
  first: string | undefined
  nextPageToken?: string
}

function toText(replies: readonly string[], rest: {nextPageToken?: string} = {}): TransactionsText {
  const text = textBefore + replies.join(',') + writeTextAfter(rest.nextPageToken)
  return {count: replies.length, text, first: replies[0], ...rest}
}

// The last row of the page, if there is one after it.
function findLast(
  database: Database,
  {queries, listValues}: ListQueries,
  after: PagePosition,
  pageSize: number,
): PagePosition | undefined {
  // The last value is the limit: two rows, after all but the last one of the page.
  const values = [...listValues(after, pageSize + 1).slice(0, -1), 2, pageSize - 1]
  const [last, next] = database.all<PagePosition>(queries.positions, ...values)
  return next && last
}

// The first transaction of the last page, which is often that of the next one, too. No other JSON object begins with its text.
let lastFirst = '{}'

function readText(
  database: Database,
  {queries, listValues}: ListQueries,
  after: PagePosition,
  pageSize: number,
  rest: {nextPageToken?: string},
): TransactionsText {
  const joined = database.one<{count: number; text: string | null}>(
    queries.joined,
    textBefore,
    writeTextAfter(rest.nextPageToken),
    ...listValues(after, pageSize),
  )
  if (!joined || joined.text === null) return toText([])
  if (!joined.text.startsWith(lastFirst, textBefore.length)) {
    lastFirst = database.one<ListedRow>(queries.rows['newest-first'], ...listValues(after, 1))?.reply ?? lastFirst
  }
  return {count: joined.count, text: joined.text, first: lastFirst, ...rest}
}

// The same page as readTransactionPage() reads, as text.
export function readTransactionsText(context: RequestContext, query: TransactionsQuery): TransactionsText {
  const {database, now, behaviours} = context
  const chosen = chooseQueries(database, query)
  if (!chosen || behaviours.listOrder !== 'newest-first') {
    const {rows, ...rest} = readTransactionPage(context, query)
    return toText(
      rows.map(({reply}) => reply),
      rest,
    )
  }
  const list = {list: 'transactions', now, behaviours}
  const latest = now - behaviours.listLagSeconds * secondMs
  const {pageSize = limits.pageSizeDefault} = query
  const after = startBefore(latest, findStart(list, query.pageToken))
  const last = findLast(database, chosen, after, pageSize)
  return readText(database, chosen, after, pageSize, last ? {nextPageToken: createPageToken(list, last)} : {})
}
