// Walks a list of the service page by page, asking for the next page while the current one is being written.
import {SvcError, exitCodes} from '../errors.ts'

// A page is the service's own envelope: the items under their key, the next token, and whatever else it sent.
export type Page = Record<string, unknown> & {nextPageToken?: unknown}

export interface Walk {
  // Stop after this many items; without it, the walk is one page, or goes on to the end with `all`.
  limit?: number | undefined
  all?: boolean | undefined
  pageSize?: number | undefined
  pageToken?: string | undefined
}

export interface WalkedPage {
  items: unknown[]
  // The envelope of this page, for the fields that are not items.
  envelope: Page
  // The token from which a later walk goes on without skipping an item; absent at the end of the list.
  resumeToken?: string | undefined
  // Set where the service sent more items than it was asked for and some of them are not shown.
  cut?: number | undefined
}

const pageSizeShown = 20
const pageSizeLargest = 100

type Ask = (paging: {pageSize: number; pageToken?: string}) => Promise<Page>

// Some services count their pages, so a number is a token as well; anything else is none.
export function tokenOf({nextPageToken: token}: Page): string | undefined {
  if (token === undefined || token === null || token === '') return undefined
  if (typeof token === 'string') return token
  if (typeof token === 'number' || JSON.isRawJSON(token)) return JSON.stringify(token)
  throw new SvcError({
    error: 'PAGE_TOKEN_UNREADABLE',
    exitCode: exitCodes.unreachable,
    message: 'The service gave a page token that is neither text nor a number, so the list cannot go on',
    hint: 'Nothing is wrong with the command; tell whoever runs the service',
  })
}

export async function* walk(
  ask: Ask,
  itemsKey: string,
  {limit, all, pageSize, pageToken}: Walk,
): AsyncGenerator<WalkedPage> {
  const many = all || limit !== undefined
  const sizeMax = pageSize ?? (many ? pageSizeLargest : pageSizeShown)
  let left = limit ?? (all ? Number.POSITIVE_INFINITY : sizeMax)
  const request = (token: string | undefined, wanted: number) =>
    ask({pageSize: Math.min(sizeMax, wanted), ...(token && {pageToken: token})})
  const seen = new Set(pageToken ? [pageToken] : [])
  let token = pageToken
  let pending: Promise<Page> | undefined = request(token, left)
  while (pending) {
    const envelope = await pending
    const items = envelope[itemsKey] as unknown[]
    const shown = items.length > left ? items.slice(0, left) : items
    left -= shown.length
    const next = tokenOf(envelope)
    if (next && seen.has(next)) throw repeated(next)
    if (next) seen.add(next)
    pending = next && left > 0 && many ? request(next, left) : undefined
    // While this page is being written the next may fail; that is reported when its turn comes.
    pending?.catch(() => {})
    const cut = items.length - shown.length
    // A cut page is offered again as a whole: an item may be seen twice, none is skipped.
    yield {items: shown, envelope, resumeToken: cut > 0 ? token : next, ...(cut > 0 && {cut})}
    token = next
  }
}

function repeated(token: string): SvcError {
  return new SvcError({
    error: 'PAGE_TOKEN_REPEATED',
    exitCode: exitCodes.unreachable,
    message: `The service gave the page token "${token}" twice, so the list would never end`,
    hint: 'Nothing is wrong with the command; tell whoever runs the service',
  })
}
