// Ids are derived from the seed of the database and a counter, so that the same requests give the same ids.
import {hash, randomBytes} from 'node:crypto'
import type {Database} from './database.ts'

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

// Callers are in a transaction, so nobody else counts in between. A returning clause would take twice as long.
function deriveNextDigest(database: Database, purpose: string): string {
  database.run('update sandbox set idCount = idCount + 1')
  const {seed, idCount} = database.only<{seed: string; idCount: number}>('select seed, idCount from sandbox')
  return deriveDigest(seed, purpose, idCount)
}

export const createUuid = (database: Database, purpose: string) => toUuid(deriveNextDigest(database, purpose))

// Opaque ids and the tokens of form links have a prefix: 'form' gives form_5f2c….
export const createOpaqueId = (database: Database, prefix: string) =>
  `${prefix}_${deriveNextDigest(database, prefix).slice(0, opaqueLength)}`

export const deriveApiKey = (seed: string) => `svc_sandbox_${deriveDigest(seed, 'api key').slice(0, opaqueLength)}`
