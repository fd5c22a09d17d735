// Walks a list of the service page by page, and requests the next page while the current one is being written.
import {SvcError} from '../errors.ts'
import {type ItemLines, cutItemLines} from './item-lines.ts'
import {rejectCutList} from './list-end.ts'
import {SeenItems} from './seen-items.ts'

// A page as the service sends it: the items under their key, the next token, and any other fields.
export type Page = Record<string, unknown> & {nextPageToken?: unknown}

export interface PagingOptions {
  // Stop after this many items. Without a limit the walk reads the first page that has items, or the whole list with `all`.
  limit?: number | undefined
  all?: boolean | undefined
  pageSize?: number | undefined
  pageToken?: string | undefined
  // For conditions that the service cannot filter by. The walk goes on until enough items match or the list ends.
  filter?: ItemFilter | undefined
  // Whether the caller can take an item twice. Then nothing has to be remembered for a list that is read again.
  mayRepeat?: boolean | undefined
}

// Whether an item matches; undefined if that cannot be decided, which leaves the item out.
export type ItemFilter = (item: Readonly<Record<string, unknown>>) => boolean | undefined

export interface WalkedPage {
  items: unknown[]
  // The envelope of this page, for the fields that are not items.
  envelope: Page
  // The token from which a later walk continues without skipping an item; absent at the end of the list.
  resumeToken?: string | undefined
  // How many items are not shown because the service sent more than the requested page size.
  cutCount?: number | undefined
  // The items as lines of JSON, if they can be cut out of the service's text without serializing them again.
  lines?: () => ItemLines | undefined
  // How many items of a list that is read again were shown before.
  skippedCount?: number
  // How much a filtered walk has read so far.
  read?: ReadCounts
}

interface ReadCounts {
  items: number
  pages: number
  // Items for which the filter could not decide.
  undecided: number
}

const itemsShownDefault = 20
const pageSizeMax = 100

// `onNextToken` may be called with the next token as soon as the text of the page has arrived, before it is parsed.
type FetchPage = (
  paging: {pageSize: number; pageToken?: string},
  onNextToken?: (token: string) => void,
) => Promise<Page>

// Some services number their pages, so a number is a valid token too.
export function getNextPageToken({nextPageToken: token}: Page): string | undefined {
  if (token === undefined || token === null || token === '') return undefined
  if (typeof token === 'string') return token
  if (typeof token === 'number' || JSON.isRawJSON(token)) return JSON.stringify(token)
  throw new SvcError({
    error: 'PAGE_TOKEN_UNREADABLE',
    kind: 'unreachable',
    message: 'The service sent a page token that is neither text nor a number, so the rest of the list cannot be read',
    hint: 'Nothing is wrong with the command; tell the operator of the service',
  })
}

// Reads the list once more from where it began if the service refuses one of its own page tokens (docs/assumptions.md, L7).
export async function* walkPages(
  fetchPage: FetchPage,
  itemsKey: string,
  {mayRepeat = false, ...paging}: PagingOptions,
): AsyncGenerator<WalkedPage> {
  const seen = mayRepeat ? undefined : new SeenItems(itemsKey)
  try {
    yield* walkTwice(fetchPage, itemsKey, paging, seen)
  } finally {
    seen?.close()
  }
}

async function* walkTwice(
  fetchPage: FetchPage,
  itemsKey: string,
  paging: Omit<PagingOptions, 'mayRepeat'>,
  seen: SeenItems | undefined,
): AsyncGenerator<WalkedPage> {
  let left = paging.limit ?? (paging.filter && !paging.all ? itemsShownDefault : undefined)
  let readMax = 0
  for (let isRestarted = false; ; isRestarted = true) {
    const isSeen = isRestarted && seen ? (item: unknown) => seen.has(item) : undefined
    let read = 0
    try {
      for await (const page of walkOnce(fetchPage, itemsKey, {...paging, limit: left, isSeen})) {
        const {items, resumeToken, skippedCount = 0} = page
        if (left !== undefined) left -= items.length
        read = page.read?.items ?? read + items.length + skippedCount
        if (resumeToken !== undefined) seen?.add(items)
        yield page
      }
      return
    } catch (error) {
      if (!(error instanceof DeadPageToken)) throw error
      readMax = Math.max(readMax, read)
      if (isRestarted || seen?.isFull) throw createDeadListError(error.failure, readMax, isRestarted)
    }
  }
}

interface WalkOptions extends Omit<PagingOptions, 'mayRepeat'> {
  // For a list that is read again: whether an item was shown before.
  isSeen?: ((item: unknown) => boolean) | undefined
}

const walkOnce = (fetchPage: FetchPage, itemsKey: string, {filter, ...options}: WalkOptions) =>
  filter ? walkFiltered(fetchPage, itemsKey, options, filter) : walkAll(fetchPage, itemsKey, options)

// Finds one item of a list, for things that the interface has no endpoint for. Stops reading when it is found.
export async function findItem(fetchPage: FetchPage, itemsKey: string, filter: ItemFilter): Promise<unknown> {
  for await (const {items, envelope} of walkPages(fetchPage, itemsKey, {filter, limit: 1})) {
    if (items.length > 0) return items[0]
    rejectCutList(envelope)
  }
  return undefined
}

// Who asks for the beginning of a list waits for at most this many pages without items.
export const emptyPagesMax = 20

