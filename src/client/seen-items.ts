// Remembers which items of a list were shown, in eight bytes each, so that a list that has to be read again repeats none.
import {ScratchFile} from '../storage/scratch-file.ts'
import {findScannedPage} from './scanned-pages.ts'

export const idFields: Readonly<Record<string, string>> = {
  customers: 'customerId',
  transactions: 'transactionId',
  paymentAccounts: 'paymentAccountId',
}

// The id of an item. A pending account has an empty one, so the whole item stands in for it.
function getItemId(item: unknown, itemsKey: string): string {
  const id = (item as Readonly<Record<string, unknown>> | null)?.[idFields[itemsKey] ?? 'id']
  return typeof id === 'string' && id !== '' ? id : JSON.stringify(item)
}

const itemsRememberedMax = 2 ** 20
const capacityFirst = 2 ** 10
// Hashes are noted in parts of at most this many, a quarter of a megabyte. Further ones go to a file.
const partItemsMax = 2 ** 15
const wordsPerItem = 2

const seeds = [0xdeadbeef, 0x41c6ce57] as const
const characterFactors = [2654435761, 1597334677] as const
const mixFactors = [2246822507, 3266489909] as const

// A 64-bit hash (cyrb53) in two words: among a million items, the chance that any two are taken for one is about one in forty
// million. Written without intermediate objects, because it runs for every row of a long list.
function finishHash(words: Uint32Array, highSum: number, lowSum: number): void {
  const high = Math.imul(highSum ^ (highSum >>> 16), mixFactors[0]) ^ Math.imul(lowSum ^ (lowSum >>> 13), mixFactors[1])
  const low = Math.imul(lowSum ^ (lowSum >>> 16), mixFactors[0]) ^ Math.imul(high ^ (high >>> 13), mixFactors[1])
  words[0] = high
  // Zero marks a free slot.
  words[1] = low === 0 ? 1 : low
}

function hashText(words: Uint32Array, text: string): void {
  let high: number = seeds[0]
  let low: number = seeds[1]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, characterFactors[0])
    low = Math.imul(low ^ code, characterFactors[1])
  }
  finishHash(words, high, low)
}

const toBytes = (words: Uint32Array) => new Uint8Array(words.buffer)

// The same for text in ASCII that is still bytes.
function hashBytes(words: Uint32Array, bytes: Uint8Array, start: number, end: number): void {
  let high: number = seeds[0]
  let low: number = seeds[1]
  for (let at = start; at < end; at++) {
    const code = bytes[at] ?? 0
    high = Math.imul(high ^ code, characterFactors[0])
    low = Math.imul(low ^ code, characterFactors[1])
  }
  finishHash(words, high, low)
}

// Almost every list is read once, and then nobody asks what was in it. So hashes are only noted, one after the other and for a long
// list in a file, and the table in which they can be found is made for the first question.
export class SeenItems {
  // Whether there were more items than can be remembered.
  isFull = false
  readonly #itemsKey: string
  readonly #hash = new Uint32Array(wordsPerItem)
  #noted: Uint32Array[] = []
  readonly #file = new ScratchFile()
  #notedInLast = 0
  #table: Uint32Array | undefined
  // Items that were noted, and then those in the table.
  #count = 0

  constructor(itemsKey: string) {
    this.#itemsKey = itemsKey
  }

  has(item: unknown): boolean {
    const table = (this.#table ??= this.#createTable())
    hashText(this.#hash, getItemId(item, this.#itemsKey))
    return table[this.#findSlot(table) + 1] !== 0
  }

  add(items: readonly unknown[]): void {
    const ids = findScannedPage(items)?.ids
    for (let index = 0; index < items.length; index++) {
      if (this.#count === itemsRememberedMax) return this.#stop()
      if (ids) hashBytes(this.#hash, ids.bytes, ids.places[index * 2] ?? 0, ids.places[index * 2 + 1] ?? 0)
      else hashText(this.#hash, getItemId(items[index], this.#itemsKey))
      if (this.#table) this.#insertAndGrow(this.#table)
      else this.#note()
    }
  }

  // A list of which only a part is known cannot be read again.
  #stop(): void {
    this.isFull = true
    this.close()
  }

  // Forgets what was noted.
  close(): void {
    this.#noted = []
    this.#file.close()
  }

  #note(): void {
    let part = this.#noted.at(-1)
    if (!part || this.#notedInLast === part.length) {
      part = this.#beginPart(part)
      this.#notedInLast = 0
    }
    part[this.#notedInLast++] = this.#hash[0] ?? 0
    part[this.#notedInLast++] = this.#hash[1] ?? 0
    this.#count++
  }

  // A new part is as large as what was noted so far, so that a short list takes little. A part of the largest size is used again,
  // unless it cannot be written to the file.
  #beginPart(last: Uint32Array | undefined): Uint32Array {
    const items = Math.min(Math.max(this.#count, capacityFirst), partItemsMax)
    if (last?.length === partItemsMax * wordsPerItem && this.#file.append(toBytes(last))) return last.fill(0)
    const part = new Uint32Array(items * wordsPerItem)
    this.#noted.push(part)
    return part
  }

  // At most half full.
  #createTable(): Uint32Array {
    let capacity = capacityFirst
    while (capacity < this.#count * 2) capacity *= 2
    const table = new Uint32Array(capacity * wordsPerItem)
    this.#count = 0
    for (const part of this.#noted) this.#insertAll(table, part)
    const part = new Uint32Array(partItemsMax * wordsPerItem)
    for (let at = 0; at < this.#file.size; at += part.byteLength) {
      this.#file.read(toBytes(part), at)
      this.#insertAll(table, part)
    }
    this.close()
    return table
  }

  // The hashes of a part or of a smaller table.
  #insertAll(table: Uint32Array, words: Uint32Array): void {
    for (let at = 0; at < words.length; at += wordsPerItem) {
      if (words[at + 1] === 0) continue
      this.#hash[0] = words[at] ?? 0
      this.#hash[1] = words[at + 1] ?? 0
      this.#insert(table)
    }
  }

  #insertAndGrow(table: Uint32Array): void {
    this.#insert(table)
    if (this.#count * 2 * wordsPerItem <= table.length) return
    this.#table = new Uint32Array(table.length * 2)
    this.#count = 0
    this.#insertAll(this.#table, table)
  }

  #insert(table: Uint32Array): void {
    const slot = this.#findSlot(table)
    if (table[slot + 1] !== 0) return
    table[slot] = this.#hash[0] ?? 0
    table[slot + 1] = this.#hash[1] ?? 0
    this.#count++
  }

  // The slot of the hash, or the free one in which it belongs. The length of the table is a power of two.
  #findSlot(table: Uint32Array): number {
    const high = this.#hash[0] ?? 0
    const low = this.#hash[1] ?? 0
    const mask = table.length - 1
    let slot = (low * wordsPerItem) & mask
    while (table[slot + 1] !== 0 && (table[slot + 1] !== low || table[slot] !== high))
      slot = (slot + wordsPerItem) & mask
    return slot
  }
}
