// Walks a list of the service page by page, asking for the next page while the current one is being written.
import {SvcError} from '../errors.ts'
import {linesOf} from './item-lines.ts'

// A page is the service's own envelope: the items under their key, the next token, and whatever else it sent.
export type Page = Record<string, unknown> & {nextPageToken?: unknown}

export interface Walk {
  // Stop after this many items; without it, the walk is one page, or goes on to the end with `all`.
  limit?: number | undefined
  all?: boolean | undefined
  pageSize?: number | undefined
  pageToken?: string | undefined
  // What the service cannot filter by is judged here. The walk then goes on until enough items match or the list ends.
  keep?: Keep | undefined
}

// Whether an item matches; undefined where that cannot be said of it, which leaves it out.
export type Keep = (item: Readonly<Record<string, unknown>>) => boolean | undefined

export interface WalkedPage {
  items: unknown[]
  // The envelope of this page, for the fields that are not items.
  envelope: Page
  // The token from which a later walk goes on without skipping an item; absent at the end of the list.
  resumeToken?: string | undefined
  // Set where the service sent more items than it was asked for and some of them are not shown.
  cut?: number | undefined
  // The items as lines of JSON, where they can be had without writing them anew.
  lines?: () => string | undefined
  // What a filtered walk has read so far.
  read?: Read
}

interface Read {
  items: number
  pages: number
  // Items of which could not be said whether they match.
  unjudged: number
}

const itemsShown = 20
const pageSizeLargest = 100

// `ahead` may be told the next token as soon as the text of the page is there, before it has been read as JSON.
type Ask = (paging: {pageSize: number; pageToken?: string}, ahead?: (token: string) => void) => Promise<Page>

// Some services count their pages, so a number is a token as well; anything else is none.
export function tokenOf({nextPageToken: token}: Page): string | undefined {
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

export function walk(ask: Ask, itemsKey: string, {keep, ...paging}: Walk): AsyncGenerator<WalkedPage> {
  return keep ? walkFiltered(ask, itemsKey, paging, keep) : walkAll(ask, itemsKey, paging)
}

// One item of a list, for what the interface lets nobody read by itself. Nothing is read past it.
export async function findOne(ask: Ask, itemsKey: string, isIt: Keep): Promise<unknown> {
  for await (const {items} of walk(ask, itemsKey, {keep: isIt, limit: 1})) if (items.length > 0) return items[0]
  return undefined
}

async function* walkAll(
  ask: Ask,
  itemsKey: string,
  {limit, all, pageSize, pageToken}: Walk,
): AsyncGenerator<WalkedPage> {
  const many = all || limit !== undefined
  const sizeMax = pageSize ?? (many ? pageSizeLargest : itemsShown)
  let left = limit ?? (all ? Number.POSITIVE_INFINITY : sizeMax)
  const seen = new Set(pageToken ? [pageToken] : [])
  let isAwaited = true
  let early: {token: string; page: Promise<Page>} | undefined
  // The whole list is wanted, so the next page can be asked for while this one is read. It is asked for only if this one is
  // being waited for: otherwise a slow reader would have pages pile up.
  const ahead = (next: string) => {
    if (isAwaited && !early && !seen.has(next)) early = {token: next, page: request(next, left)}
  }
  const request = (token: string | undefined, wanted: number): Promise<Page> => {
    const paging = {pageSize: Math.min(sizeMax, wanted), ...(token && {pageToken: token})}
    const page = ask(paging, all ? ahead : undefined)
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
    const next = newToken(envelope, seen)
    const asked = early?.token === next ? early?.page : undefined
    pending = next && left > 0 && many ? (asked ?? request(next, left)) : undefined
    early = undefined
    const cut = items.length - shown.length
    // A cut page is offered again as a whole: an item may be seen twice, none is skipped.
    const lines = () => (cut > 0 ? undefined : linesOf(envelope, itemsKey))
    yield {items: shown, envelope, resumeToken: cut > 0 ? token : next, lines, ...(cut > 0 && {cut})}
    token = next
  }
}

// Pages are as large as they can be, since most of their items may not match. A page with more matches than are still
// wanted is asked for again, so large that it ends with the last wanted one: then the token after it skips nothing.
async function* walkFiltered(
  ask: Ask,
  itemsKey: string,
  {limit, all, pageSize = pageSizeLargest, pageToken}: Walk,
  keep: Keep,
): AsyncGenerator<WalkedPage> {
  let left = limit ?? (all ? Number.POSITIVE_INFINITY : itemsShown)
  let size = pageSize
  const request = (token: string | undefined) => ask({pageSize: size, ...(token && {pageToken: token})})
  const seen = new Set(pageToken ? [pageToken] : [])
  let read: Read = {items: 0, pages: 0, unjudged: 0}
  let token = pageToken
  let pending: Promise<Page> | undefined = request(token)
  while (pending) {
    const envelope = await pending
    const items = envelope[itemsKey] as unknown[]
    const {places, unjudged} = sifted(items, keep)
    const lastWanted = places[left - 1]
    // Where the service sends more than it is asked for, asking for less would not help.
    if (places.length > left && lastWanted !== undefined && items.length <= size) {
      size = lastWanted + 1
      pending = request(token)
      continue
    }
    const shown = places.slice(0, left).map((place) => items[place])
    left -= shown.length
    read = {items: read.items + items.length, pages: read.pages + 1, unjudged: read.unjudged + unjudged}
    size = pageSize
    const next = newToken(envelope, seen)
    pending = next && left > 0 ? request(next) : undefined
    pending?.catch(() => {})
    const cut = places.length - shown.length
    yield {items: shown, envelope, resumeToken: cut > 0 ? token : next, ...(cut > 0 && {cut}), read}
    token = next
  }
}

// Where the items stand that match, and of how many that cannot be said.
function sifted(items: readonly unknown[], keep: Keep) {
  const places: number[] = []
  let unjudged = 0
  for (const [place, item] of items.entries()) {
    const verdict = keep(item as Parameters<Keep>[0])
    if (verdict) places.push(place)
    else if (verdict === undefined) unjudged++
  }
  return {places, unjudged}
}

// The token of the next page. One that comes again would lead the walk in a circle.
function newToken(envelope: Page, seen: Set<string>): string | undefined {
  const token = tokenOf(envelope)
  if (token === undefined) return undefined
  if (seen.has(token)) throw repeated(token)
  seen.add(token)
  return token
}

function repeated(token: string): SvcError {
  return new SvcError({
    error: 'PAGE_TOKEN_REPEATED',
    kind: 'unreachable',
    message: `The service gave the page token "${token}" twice, so the list would never end`,
    hint: 'Nothing is wrong with the command; tell whoever runs the service',
  })
}
