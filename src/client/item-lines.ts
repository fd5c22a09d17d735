// The items of a page as lines of JSON, cut from the very text that the service sent: writing them anew takes as long as
// everything else about a page together.

// The text travels with the page, out of sight of whoever goes through its fields.
const source = Symbol('the text that the page was read from')

export function attachText(page: object, text: string): void {
  Object.defineProperty(page, source, {value: text})
}

type Item = Readonly<Record<string, unknown>>

function getFirstKey(item: Item): string | undefined {
  for (const key in item) return key
  return undefined
}

// Only text of the plainest form is cut: nothing between its tokens, the list first, every item with the same first key.
// Then `},{` with that key stands between items and, since quotes inside of text are escaped, never in text. Whether it also
// stands deeper inside an item shows in the count, and every line must begin with the first field of its item. In any other
// case there is no answer, and the items have to be written from their values.
export function cutItemLines(page: Readonly<Record<string, unknown>>, itemsKey: string): string | undefined {
  const text = (page as {[source]?: string})[source]
  const {[itemsKey]: list, ...others} = page
  const items = list as readonly Item[]
  const key = items[0] && getFirstKey(items[0])
  if (text === undefined || key === undefined) return undefined
  const [head, first] = [`{${JSON.stringify(itemsKey)}:[`, `{${JSON.stringify(key)}:`]
  const rest = JSON.stringify(others)
  const tail = rest === '{}' ? ']}' : `],${rest.slice(1)}`
  if (!text.startsWith(head + first) || !text.endsWith(`}${tail}`) || text.includes('\n') || text.includes('\r'))
    return undefined
  const pieces = text.slice(head.length + first.length, -tail.length).split(`,${first}`)
  if (pieces.length !== items.length) return undefined
  for (const [index, piece] of pieces.entries()) {
    const item = items[index] as Item
    if (getFirstKey(item) !== key || !piece.endsWith('}') || !piece.startsWith(JSON.stringify(item[key])))
      return undefined
  }
  return `${first}${pieces.join(`\n${first}`)}\n`
}
