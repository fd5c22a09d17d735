// Pages that were checked in their bytes and not parsed yet (scan-page.ts), with what was cut out of them.

// Each id is two numbers, where it begins and where it ends. Ids are in ASCII.
interface ScannedIds {
  bytes: Buffer
  places: readonly number[]
}

export interface ScannedPage {
  // The items as lines of JSON, in ASCII. Absent if they have characters that may have to be escaped.
  lines?: Buffer
  // The ids of the items, if all have one.
  ids?: ScannedIds
}

// Attached to the page and to its list of items under a symbol, so that code which lists the fields does not see it. A WeakMap would
// keep pages until V8 collects old objects, which it seldom does for a list: the pages have few objects, and much memory beside them.
export const scannedPage = Symbol('what was cut out of the page')

export const findScannedPage = (pageOrItems: object): ScannedPage | undefined =>
  (pageOrItems as {[scannedPage]?: ScannedPage})[scannedPage]
