// A page that svc opened or printed: what it is, whose it is, and its address. In a pipe only the address is printed.
import {openLink} from './browser.ts'
import {cleanText} from './output/clean.ts'
import type {ItemResult} from './output/result.ts'
import type {View} from './output/view.ts'

export interface OpenedPage {
  page: 'verification form' | 'bank account form' | 'payment page'
  // The id of the customer or transaction that it belongs to.
  id: string
  url: string
}

export const openedPageView: View<OpenedPage> = {
  singular: 'page',
  plural: 'pages',
  columns: [
    {name: 'page', header: 'PAGE', value: ({page}) => page, rank: 1},
    {name: 'id', header: 'OF', value: ({id}) => id, rank: 2},
    {name: 'url', short: 'link', header: 'ADDRESS', value: ({url}) => url, rank: 0},
  ],
}

// Opens a page that needs no server of svc's own, and returns it to be printed.
export async function openPage(
  page: OpenedPage,
  isOpening: boolean,
  notice: (text: string) => void,
): Promise<ItemResult<OpenedPage>> {
  if (isOpening) {
    const problem = await openLink(page.url)
    notice(problem ? `The page was not opened: ${problem}.` : 'The page was opened in the browser.')
  }
  return toPageResult(page)
}

export const toPageResult = (value: OpenedPage): ItemResult<OpenedPage> => ({
  kind: 'item',
  value,
  view: openedPageView,
  // A pipe gets the address alone, for `xdg-open "$(svc open …)"`.
  ...(process.stdout.isTTY ? {} : {render: ({url}: OpenedPage) => `${cleanText(url)}\n`}),
})
