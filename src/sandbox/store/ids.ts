// Identifiers: each follows from the database's seed and a count, so that the same requests give the same ids.
import {hash, randomBytes} from 'node:crypto'
import type {Database} from './database.ts'

const randomSeedBytes = 16
const opaqueLength = 24

export const createRandomSeed = () => randomBytes(randomSeedBytes).toString('hex')

// The words are kept apart by JSON, so that ('a', 'bc') and ('ab', 'c') differ.
export const deriveDigest = (seed: string, ...words: (string | number)[]) =>
  hash('sha256', JSON.stringify([seed, ...words]))

// The form of a version 4 UUID: where its version and variant stand, the digest gives way.
export function toUuid(digest: string): string {
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 0x3) | 0x8).toString(16)
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `4${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-')
}

function deriveNextDigest(database: Database, purpose: string): string {
  const {seed, idCount} = database.one<{seed: string; idCount: number}>(
    'update sandbox set idCount = idCount + 1 returning seed, idCount',
  ) as {seed: string; idCount: number}
  return deriveDigest(seed, purpose, idCount)
}

export const createUuid = (database: Database, purpose: string) => toUuid(deriveNextDigest(database, purpose))

// Ids that the interface calls opaque carry a prefix, and so do the tokens of form links: 'form' gives form_5f2c….
export const createOpaqueId = (database: Database, prefix: string) =>
  `${prefix}_${deriveNextDigest(database, prefix).slice(0, opaqueLength)}`

export const deriveApiKey = (seed: string) => `svc_sandbox_${deriveDigest(seed, 'api key').slice(0, opaqueLength)}`
