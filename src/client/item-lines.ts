// Cuts the items of a page out of the text that the service sent, as lines of JSON. Serializing them again would take as
// long as everything else about a page together.

import {findScannedPage} from './scanned-pages.ts'

// Attached to the page under a symbol, so that code which lists the page's fields does not see it.
const source = Symbol('the text that the page was parsed from')

export function attachText(page: object, text: string): void {
  Object.defineProperty(page, source, {value: text})
}

// Bytes if they were never text. They are ASCII then.
export type ItemLines = string | Buffer

type ListItem = Readonly<Record<string, unknown>>

function getFirstKey(item: ListItem): string | undefined {
  for (const key in item) return key
  return undefined
}

// Two objects in a list with whitespace between them, or with an unusual spelling of the first key of the second one. Such
// text could separate two items, while `},{` with the usual spelling occurs deeper inside an item instead.
const looseSeparator = /\}(?:[ \t]+,|,[ \t]+\{|,\{[ \t]+"|,\{"[^"\\]*(?:\\|"[ \t]))/

// Whether the text can be cut: it has no line breaks and no loose separators, and its list is the only one of that name. If the
// name came twice, also spelled with escapes, JSON.parse would have taken the second list.
const isCompact = (text: string, head: string, itemsKey: string) =>
  !text.includes('\n') &&
  !text.includes('\r') &&
  !text.includes('\\u') &&
  !text.includes(JSON.stringify(itemsKey), head.length) &&
  !looseSeparator.test(text)

// Cuts only compact text in which the list comes first and every item has the same first key. Then `},{` with that key
// separates the items. It cannot occur inside a string, because quotes are escaped there. If it occurs deeper inside an
// item, the number of pieces is wrong; and every line must start with the first field of its item. In every other case the
// result is undefined, and the items have to be serialized from their values.
export function cutItemLines(page: Readonly<Record<string, unknown>>, itemsKey: string): ItemLines | undefined {
  const scanned = findScannedPage(page)
  if (scanned) return scanned.lines
  const text = (page as {[source]?: string})[source]
  const {[itemsKey]: list, ...others} = page
  const items = list as readonly ListItem[]
  const key = items[0] && getFirstKey(items[0])
  if (text === undefined || key === undefined) return undefined
  const [head, first] = [`{${JSON.stringify(itemsKey)}:[`, `{${JSON.stringify(key)}:`]
  const rest = JSON.stringify(others)
  const tail = rest === '{}' ? ']}' : `],${rest.slice(1)}`
  if (!text.startsWith(head + first) || !text.endsWith(`}${tail}`) || !isCompact(text, head, itemsKey)) return undefined
  const pieces = text.slice(head.length + first.length, -tail.length).split(`,${first}`)
  if (pieces.length !== items.length) return undefined
  for (const [index, piece] of pieces.entries()) {
    const item = items[index] as ListItem
    if (getFirstKey(item) !== key || !piece.endsWith('}') || !piece.startsWith(JSON.stringify(item[key])))
      return undefined
  }
  return `${first}${pieces.join(`\n${first}`)}\n`
}
