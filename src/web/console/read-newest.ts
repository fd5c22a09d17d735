// Reads the newest items of a list, page by page, up to a limit, and finds those that match a search.
import type {ItemPage, PageQuery} from './source.ts'

const pageSizeMax = 100

export interface NewestItems<Item> {
  items: readonly Item[]
  // Whether the list goes on.
  isCut: boolean
}

export async function readNewest<Item>(
  readPage: (query: PageQuery) => Promise<ItemPage<Item>>,
  count: number,
): Promise<NewestItems<Item>> {
  const items: Item[] = []
  const seen = new Set<string>()
  let pageToken: string | undefined
  do {
    const page = await readPage({pageSize: Math.min(pageSizeMax, count - items.length), pageToken})
    items.push(...page.items.slice(0, count - items.length))
    pageToken = page.nextPageToken
    // A service that repeats a token would be read for ever.
    if (pageToken !== undefined && seen.has(pageToken)) break
    if (pageToken !== undefined) seen.add(pageToken)
    if (page.items.length === 0) break
  } while (pageToken !== undefined && items.length < count)
  return {items, isCut: pageToken !== undefined}
}

// Every word of the search must occur somewhere, whatever its case.
export function createMatcher(search: string): (texts: readonly unknown[]) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return (texts) => {
    const all = texts
      .filter((text) => typeof text === 'string')
      .join('\n')
      .toLowerCase()
    return words.every((word) => all.includes(word))
  }
}

// A page of a list that has no pages of its own, of which the newest items are read.
export async function readCutPage<Item>(
  readItems: (count: number) => Promise<readonly Item[]>,
  countMax: number,
  query: PageQuery,
): Promise<ItemPage<Item>> {
  const items = await readItems(countMax + 1)
  return cutPage(items.slice(0, countMax), query, items.length > countMax)
}

// A page of a list that was read as a whole. If there is more than was read, the token after the last item leads nowhere.
export function cutPage<Item>(items: readonly Item[], {pageSize, pageToken}: PageQuery, isCut = false): ItemPage<Item> {
  const start = Math.max(0, Number.parseInt(pageToken ?? '0', 10) || 0)
  const end = start + pageSize
  const hasMore = items.length > end || (isCut && start < items.length)
  return {items: items.slice(start, end), ...(hasMore && {nextPageToken: String(end)})}
}
