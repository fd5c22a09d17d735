// Pages that were checked in their bytes and not parsed yet (scan-page.ts), with what was cut out of them.

// Each id is two numbers, where it begins and where it ends. Ids are in ASCII.
export interface ScannedIds {
  bytes: Buffer
  places: readonly number[]
}

export interface ScannedPage {
  // The items as lines of JSON, in ASCII. Absent if they have characters that may have to be escaped.
  lines?: Buffer
  // The ids of the items, if all have one.
  ids?: ScannedIds
}

// By the page, and by its list of items.
const scannedPages = new WeakMap<object, ScannedPage>()

export function keepScannedPage(page: object, items: object, scanned: ScannedPage): void {
  scannedPages.set(page, scanned)
  scannedPages.set(items, scanned)
}

export const findScannedPage = (pageOrItems: object): ScannedPage | undefined => scannedPages.get(pageOrItems)
