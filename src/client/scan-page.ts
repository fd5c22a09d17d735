// Reads a page of a long list without parsing it: its items are lines that were cut out of its bytes, after these were checked. They
// are parsed if anybody looks at them.
import {getCompiledShape} from '../contract/match-shape.ts'
import {type Scan, createScannedShape, scanValue} from '../contract/scan-shape.ts'
import {type WireEndpoint, definitions} from '../contract/wire.frozen.ts'
import {type ScannedPage, keepScannedPage} from './scanned-pages.ts'
import {idFields} from './seen-items.ts'

const lineBreak = 0x0a
// Pages that cannot be read in this way, after which the rest of the list is parsed at once.
const failuresMax = 3

export type ScanPage = (text: string) => object | undefined

// A scanner for the pages of one list. The result is undefined for a page that has to be parsed.
export function createPageScanner(endpoint: WireEndpoint): ScanPage {
  const itemsKey = endpoint.items ?? ''
  const names = {itemsKey, idField: idFields[itemsKey] ?? ''}
  const shape = createScannedShape(getCompiledShape(endpoint.reply, definitions), names)
  let buffer = Buffer.alloc(0)
  let objects = 0
  let failures = 0
  return (text) => {
    if (failures === failuresMax) return undefined
    const size = Buffer.byteLength(text)
    // Twice as much as is needed, so that it does not grow with every page that is a little longer.
    if (buffer.length <= size) buffer = Buffer.alloc(size * 2 + 1)
    const isAscii = size === text.length
    buffer.write(text, isAscii ? 'latin1' : 'utf8')
    buffer[size] = 0
    const scan: Scan = {bytes: buffer, isAscii, objects, listStart: 0, separators: [], ids: [], idStart: 0, idEnd: 0}
    const end = scanValue(scan, 0, shape, 0)
    objects = scan.objects
    if (end === size && scan.separators.length > 0) return createPage(text, itemsKey, buffer.subarray(0, size), scan)
    failures++
    return undefined
  }
}

// The page with the fields around its list, which are parsed, and items that are parsed when they are first used.
function createPage(text: string, itemsKey: string, buffer: Buffer, scan: Scan): object {
  const {listStart, separators, ids, isAscii} = scan
  const listEnd = separators.at(-1) ?? 0
  const around = buffer.toString('utf8', 0, listStart) + buffer.toString('utf8', listEnd)
  const page = JSON.parse(around) as Record<string, unknown>
  const items = createLazyItems(
    separators.length,
    () => (JSON.parse(text) as Record<string, unknown[]>)[itemsKey] ?? [],
  )
  page[itemsKey] = items
  const scanned: ScannedPage = {
    ...(isAscii && ids.length === separators.length * 2 && {ids: readIds(buffer, ids)}),
    ...(isAscii && {lines: readLines(buffer, listStart, separators)}),
  }
  keepScannedPage(page, items, scanned)
  return page
}

function readIds(buffer: Buffer, places: readonly number[]): string[] {
  const ids: string[] = []
  for (let index = 0; index < places.length; index += 2)
    ids.push(buffer.toString('latin1', places[index], places[index + 1]))
  return ids
}

// What separates the items becomes a line break, in the bytes that are used for the next page anyway.
function readLines(buffer: Buffer, listStart: number, separators: readonly number[]): string {
  for (const at of separators) buffer[at] = lineBreak
  return buffer.toString('latin1', listStart, (separators.at(-1) ?? 0) + 1)
}

// An array that knows its length, and is filled when anything else of it is used.
function createLazyItems(length: number, read: () => unknown[]): unknown[] {
  let isFilled = false
  const fill = (target: unknown[]) => {
    if (isFilled) return
    isFilled = true
    for (const item of read()) target.push(item)
  }
  return new Proxy<unknown[]>([], {
    get(target, key, receiver) {
      if (key === 'length' && !isFilled) return length
      fill(target)
      return Reflect.get(target, key, receiver) as unknown
    },
    has(target, key) {
      fill(target)
      return Reflect.has(target, key)
    },
    ownKeys(target) {
      fill(target)
      return Reflect.ownKeys(target)
    },
    getOwnPropertyDescriptor(target, key) {
      fill(target)
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
    set(target, key, value, receiver) {
      fill(target)
      return Reflect.set(target, key, value, receiver)
    },
    deleteProperty(target, key) {
      fill(target)
      return Reflect.deleteProperty(target, key)
    },
    defineProperty(target, key, descriptor) {
      fill(target)
      return Reflect.defineProperty(target, key, descriptor)
    },
  })
}
