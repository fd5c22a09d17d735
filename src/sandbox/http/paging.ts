// Page tokens hold the position of the last row of a page, so that a deep page costs no more than the first one, and the
// time at which they were issued, since the sandbox can let them expire.
import {limits} from '../../contract/vocabulary.ts'
import type {Behaviours, ListOrder} from '../service/faults/behaviour-table.ts'
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

// SQLite plans a query again whenever another value is bound to its limit, which takes four times as long as the query. An
// expression does not have this effect.
const newestFirst = 'order by createdAt desc, seq desc limit ? + 0'
const oldestFirst = 'order by createdAt, seq limit ? + 0'

// Writes a query once for each order. `rowsAfter` selects the rows after a position: its parameters are createdAt, seq and
// the number of rows. `inOrder` only sorts, and takes the number of rows.
export const writeForEachOrder = (
  write: (rowsAfter: string, inOrder: string) => string,
): Readonly<Record<ListOrder, string>> => ({
  'newest-first': write(`(createdAt, seq) < (?, ?) ${newestFirst}`, newestFirst),
  'oldest-first': write(`(createdAt, seq) > (?, ?) ${oldestFirst}`, oldestFirst),
})

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

interface ListContext {
  list: string
  now: number
  behaviours: Behaviours
}

// The position after which a page begins.
function findStart({list, now, behaviours}: ListContext, pageToken: string | undefined): PagePosition {
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

// Reads one row more than the page has. If it exists, there is a next page.
export function paginate<Row extends PagePosition>(
  list: ListContext,
  {pageToken, pageSize = limits.pageSizeDefault}: Paging,
  read: (after: PagePosition, count: number) => Row[],
): {rows: Row[]; nextPageToken?: string} {
  const found = read(findStart(list, pageToken), pageSize + 1)
  const rows = found.slice(0, pageSize)
  const last = rows.at(-1)
  return found.length > pageSize && last ? {rows, nextPageToken: toPageToken(list.list, last, list.now)} : {rows}
}