async function* walkAll(
  fetchPage: FetchPage,
  itemsKey: string,
  {limit, all, pageSize, pageToken, isSeen}: WalkOptions,
): AsyncGenerator<WalkedPage> {
  const isSeveralPages = all || limit !== undefined
  const sizeMax = pageSize ?? (isSeveralPages ? pageSizeMax : itemsShownDefault)
  let left = limit ?? (all ? Number.POSITIVE_INFINITY : sizeMax)
  const seen = new Set(pageToken ? [pageToken] : [])
  let isAwaited = true
  // Until an item comes that was not shown before, pages are as large as they can be.
  let isCatchingUp = isSeen !== undefined
  let emptyPagesLeft = emptyPagesMax
  let earlyRequest: {token: string; page: Promise<Page>} | undefined
  // With `all`, the next page is requested while this one is parsed, but only if the caller is waiting for this one:
  // otherwise pages would pile up for a slow reader.
  const onNextToken = (next: string) => {
    if (isAwaited && !earlyRequest && !seen.has(next)) earlyRequest = {token: next, page: request(next, left)}
  }
  const request = (token: string | undefined, wanted: number): Promise<Page> => {
    const size = isCatchingUp ? sizeMax : Math.min(sizeMax, wanted)
    const paging = {pageSize: size, ...(token && {pageToken: token})}
    const page = fetchPage(paging, all ? onNextToken : undefined)
    // This page may fail while the previous one is being written. The failure is reported when the page is awaited.
    page.catch(() => {})
    return page
  }
  let token = pageToken
  let pending: Promise<Page> | undefined = request(token, left)
  while (pending) {
    isAwaited = true
    const envelope = await noticeDeadToken(pending, token !== pageToken)
    isAwaited = false
    const received = envelope[itemsKey] as unknown[]
    const items = isSeen ? received.filter((item) => !isSeen(item)) : received
    if (items.length > 0) isCatchingUp = false
    const skippedCount = received.length - items.length
    const shown = items.length > left ? items.slice(0, left) : items
    left -= shown.length
    const next = takeNextToken(envelope, seen)
    const requestedEarly = earlyRequest?.token === next ? earlyRequest?.page : undefined
    // An empty page with a token is not the end of the list, so the next one is read too.
    const goesOn = isSeveralPages || (shown.length === 0 && emptyPagesLeft-- > 0)
    pending = next && left > 0 && goesOn ? (requestedEarly ?? request(next, left)) : undefined
    earlyRequest = undefined
    const cutCount = items.length - shown.length
    // After a cut page the resume token repeats the whole page: an item may be seen twice, but none is skipped.
    const lines = () => (cutCount + skippedCount > 0 ? undefined : cutItemLines(envelope, itemsKey))
    const resumeToken = cutCount > 0 ? token : next
    yield {items: shown, envelope, resumeToken, lines, skippedCount, ...(cutCount > 0 && {cutCount})}
    token = next
  }
}

// Requests the largest pages, since most items may not match. A page with more matches than are still wanted is requested
// again with a size that ends at the last wanted match, so that its token skips nothing.
async function* walkFiltered(
  fetchPage: FetchPage,
  itemsKey: string,
  {limit, all, pageSize = pageSizeMax, pageToken, isSeen}: WalkOptions,
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
    const envelope = await noticeDeadToken(pending, token !== pageToken)
    const items = envelope[itemsKey] as unknown[]
    const {places: matching, unjudged} = findMatches(items, filter)
    const indexes = isSeen ? matching.filter((index) => !isSeen(items[index])) : matching
    const lastWanted = indexes[left - 1]
    // A smaller page size does not help if the service ignores the page size.
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

// The indexes of the items that match, and for how many that could not be decided.
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

// The token of the next page. A token that was seen before would make the walk endless.
export function takeNextToken(envelope: Page, seen: Set<string>): string | undefined {
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
    message: `The service sent the page token "${token}" twice, so the list would never end`,
    hint: 'Nothing is wrong with the command; tell the operator of the service',
  })
}

// Statuses with which a service refuses a page token that has expired.
const deadTokenStatuses = new Set([400, 404, 410])

class DeadPageToken extends Error {
  readonly failure: SvcError

  constructor(failure: SvcError) {
    super(failure.message, {cause: failure})
    this.failure = failure
  }
}

// Only a token that the service sent in this walk can die. One that the caller gave may never have been right.
async function noticeDeadToken(page: Promise<Page>, isOwnToken: boolean): Promise<Page> {
  try {
    return await page
  } catch (error) {
    const isDead = isOwnToken && error instanceof SvcError && deadTokenStatuses.has(error.statusCode ?? 0)
    throw isDead ? new DeadPageToken(error) : error
  }
}

function createDeadListError(failure: SvcError, read: number, isRestarted: boolean): SvcError {
  const {error, statusCode} = failure
  const rows = read === 1 ? 'one row' : `${read} rows`
  const why = isRestarted ? ' twice' : ', and they are too many to read the list again without repeating any'
  return new SvcError({
    error: 'PAGE_TOKEN_REFUSED',
    kind: 'unreachable',
    message: `After ${rows} the service refused its own page token (${statusCode} ${error})${why}, so the rest of the list cannot be read`,
    hint: 'Try again; if it happens again, tell the operator of the service',
    statusCode,
    cause: failure,
  })
}
