// Page tokens: the place after which the next page begins, so that a deep page costs what the first one costs.
import {limits} from '../../contract/limits.ts'
import {badRequest} from './service-error.ts'

// The last row of a page, by the two columns every list is sorted by. Newest first, so the next page is below it.
export interface PagePosition {
  createdAt: number
  seq: number
}

// Where the first page begins: above every row there can be.
const top: PagePosition = {createdAt: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER}

const toPageToken = (list: string, {createdAt, seq}: PagePosition) =>
  Buffer.from(JSON.stringify([list, createdAt, seq])).toString('base64url')

// Only what tokenOf() wrote for the same list is taken: it must come out the same when it is written again.
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

// Reads one row more than the page holds: whether it exists says whether a page follows.
export function paginate<Row extends PagePosition>(
  list: string,
  {pageToken, pageSize = limits.pageSizeDefault}: Paging,
  read: (after: PagePosition, count: number) => Row[],
): {rows: Row[]; nextPageToken?: string} {
  const found = read(pageToken === undefined ? top : parsePageToken(list, pageToken), pageSize + 1)
  const rows = found.slice(0, pageSize)
  const last = rows.at(-1)
  return found.length > pageSize && last ? {rows, nextPageToken: toPageToken(list, last)} : {rows}
}
