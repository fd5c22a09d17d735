// Walks a list of the service page by page, asking for the next page while the current one is being written.
import {SvcError} from '../errors.ts'
import {cutItemLines} from './item-lines.ts'

// A page is the service's own envelope: the items under their key, the next token, and whatever else it sent.
export type Page = Record<string, unknown> & {nextPageToken?: unknown}

export interface PagingOptions {
  // Stop after this many items; without it, the walk is one page, or goes on to the end with `all`.
  limit?: number | undefined
  all?: boolean | undefined
  pageSize?: number | undefined
  pageToken?: string | undefined
  // What the service cannot filter by is judged here. The walk then goes on until enough items match or the list ends.
  filter?: ItemFilter | undefined
}

// Whether an item matches; undefined where that cannot be said of it, which leaves it out.
export type ItemFilter = (item: Readonly<Record<string, unknown>>) => boolean | undefined

export interface WalkedPage {
  items: unknown[]
  // The envelope of this page, for the fields that are not items.
  envelope: Page
  // The token from which a later walk goes on without skipping an item; absent at the end of the list.
  resumeToken?: string | undefined
  // Set where the service sent more items than it was asked for and some of them are not shown.
  cutCount?: number | undefined
  // The items as lines of JSON, where they can be had without writing them anew.
  lines?: () => string | undefined
  // What a filtered walk has read so far.
  read?: ReadCounts
}

interface ReadCounts {
  items: number
  pages: number
  // Items of which could not be said whether they match.
  undecided: number
}

const itemsShownDefault = 20
const pageSizeMax = 100

// `ahead` may be told the next token as soon as the text of the page is there, before it has been read as JSON.
type FetchPage = (
  paging: {pageSize: number; pageToken?: string},
  onNextToken?: (token: string) => void,
) => Promise<Page>

// Some services count their pages, so a number is a token as well; anything else is none.
export function getNextPageToken({nextPageToken: token}: Page): string | undefined {
  if (token === undefined || token === null || token === '') return undefined
  if (typeof token === 'string') return token
  if (typeof token === 'number' || JSON.isRawJSON(token)) return JSON.stringify(token)
  throw new SvcError({
    error: 'PAGE_TOKEN_UNREADABLE',
    kind: 'unreachable',
    message: 'The service gave a page token that is neither text nor a number, so the list cannot go on',
    hint: 'Nothing is wrong with the command; tell whoever runs the service',
  })
}

export function walkPages(
  fetchPage: FetchPage,
  itemsKey: string,
  {filter, ...paging}: PagingOptions,
): AsyncGenerator<WalkedPage> {
  return filter ? walkFiltered(fetchPage, itemsKey, paging, filter) : walkAll(fetchPage, itemsKey, paging)
}

// One item of a list, for what the interface lets nobody read by itself. Nothing is read past it.
export async function findItem(fetchPage: FetchPage, itemsKey: string, filter: ItemFilter): Promise<unknown> {
  for await (const {items} of walkPages(fetchPage, itemsKey, {filter, limit: 1})) if (items.length > 0) return items[0]
  return undefined
}

