// Reads lists page by page. A page token holds the position of the last row of a page, so that a deep page costs no more than the first
// one, and the time at which it was issued, since the sandbox can let tokens expire.
import {limits} from '../../contract/vocabulary.ts'
import type {ListOrder} from '../service/faults/behaviour-table.ts'
import type {RequestContext} from '../service/request-context.ts'
import {badRequest} from './service-error.ts'
import {secondMs} from '../../values/time.ts'

// The two columns by which every list is sorted, newest first unless `svc sandbox faults set --list-order` says otherwise.
export interface PagePosition {
  createdAt: number
  seq: number
}

// Before every possible row.
const firstPositions: Readonly<Record<ListOrder, PagePosition>> = {
  'newest-first': {createdAt: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER},
  'oldest-first': {createdAt: 0, seq: 0},
}

export interface ListQuery {
  // The list that a page token belongs to.
  list: string
  sql: Readonly<Record<ListOrder, string>>
}

// SQLite plans a query again whenever another value is bound to its limit, which takes four times as long as the query. An
// expression does not have this effect.
function writeQuery(select: string, conditions: readonly string[], after: '<' | '>', direction: string): string {
  const inOrder = `order by createdAt ${direction}, seq ${direction} limit ?4 + 0`
  const parts = conditions.map((each) => `${select} where ${each} and (createdAt, seq) ${after} (?2, ?3) ${inOrder}`)
  return parts.length === 1
    ? `${parts[0]}`
    : `${parts.map((part) => `select * from (${part})`).join(' union all ')} ${inOrder}`
}

// The rows of a list after a position. A condition compares a column with ?1, what the list is filtered by. With several conditions,
// each of which has an index of its own, no row may match two of them.
export const createListQuery = (list: string, select: string, ...conditions: string[]): ListQuery => ({
  list,
  sql: {
    'newest-first': writeQuery(select, conditions, '<', 'desc'),
    'oldest-first': writeQuery(select, conditions, '>', 'asc'),
  },
})

// For a list that is not filtered, whose filter is null.
export const everyRow = '?1 is null'

const toPageToken = (list: string, {createdAt, seq}: PagePosition, issuedAt: number) =>
  Buffer.from(JSON.stringify([list, createdAt, seq, issuedAt])).toString('base64url')

// Accepts only tokens that toPageToken() wrote for the same list: writing the position again must give the same token.
function parsePageToken(list: string, pageToken: string): PagePosition & {issuedAt: number} {
  const malformed = badRequest({path: 'pageToken', message: 'is not a nextPageToken of this list'})
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(pageToken, 'base64url').toString())
  } catch {
    throw malformed
  }
  if (!Array.isArray(parts)) throw malformed
  const position = {createdAt: Number(parts[1]), seq: Number(parts[2]), issuedAt: Number(parts[3])}
  const isWhole = Object.values(position).every(Number.isSafeInteger)
  if (!isWhole || toPageToken(list, position, position.issuedAt) !== pageToken) throw malformed
  return position
}

export type ListContext = Pick<RequestContext, 'database' | 'now' | 'behaviours'>

// The position after which a page begins.
function findStart({now, behaviours}: ListContext, list: string, pageToken: string | undefined): PagePosition {
  if (pageToken === undefined) return firstPositions[behaviours.listOrder]
  const {issuedAt, ...position} = parsePageToken(list, pageToken)
  const lifeMs = behaviours.pageTokenSeconds * secondMs
  if (lifeMs > 0 && now - issuedAt >= lifeMs) {
    throw badRequest({path: 'pageToken', message: 'has expired: read the list again from its first page'})
  }
  return position
}

export interface Paging {
  pageToken?: string | undefined
  pageSize?: number | undefined
}

// Reads one row more than the page has. If it exists, there is a next page. Rows that are newer than `latest` are left out.
export function readPage<Row extends PagePosition>(
  context: ListContext,
  {list, sql}: ListQuery,
  filter: string | number | null,
  {pageToken, pageSize = limits.pageSizeDefault}: Paging,
  latest = Number.MAX_SAFE_INTEGER,
): {rows: Row[]; nextPageToken?: string} {
  const {listOrder} = context.behaviours
  const start = findStart(context, list, pageToken)
  const isTooNew = listOrder === 'newest-first' && start.createdAt > latest
  const {createdAt, seq} = isTooNew ? {createdAt: latest, seq: Number.MAX_SAFE_INTEGER} : start
  const found = context.database
    .all<Row>(sql[listOrder], filter, createdAt, seq, pageSize + 1)
    .filter((row) => row.createdAt <= latest)
  const rows = found.slice(0, pageSize)
  const last = rows.at(-1)
  return found.length > pageSize && last ? {rows, nextPageToken: toPageToken(list, last, context.now)} : {rows}
}
