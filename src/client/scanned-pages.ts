// Pages that were checked in their bytes and not parsed yet (scan-page.ts), with what was cut out of them.

export interface ScannedPage {
  // The items as lines of JSON. Absent if they have characters that may have to be escaped.
  lines?: string
  // The ids of the items, if all have one.
  ids?: readonly string[]
}

// By the page, and by its list of items.
const scannedPages = new WeakMap<object, ScannedPage>()

export function keepScannedPage(page: object, items: object, scanned: ScannedPage): void {
  scannedPages.set(page, scanned)
  scannedPages.set(items, scanned)
}

export const findScannedPage = (pageOrItems: object): ScannedPage | undefined => scannedPages.get(pageOrItems)
