// Reads the first page of a list that has items: a service may send empty pages before it, each with a token.
import {type Page, emptyPagesMax, takeNextToken} from './paging.ts'

// The last page that was read if none has items.
export async function readFirstItems<P extends Page>(
  fetchPage: (page: {pageToken?: string}) => Promise<P>,
  itemsKey: keyof P,
): Promise<P> {
  const seen = new Set<string>()
  let page = await fetchPage({})
  for (let left = emptyPagesMax; left > 0 && (page[itemsKey] as unknown[]).length === 0; left--) {
    const pageToken = takeNextToken(page, seen)
    if (pageToken === undefined) break
    page = await fetchPage({pageToken})
  }
  return page
}
