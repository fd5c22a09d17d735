// What a database knows about itself: the seed its ids follow from, and the API key it takes.
import {toClockInstant} from '../time/clock.ts'
import type {Database} from './database.ts'
import {deriveApiKey, deriveDigest, createRandomSeed} from './ids.ts'

interface Settings {
  seed: string
  seedGiven: number
  apiKey: string
  generation: number
}

export interface InitialSettings {
  // Given, it makes every id, token and the API key follow from it; otherwise they are random.
  seed?: string | undefined
  // Given, the clock stands still at this instant from the start.
  frozenAt?: Date | undefined
}

export const readSettings = (database: Database) =>
  database.one<Settings>('select seed, seedGiven, apiKey, generation from sandbox') as Settings

export const readApiKey = (database: Database) => readSettings(database).apiKey

const identityLength = 24

// Which database this is: another one after a reset, and after going back to a copy, since what was made in it is gone.
export function readIdentity(database: Database): string {
  const {seed, generation} = readSettings(database)
  return deriveDigest(seed, 'identity', generation).slice(0, identityLength)
}

export const incrementGeneration = (database: Database, before: number) =>
  database.run('update sandbox set generation = max(generation, ?) + 1', before)

// An API key is kept over a reset without a seed, so that clients which run are not cut off.
export function writeSettings(database: Database, {seed, frozenAt}: InitialSettings, previousApiKey?: string) {
  const effective = seed ?? createRandomSeed()
  database.run(
    'insert into sandbox (onlyRow, seed, seedGiven, apiKey, frozenAt) values (1, ?, ?, ?, ?)',
    effective,
    seed === undefined ? 0 : 1,
    (seed === undefined && previousApiKey) || deriveApiKey(effective),
    frozenAt ? toClockInstant(frozenAt) : null,
  )
}
