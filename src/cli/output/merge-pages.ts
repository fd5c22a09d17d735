// Puts several pages of a list together, for work that takes a while to begin, such as starting jq.
import type {WalkedPage} from '../../client/paging.ts'

const pagesAtOnce = 10

// The first page comes alone, so that something is shown at once. What was read before a failure is not lost.
export async function* mergePages(pages: AsyncIterable<WalkedPage>): AsyncGenerator<WalkedPage> {
  let merged: WalkedPage | undefined
  let count = pagesAtOnce - 1
  try {
    for await (const {lines: _, ...page} of pages) {
      merged = merged ? {...page, items: [...merged.items, ...page.items]} : page
      if (++count < pagesAtOnce) continue
      yield merged
      merged = undefined
      count = 0
    }
  } catch (error) {
    if (merged) yield merged
    throw error
  }
  if (merged) yield merged
}
