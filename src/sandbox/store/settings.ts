// The settings in a sandbox's database, and its organizations: the seed from which ids are derived, the API key, the generation.
import {toClockInstant} from '../time/clock.ts'
import type {Database} from './database.ts'
import {createRandomSeed, deriveApiKey, deriveDigest} from './ids.ts'

interface Settings {
  seed: string
  seedGiven: number
  apiKey: string
  generation: number
}

export interface InitialSettings {
  // All ids, tokens and the API key are derived from it. By default it is random.
  seed?: string | undefined
  // Freezes the clock at this instant from the start.
  frozenAt?: Date | undefined
}

export const readSettings = (database: Database) =>
  database.only<Settings>('select seed, seedGiven, apiKey, generation from sandbox')

// Gives a copied sandbox a seed and an API key of its own.
export function renewSeed(database: Database): void {
  const seed = createRandomSeed()
  database.run('update sandbox set seed = ?, apiKey = ?', seed, deriveApiKey(seed))
}

export const readApiKey = (database: Database) => readSettings(database).apiKey

const identityLength = 24

// Changes with every reset and every restored snapshot, because what existed before may be gone.
export function readIdentity(database: Database): string {
  const {seed, generation} = readSettings(database)
  return deriveDigest(seed, 'identity', generation).slice(0, identityLength)
}

export const incrementGeneration = (database: Database, previous: number) =>
  database.run('update sandbox set generation = max(generation, ?) + 1', previous)

// A reset without a seed keeps the API key, so that running clients stay authenticated.
export function writeSettings(database: Database, {seed, frozenAt}: InitialSettings, previousApiKey?: string) {
  const effectiveSeed = seed ?? createRandomSeed()
  database.run(
    'insert into sandbox (onlyRow, seed, seedGiven, apiKey, frozenAt) values (1, ?, ?, ?, ?)',
    effectiveSeed,
    seed === undefined ? 0 : 1,
    (seed === undefined && previousApiKey) || deriveApiKey(effectiveSeed),
    frozenAt ? toClockInstant(frozenAt) : null,
  )
}

// Organizations own customers. The interface only shows their ids.
export interface Organization {
  organizationId: string
  name: string
}

export function insertOrganization(database: Database, {organizationId, name}: Organization) {
  database.run('insert into organizations (organizationId, name) values (?, ?)', organizationId, name)
}

export const listOrganizations = (database: Database): Organization[] =>
  database
    .all<Organization>('select organizationId, name from organizations order by seq')
    .map(({organizationId, name}) => ({organizationId, name}))

// The number under which transactions are listed.
export const findOrganizationSeq = (database: Database, organizationId: string): number | undefined =>
  database.one<{seq: number}>('select seq from organizations where organizationId = ?', organizationId)?.seq

// The API key belongs to the first organization, as do the customers created with it.
export function getHomeOrganizationId(database: Database): string {
  const [first] = listOrganizations(database)
  if (!first) throw new Error('The database has no organization')
  return first.organizationId
}