async function* walkAll(
  fetchPage: FetchPage,
  itemsKey: string,
  {limit, all, pageSize, pageToken}: PagingOptions,
): AsyncGenerator<WalkedPage> {
  const isSeveralPages = all || limit !== undefined
  const sizeMax = pageSize ?? (isSeveralPages ? pageSizeMax : itemsShownDefault)
  let left = limit ?? (all ? Number.POSITIVE_INFINITY : sizeMax)
  const seen = new Set(pageToken ? [pageToken] : [])
  let isAwaited = true
  let earlyRequest: {token: string; page: Promise<Page>} | undefined
  // The whole list is wanted, so the next page can be asked for while this one is read. It is asked for only if this one is
  // being waited for: otherwise a slow reader would have pages pile up.
  const onNextToken = (next: string) => {
    if (isAwaited && !earlyRequest && !seen.has(next)) earlyRequest = {token: next, page: request(next, left)}
  }
  const request = (token: string | undefined, wanted: number): Promise<Page> => {
    const paging = {pageSize: Math.min(sizeMax, wanted), ...(token && {pageToken: token})}
    const page = fetchPage(paging, all ? onNextToken : undefined)
    // While the page before is being written this one may fail; that is reported when its turn comes.
    page.catch(() => {})
    return page
  }
  let token = pageToken
  let pending: Promise<Page> | undefined = request(token, left)
  while (pending) {
    isAwaited = true
    const envelope = await pending
    isAwaited = false
    const items = envelope[itemsKey] as unknown[]
    const shown = items.length > left ? items.slice(0, left) : items
    left -= shown.length
    const next = takeNextToken(envelope, seen)
    const requestedEarly = earlyRequest?.token === next ? earlyRequest?.page : undefined
    pending = next && left > 0 && isSeveralPages ? (requestedEarly ?? request(next, left)) : undefined
    earlyRequest = undefined
    const cutCount = items.length - shown.length
    // A cut page is offered again as a whole: an item may be seen twice, none is skipped.
    const lines = () => (cutCount > 0 ? undefined : cutItemLines(envelope, itemsKey))
    yield {items: shown, envelope, resumeToken: cutCount > 0 ? token : next, lines, ...(cutCount > 0 && {cutCount})}
    token = next
  }
}

// Pages are as large as they can be, since most of their items may not match. A page with more matches than are still
// wanted is asked for again, so large that it ends with the last wanted one: then the token after it skips nothing.
async function* walkFiltered(
  fetchPage: FetchPage,
  itemsKey: string,
  {limit, all, pageSize = pageSizeMax, pageToken}: PagingOptions,
  filter: ItemFilter,
): AsyncGenerator<WalkedPage> {
  let left = limit ?? (all ? Number.POSITIVE_INFINITY : itemsShownDefault)
  let size = pageSize
  const request = (token: string | undefined) => fetchPage({pageSize: size, ...(token && {pageToken: token})})
  const seen = new Set(pageToken ? [pageToken] : [])
  let read: ReadCounts = {items: 0, pages: 0, undecided: 0}
  let token = pageToken
  let pending: Promise<Page> | undefined = request(token)
  while (pending) {
    const envelope = await pending
    const items = envelope[itemsKey] as unknown[]
    const {places: indexes, unjudged} = findMatches(items, filter)
    const lastWanted = indexes[left - 1]
    // Where the service sends more than it is asked for, asking for less would not help.
    if (indexes.length > left && lastWanted !== undefined && items.length <= size) {
      size = lastWanted + 1
      pending = request(token)
      continue
    }
    const shown = indexes.slice(0, left).map((index) => items[index])
    left -= shown.length
    read = {items: read.items + items.length, pages: read.pages + 1, undecided: read.undecided + unjudged}
    size = pageSize
    const next = takeNextToken(envelope, seen)
    pending = next && left > 0 ? request(next) : undefined
    pending?.catch(() => {})
    const cutCount = indexes.length - shown.length
    yield {items: shown, envelope, resumeToken: cutCount > 0 ? token : next, ...(cutCount > 0 && {cutCount}), read}
    token = next
  }
}

// Where the items stand that match, and of how many that cannot be said.
function findMatches(items: readonly unknown[], filter: ItemFilter) {
  const indexes: number[] = []
  let unjudged = 0
  for (const [index, item] of items.entries()) {
    const matches = filter(item as Parameters<ItemFilter>[0])
    if (matches) indexes.push(index)
    else if (matches === undefined) unjudged++
  }
  return {places: indexes, unjudged}
}

// The token of the next page. One that comes again would lead the walk in a circle.
function takeNextToken(envelope: Page, seen: Set<string>): string | undefined {
  const token = getNextPageToken(envelope)
  if (token === undefined) return undefined
  if (seen.has(token)) throw createRepeatedToken(token)
  seen.add(token)
  return token
}

function createRepeatedToken(token: string): SvcError {
  return new SvcError({
    error: 'PAGE_TOKEN_REPEATED',
    kind: 'unreachable',
    message: `The service gave the page token "${token}" twice, so the list would never end`,
    hint: 'Nothing is wrong with the command; tell whoever runs the service',
  })
}
