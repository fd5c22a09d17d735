// What is read or computed once: rows while writes are deferred, and results of texts that come often.
import type {Database, PendingWrites} from './database.ts'

// Nobody changes the rows meanwhile, and nothing is written.
class RowCache<Row> implements PendingWrites {
  readonly #rows = new Map<string, Row>()

  find(key: string, read: () => Row): Row {
    const known = this.#rows.get(key)
    if (known !== undefined) return known
    const row = read()
    if (row !== undefined) this.#rows.set(key, row)
    return row
  }

  write() {}
}

// A function that reads by a key, from memory where that is allowed.
export function createDeferredCache<Row>() {
  const createCache = () => new RowCache<Row>()
  return (database: Database, key: string, read: () => Row): Row => {
    const cache = database.getDeferred(createCache)
    return cache ? cache.find(key, read) : read()
  }
}

// The same for rows that are read by their key alone.
export function cacheWhileDeferred<Row>(read: (database: Database, key: string) => Row) {
  const find = createDeferredCache<Row>()
  return (database: Database, key: string): Row => find(database, key, () => read(database, key))
}

// Keeps what was computed from the texts that came last. Rules and payments use the same ids and amounts many times.
const resultsMax = 5_000

export function memoizeByText<T>(compute: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>()
  return (text) => {
    const known = results.get(text)
    if (known !== undefined) return known
    const result = compute(text)
    if (results.size >= resultsMax) results.clear()
    results.set(text, result)
    return result
  }
}

// The text as JSON.
export const quoteText = memoizeByText((text) => JSON.stringify(text))
