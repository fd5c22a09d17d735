// The ids of a page that was scanned and not parsed, as text.
import {findScannedPage} from '../../src/client/scanned-pages.ts'

export function readScannedIds(page: object = {}): string[] | undefined {
  const ids = findScannedPage(page)?.ids
  return ids?.places.flatMap((start, index) =>
    index % 2 === 0 ? [ids.bytes.toString('latin1', start, ids.places[index + 1])] : [],
  )
}
