// What a database knows about itself: the seed its ids follow from, and the API key it takes.
import {instantOf} from '../time/clock.ts'
import type {Database} from './database.ts'
import {apiKeyFrom, randomSeed} from './ids.ts'

interface Settings {
  seed: string
  seedGiven: number
  apiKey: string
}

export interface Beginning {
  // Given, it makes every id, token and the API key follow from it; otherwise they are random.
  seed?: string | undefined
  // Given, the clock stands still at this instant from the start.
  frozenAt?: Date | undefined
}

export const settingsOf = (database: Database) =>
  database.one<Settings>('select seed, seedGiven, apiKey from sandbox') as Settings

export const apiKeyOf = (database: Database) => settingsOf(database).apiKey

// An API key is kept over a reset without a seed, so that clients which run are not cut off.
export function writeSettings(database: Database, {seed, frozenAt}: Beginning, keptApiKey?: string) {
  const effective = seed ?? randomSeed()
  database.run(
    'insert into sandbox (onlyRow, seed, seedGiven, apiKey, frozenAt) values (1, ?, ?, ?, ?)',
    effective,
    seed === undefined ? 0 : 1,
    (seed === undefined && keptApiKey) || apiKeyFrom(effective),
    frozenAt ? instantOf(frozenAt) : null,
  )
}
