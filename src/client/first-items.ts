// Reads the first page of a list that has items: a service may send empty pages before it, each with a token.
import {type Page, takeNextToken} from './paging.ts'

// The last page if no page has items.
export async function readFirstItems<P extends Page>(
  fetchPage: (page: {pageToken?: string}) => Promise<P>,
  itemsKey: keyof P,
): Promise<P> {
  const seen = new Set<string>()
  let page = await fetchPage({})
  while ((page[itemsKey] as unknown[]).length === 0) {
    const pageToken = takeNextToken(page, seen)
    if (pageToken === undefined) break
    page = await fetchPage({pageToken})
  }
  return page
}
