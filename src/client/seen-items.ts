// Remembers which items of a list were shown, in eight bytes each, so that a list that has to be read again repeats none.

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

// The table is at most half full, so it takes up to 16 MB.
const itemsRememberedMax = 2 ** 20
const capacityFirst = 2 ** 10
const wordsPerItem = 2

const seeds = [0xdeadbeef, 0x41c6ce57] as const
const characterFactors = [2654435761, 1597334677] as const
const mixFactors = [2246822507, 3266489909] as const

// A 64-bit hash (cyrb53) in two words: among a million items, the chance that any two are taken for one is about one in forty
// million. Written without intermediate objects, because it runs for every row of a long list.
function hashInto(words: Uint32Array, text: string): void {
  let high: number = seeds[0]
  let low: number = seeds[1]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, characterFactors[0])
    low = Math.imul(low ^ code, characterFactors[1])
  }
  high = Math.imul(high ^ (high >>> 16), mixFactors[0]) ^ Math.imul(low ^ (low >>> 13), mixFactors[1])
  low = Math.imul(low ^ (low >>> 16), mixFactors[0]) ^ Math.imul(high ^ (high >>> 13), mixFactors[1])
  words[0] = high
  // Zero marks a free slot.
  words[1] = low === 0 ? 1 : low
}

export class SeenItems {
  // Whether there were more items than can be remembered.
  isFull = false
  readonly #itemsKey: string
  readonly #hash = new Uint32Array(wordsPerItem)
  #words = new Uint32Array(capacityFirst * wordsPerItem)
  #count = 0

  constructor(itemsKey: string) {
    this.#itemsKey = itemsKey
  }

  has(item: unknown): boolean {
    hashInto(this.#hash, getItemId(item, this.#itemsKey))
    return this.#words[this.#findSlot() + 1] !== 0
  }

  add(items: readonly unknown[]): void {
    const ids = findScannedPage(items)?.ids
    for (let index = 0; index < items.length; index++) {
      if (this.#count === itemsRememberedMax) {
        this.isFull = true
        return
      }
      if (this.#count * 2 * wordsPerItem >= this.#words.length) this.#grow()
      hashInto(this.#hash, ids?.[index] ?? getItemId(items[index], this.#itemsKey))
      this.#insert()
    }
  }

  #insert(): void {
    const slot = this.#findSlot()
    if (this.#words[slot + 1] !== 0) return
    this.#words[slot] = this.#hash[0] ?? 0
    this.#words[slot + 1] = this.#hash[1] ?? 0
    this.#count++
  }

  // The slot of the hash, or the free one in which it belongs. The length of the table is a power of two.
  #findSlot(): number {
    const words = this.#words
    const high = this.#hash[0] ?? 0
    const low = this.#hash[1] ?? 0
    const mask = words.length - 1
    let slot = (low * wordsPerItem) & mask
    while (words[slot + 1] !== 0 && (words[slot + 1] !== low || words[slot] !== high))
      slot = (slot + wordsPerItem) & mask
    return slot
  }

  #grow(): void {
    const old = this.#words
    this.#words = new Uint32Array(old.length * 2)
    this.#count = 0
    for (let slot = 0; slot < old.length; slot += wordsPerItem) {
      if (old[slot + 1] === 0) continue
      this.#hash[0] = old[slot] ?? 0
      this.#hash[1] = old[slot + 1] ?? 0
      this.#insert()
    }
  }
}
