// Reads a page of a long list without parsing it: its items are lines that were cut out of its bytes, after these were checked. They
// are parsed if anybody looks at them.
import {isAscii, isUtf8} from 'node:buffer'
import {getCompiledShape} from '../contract/match-shape.ts'
import {type Scan, createScannedShape, scanValue} from '../contract/scan-shape.ts'
import {rejected} from '../contract/scan-text.ts'
import {type WireEndpoint, definitions} from '../contract/wire.frozen.ts'
import type {ReplyBody} from './connection.ts'
import {type ScannedPage, scannedPage} from './scanned-pages.ts'
import {idFields} from './seen-items.ts'

const lineBreak = 0x0a
// Pages that cannot be read in this way, after which the rest of the list is parsed at once.
const failuresMax = 3

export type ScanPage = (body: ReplyBody) => object | undefined

// A scanner for the pages of one list. The result is undefined for a page that has to be parsed. Otherwise the bytes are kept, and
// nobody else may change them.
export function createPageScanner(endpoint: WireEndpoint): ScanPage {
  const itemsKey = endpoint.items ?? ''
  const names = {itemsKey, idField: idFields[itemsKey] ?? ''}
  const shape = createScannedShape(getCompiledShape(endpoint.reply, definitions), names)
  let objects = 0
  let failures = 0
  return (body) => {
    if (failures === failuresMax) return undefined
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const isPlain = isAscii(bytes)
    const scan: Scan = {bytes, isAscii: isPlain, objects, listStart: 0, separators: [], ids: [], idStart: 0, idEnd: 0}
    const end = isPlain || isUtf8(bytes) ? scanValue(scan, 0, shape, 0) : rejected
    objects = scan.objects
    if (end === bytes.length && scan.separators.length > 0) return createPage(itemsKey, bytes, scan)
    failures++
    return undefined
  }
}

// The page with the fields around its list, which are parsed, and items that are parsed when they are first used.
function createPage(itemsKey: string, bytes: Buffer, {isAscii: isPlain, listStart, separators, ids}: Scan): object {
  const listEnd = separators.at(-1) ?? 0
  const around = bytes.toString('utf8', 0, listStart) + bytes.toString('utf8', listEnd)
  const page = JSON.parse(around) as Record<string, unknown>
  const list = bytes.subarray(listStart, listEnd + 1)
  // What separates the items becomes a line break. Inside of an item there is none.
  if (isPlain) for (const at of separators) bytes[at] = lineBreak
  const scanned: ScannedPage = {
    ...(isPlain && ids.length === separators.length * 2 && {ids: {bytes, places: ids}}),
    ...(isPlain && {lines: list}),
  }
  page[itemsKey] = createLazyItems(separators.length, scanned, () => parseItems(list))
  Object.defineProperty(page, scannedPage, {value: scanned})
  return page
}

// From the bytes behind the opening bracket: the items are separated by commas or by line breaks, and so is the end.
const parseItems = (list: Buffer) =>
  JSON.parse(`[${list.toString('utf8', 0, list.length - 1).replaceAll('\n', ',')}]`) as unknown[]

// An array that knows its length, and is filled when anything else of it is used.
function createLazyItems(length: number, scanned: ScannedPage, read: () => unknown[]): unknown[] {
  let isFilled = false
  const fill = (target: unknown[]) => {
    if (isFilled) return
    isFilled = true
    for (const item of read()) target.push(item)
  }
  return new Proxy<unknown[]>([], {
    get(target, key, receiver) {
      if (key === scannedPage) return scanned
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
