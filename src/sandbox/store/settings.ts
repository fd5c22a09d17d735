// What a database knows about itself: the seed its ids follow from, and the API key it takes.
import {instantOf} from '../time/clock.ts'
import type {Database} from './database.ts'
import {apiKeyFrom, digestOf, randomSeed} from './ids.ts'

interface Settings {
  seed: string
  seedGiven: number
  apiKey: string
  beginnings: number
}

export interface Beginning {
  // Given, it makes every id, token and the API key follow from it; otherwise they are random.
  seed?: string | undefined
  // Given, the clock stands still at this instant from the start.
  frozenAt?: Date | undefined
}

export const settingsOf = (database: Database) =>
  database.one<Settings>('select seed, seedGiven, apiKey, beginnings from sandbox') as Settings

export const apiKeyOf = (database: Database) => settingsOf(database).apiKey

const identityLength = 24

// Which database this is: another one after a reset, and after going back to a copy, since what was made in it is gone.
export function identityOf(database: Database): string {
  const {seed, beginnings} = settingsOf(database)
  return digestOf(seed, 'identity', beginnings).slice(0, identityLength)
}

export const countBeginning = (database: Database, before: number) =>
  database.run('update sandbox set beginnings = max(beginnings, ?) + 1', before)

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
