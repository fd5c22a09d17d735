// Page tokens hold the position of the last row of a page, so that a deep page costs no more than the first one.
import {limits} from '../../contract/limits.ts'
import {badRequest} from './service-error.ts'

// The two columns by which every list is sorted, newest first.
export interface PagePosition {
  createdAt: number
  seq: number
}

// Before every possible row.
const firstPosition: PagePosition = {createdAt: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER}

const toPageToken = (list: string, {createdAt, seq}: PagePosition) =>
  Buffer.from(JSON.stringify([list, createdAt, seq])).toString('base64url')

// Accepts only tokens that toPageToken() wrote for the same list: writing the position again must give the same token.
function parsePageToken(list: string, pageToken: string): PagePosition {
  const malformed = badRequest({path: 'pageToken', message: 'is not a nextPageToken of this list'})
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(pageToken, 'base64url').toString())
  } catch {
    throw malformed
  }
  if (!Array.isArray(parts)) throw malformed
  const position = {createdAt: Number(parts[1]), seq: Number(parts[2])}
  const isWhole = Number.isSafeInteger(position.createdAt) && Number.isSafeInteger(position.seq)
  if (!isWhole || toPageToken(list, position) !== pageToken) throw malformed
  return position
}

interface Paging {
  pageToken?: string | undefined
  pageSize?: number | undefined
}

// Reads one row more than the page has. If it exists, there is a next page.
export function paginate<Row extends PagePosition>(
  list: string,
  {pageToken, pageSize = limits.pageSizeDefault}: Paging,
  read: (after: PagePosition, count: number) => Row[],
): {rows: Row[]; nextPageToken?: string} {
  const found = read(pageToken === undefined ? firstPosition : parsePageToken(list, pageToken), pageSize + 1)
  const rows = found.slice(0, pageSize)
  const last = rows.at(-1)
  return found.length > pageSize && last ? {rows, nextPageToken: toPageToken(list, last)} : {rows}
}
