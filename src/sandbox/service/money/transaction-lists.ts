// Reads lists of transactions: as rows, or a whole page as the text of a reply.
import {limits} from '../../../contract/limits.ts'
import type {Database} from '../../store/database.ts'
import {createPageToken, findStart, type PagePosition, paginate, writeForEachOrder} from '../../http/paging.ts'
import type {ListOrder} from '../faults/behaviours.ts'
import type {RequestContext} from '../request-context.ts'
import {findCustomerRow, findCustomerSeq} from '../customers/customer-store.ts'
import {findOrganizationSeq} from '../../store/organizations.ts'
import {type AccountRow, findAccountRow} from './account-store.ts'
import {secondMs} from '../../../values/time.ts'

type ListedRow = PagePosition & {reply: string}

// The queries of a page as one text, which takes less than half the time of its rows. The subquery has an order and a limit,
// and SQLite joins its rows as they come, with the rest of the reply. Only lists in the default order are read this way.
function writeSelect(write: (select: string, rowsAfter: string, inOrder: string) => string) {
  const writeWith = (columns: string) =>
    writeForEachOrder((rowsAfter, inOrder) => write(`select ${columns} from transactions`, rowsAfter, inOrder))
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
