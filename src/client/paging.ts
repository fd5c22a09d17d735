// Reads a list of the service page by page, and says whether its end was reached.
import {limits} from '../contract/vocabulary.ts'
import {SvcError} from '../errors.ts'
import {isRecord} from '../values/records.ts'

// A page as the service sends it: the items under their key, the next token, and any other fields.
export type Page = Record<string, unknown> & {nextPageToken?: unknown}

export interface PagingOptions {
  // Stop after this many items. Without a limit the walk reads the first page that has items, or the whole list with `all`.
  limit?: number | undefined
  all?: boolean | undefined
  pageSize?: number | undefined
  pageToken?: string | undefined
  // Whether a page is requested only when it is asked for. Whoever may stop early saves a request.
  isReadOnDemand?: boolean | undefined
  // For conditions that the service cannot filter by. The walk goes on until enough items match or the list ends.
  filter?: ItemFilter | undefined
}

// Whether an item matches; undefined if that cannot be decided, which leaves the item out.
export type ItemFilter = (item: Readonly<Record<string, unknown>>) => boolean | undefined

// The items of a page are objects of the contract, because the client rejects any other reply (contract/loose.ts).
type ItemsIn<List> = List extends ReadonlyArray<infer Item> ? Item[] : unknown[]

export interface WalkedPage<Items = unknown[]> {
  items: Items
  // The envelope of this page, for the fields that are not items.
  envelope: Page
  // The token from which a later walk continues without skipping an item; absent at the end of the list.
  resumeToken?: string | undefined
  // How many items are not shown because the service sent more than the requested page size.
  cutCount?: number | undefined
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

interface PageRequest {
  pageSize: number
  pageToken?: string
}

type FetchPage<P extends Page = Page> = (paging: PageRequest) => Promise<P>

export function getNextPageToken({nextPageToken: token}: Page): string | undefined {
  if (token === undefined || token === null || token === '') return undefined
  if (typeof token === 'string') return token
  throw new SvcError({
    error: 'PAGE_TOKEN_UNREADABLE',
    kind: 'unreachable',
    message: 'The service sent a page token that is not text, so the rest of the list cannot be read',
    hint: 'Nothing is wrong with the command; tell the operator of the service',
  })
}

// Who asks for the beginning of a list waits for at most this many pages without items.
const emptyPagesMax = 20

// How far a list has been read.
interface Walk {
  // How many items are still wanted.
  left: number
  pageSizeMax: number
  // The size of the last page that was requested.
  size: number
  token: string | undefined
  counts: ReadCounts
}

// Walks a list page by page. The next page is requested before a page is handed out, so that the service works meanwhile,
// unless pages are read on demand.
export async function* walkPages<P extends Page, Key extends keyof P & string>(
  fetchPage: FetchPage<P>,
  itemsKey: Key,
  options: PagingOptions,
): AsyncGenerator<WalkedPage<ItemsIn<P[Key]>>> {
  const {limit, all, filter, pageToken, isReadOnDemand} = options
  const isSeveralPages = all || limit !== undefined || filter !== undefined
  const sizeDefault = isSeveralPages ? limits.pageSizeMax : itemsShownDefault
  const walk: Walk = {
    left: limit ?? (all ? Number.POSITIVE_INFINITY : filter ? itemsShownDefault : (options.pageSize ?? sizeDefault)),
    pageSizeMax: options.pageSize ?? sizeDefault,
    size: 0,
    token: pageToken,
    counts: {items: 0, pages: 0, undecided: 0},
  }
  const tokensSeen = new Set(pageToken ? [pageToken] : [])
  let emptyPagesLeft = emptyPagesMax
  let pending: Promise<Page> | undefined = requestPage(fetchPage, walk, filter ? walk.pageSizeMax : walk.left)
  while (pending) {
    const isOwnToken = walk.token !== pageToken
    const envelope: Page = await pending.catch((error: unknown) => {
      throw isOwnToken && isTokenRefused(error) ? createTokenRefused(error) : error
    })
    const page = selectItems(getItems(envelope, itemsKey), walk, filter)
    // More items match than are wanted. A page that ends at the last wanted one has a token that skips nothing.
    if (typeof page === 'number') {
      pending = requestPage(fetchPage, walk, page)
      continue
    }
    const {shown, cutCount} = page
    walk.left -= shown.length
    const next = takeNextToken(envelope, tokensSeen)
    const resumeToken = cutCount > 0 ? walk.token : next
    walk.token = next
    // An empty page with a token is not the end of the list, so the next one is read too.
    const goesOn = isSeveralPages || (shown.length === 0 && emptyPagesLeft-- > 0)
    const requestNext = () =>
      next && walk.left > 0 && goesOn ? requestPage(fetchPage, walk, filter ? walk.pageSizeMax : walk.left) : undefined
    pending = isReadOnDemand ? undefined : requestNext()
    yield {
      items: shown as ItemsIn<P[Key]>,
      envelope,
      resumeToken,
      ...(cutCount > 0 && {cutCount}),
      ...(filter && {read: walk.counts}),
    }
    if (isReadOnDemand) pending = requestNext()
  }
}

function requestPage(fetchPage: FetchPage, walk: Walk, wanted: number): Promise<Page> {
  walk.size = Math.min(walk.pageSizeMax, wanted)
  const page = fetchPage({pageSize: walk.size, ...(walk.token && {pageToken: walk.token})})
  // This page may fail while the previous one is being written. The failure is reported when the page is awaited.
  page.catch(() => {})
  return page
}

interface SelectedItems {
  shown: unknown[]
  // After a cut page the resume token repeats the whole page: an item may be seen twice, but none is skipped.
  cutCount: number
}

// The items of a page that are wanted, or the size with which the page has to be requested again.
function selectItems(received: readonly unknown[], walk: Walk, filter: ItemFilter | undefined): SelectedItems | number {
  const {indexes: wanted, undecided} = findMatches(received, filter)
  const lastWanted = wanted[walk.left - 1]
  // A smaller page does not help if the service ignores the page size.
  const canShrink = filter !== undefined && received.length <= walk.size
  if (canShrink && wanted.length > walk.left && lastWanted !== undefined) return lastWanted + 1
  const {items, pages, undecided: before} = walk.counts
  walk.counts = {items: items + received.length, pages: pages + 1, undecided: before + undecided}
  const shown = wanted.slice(0, walk.left).map((index) => received[index])
  return {shown, cutCount: wanted.length - shown.length}
}

// The indexes of the items that match, and for how many that could not be decided.
function findMatches(items: readonly unknown[], filter: ItemFilter | undefined) {
  if (!filter) return {indexes: [...items.keys()], undecided: 0}
  const indexes: number[] = []
  let undecided = 0
  for (const [index, item] of items.entries()) {
    const matches = isRecord(item) ? filter(item) : undefined
    if (matches) indexes.push(index)
    else if (matches === undefined) undecided++
  }
  return {indexes, undecided}
}

const getItems = (page: Page, itemsKey: string): unknown[] => {
  const items = page[itemsKey]
  return Array.isArray(items) ? items : []
}

// Finds one item of a list, for things that the interface has no endpoint for. Stops reading when it is found.
export async function findItem<P extends Page, Key extends keyof P & string>(
  fetchPage: FetchPage<P>,
  itemsKey: Key,
  filter: ItemFilter,
): Promise<ItemsIn<P[Key]>[number] | undefined> {
  for await (const {items, envelope} of walkPages(fetchPage, itemsKey, {filter, limit: 1})) {
    if (items.length > 0) return items[0]
    rejectCutList(envelope)
  }
  return undefined
}

// Reads the first page of a list that has items: a service may send empty pages before it, each with a token. The last page that
// was read if none has items.
export async function readFirstItems<P extends Page>(
  fetchPage: (page: {pageToken?: string}) => Promise<P>,
  itemsKey: keyof P & string,
): Promise<P> {
  const seen = new Set<string>()
  let page = await fetchPage({})
  for (let left = emptyPagesMax; left > 0 && getItems(page, itemsKey).length === 0; left--) {
    const pageToken = takeNextToken(page, seen)
    if (pageToken === undefined) break
    page = await fetchPage({pageToken})
  }
  return page
}

// The token of the next page. A token that was seen before would make the walk endless.
function takeNextToken(envelope: Page, seen: Set<string>): string | undefined {
  // A list that the interface does not page has no token that could be sent.
  const token = getCutSign(envelope) === undefined ? getNextPageToken(envelope) : undefined
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

// A token that the service sent in this walk, and refuses, has expired. The command itself was not refused.
const isTokenRefused = (error: unknown): error is SvcError =>
  error instanceof SvcError && [400, 404, 410].includes(error.statusCode ?? 0)

const createTokenRefused = (cause: SvcError) =>
  new SvcError({
    error: 'PAGE_TOKEN_REFUSED',
    kind: 'unreachable',
    message: `The service refused its own page token (${cause.statusCode} ${cause.error}), so the rest of the list cannot be read`,
    hint: 'Try again; if it happens again, tell the operator of the service',
    statusCode: cause.statusCode,
    cause,
  })

// A list that comes in pages is no snapshot: an item can slide or move to a page that was read
// already, and no page shows that. What such a list lacks is absent only once two reads in a row
// have seen the same; so often is it read.
export const readsMax = 5

export const createChangingList = (items: string): SvcError =>
  new SvcError({
    error: 'LIST_CHANGING',
    kind: 'unreachable',
    message: `The list of ${items} changed each time while it was read, ${readsMax} times, so it proves nothing`,
    reason: `its list of ${items} changes while it is read`,
    hint: 'Try again later',
  })

// Lists that may go on after their last page, because the service names its page token in a way that svc does not know.
const cutSigns = new WeakMap<object, string>()

export const setCutSign = (page: object, sign: string): void => void cutSigns.set(page, sign)

// The field or header because of which a page may not be the last one of its list, though it has no
// token (docs/assumptions.md, L9).
export const getCutSign = (page: object): string | undefined => cutSigns.get(page)

export const describeCutSign = (sign: string) =>
  `the service sent no nextPageToken, but ${sign}, which may mean that the list goes on`

const cutListCode = 'LIST_MAY_BE_CUT'

export const isCutList = (error: unknown): error is SvcError => error instanceof SvcError && error.error === cutListCode

const hint = 'Ask the operator of the service how its lists are paged'

// For a list that was printed although it may be incomplete.
export const createIncompleteList = (printed: string, sign: string): SvcError =>
  new SvcError({
    error: cutListCode,
    kind: 'finding',
    message: `The list may be incomplete, with ${printed}: ${describeCutSign(sign)}`,
    hint,
  })

// For callers that rely on the whole list.
export function rejectCutList(page: object): void {
  const sign = getCutSign(page)
  if (sign === undefined) return
  throw new SvcError({
    error: cutListCode,
    kind: 'unreachable',
    message: `The list may be incomplete: ${describeCutSign(sign)}`,
    hint,
  })
}
