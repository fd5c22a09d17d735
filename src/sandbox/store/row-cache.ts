// Rows that are read once while writes are deferred. Nobody changes them meanwhile, and nothing is written.
import type {Database, PendingWrites} from './database.ts'

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
