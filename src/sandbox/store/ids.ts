// Ids are derived from the seed of the database and a counter, so that the same requests give the same ids.
import {hash, randomBytes} from 'node:crypto'
import type {Database, PendingWrites} from './database.ts'
import {quoteText} from './caches.ts'

const randomSeedBytes = 16
const opaqueLength = 24

export const createRandomSeed = () => randomBytes(randomSeedBytes).toString('hex')

// JSON separates the words, so that ('a', 'bc') and ('ab', 'c') differ.
export const deriveDigest = (seed: string, ...words: (string | number)[]) =>
  hash('sha256', JSON.stringify([seed, ...words]))

const variants = '89ab'

// Formats a digest as a version 4 UUID. The version and variant bits replace those of the digest.
export function toUuid(digest: string): string {
  const variant = variants[Number.parseInt(digest.charAt(16), 16) & 0x3]
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`
}

interface Counter {
  seed: string
  idCount: number
}

const selectCounter = 'select seed, idCount from sandbox'

// Counts in memory, and stores the count once.
class PendingCounter implements PendingWrites {
  readonly #database: Database
  readonly counter: Counter

  constructor(database: Database) {
    this.#database = database
    this.counter = {...database.only<Counter>(selectCounter)}
  }

  write() {
    this.#database.run('update sandbox set idCount = ?', this.counter.idCount)
  }
}

const createPendingCounter = (database: Database) => new PendingCounter(database)

// Callers are in a transaction, so nobody else counts in between. A returning clause would take twice as long.
function countIds(database: Database, count: number): Counter {
  const counter = database.getDeferred(createPendingCounter)?.counter
  if (counter) {
    counter.idCount += count
    return counter
  }
  database.run('update sandbox set idCount = idCount + ?', count)
  return database.only<Counter>(selectCounter)
}

// The same as deriveDigest().
const deriveIdDigest = ({seed, idCount}: Counter, purpose: string): string =>
  hash('sha256', `[${quoteText(seed)},${quoteText(purpose)},${idCount}]`)

const deriveNextDigest = (database: Database, purpose: string): string => deriveIdDigest(countIds(database, 1), purpose)

export const createUuid = (database: Database, purpose: string) => toUuid(deriveNextDigest(database, purpose))

const toOpaqueId = (prefix: string, digest: string) => `${prefix}_${digest.slice(0, opaqueLength)}`

// Opaque ids and the tokens of form links have a prefix: 'form' gives form_5f2c….
export const createOpaqueId = (database: Database, prefix: string) =>
  toOpaqueId(prefix, deriveNextDigest(database, prefix))

// The next ids with a prefix: the same as if they were created one by one, but with one write for all of them.
export function createOpaqueIds(database: Database, prefix: string, count: number): string[] {
  const {seed, idCount} = countIds(database, count)
  return Array.from({length: count}, (_, index) =>
    toOpaqueId(prefix, deriveDigest(seed, prefix, idCount - count + index + 1)),
  )
}

export const deriveApiKey = (seed: string) => `svc_sandbox_${deriveDigest(seed, 'api key').slice(0, opaqueLength)}`
