// Links to the hosted forms: whoever has one may fill in the form, until it expires on the virtual clock.
import {createHmac, timingSafeEqual} from 'node:crypto'
import type {Database} from '../store/database.ts'
import {deriveDigest} from '../store/ids.ts'
import {readSettings} from '../store/settings.ts'
import type {RequestContext} from '../request-context.ts'

export type FormKind = 'verify' | 'bank-account'

// Every reading of a customer or an account gives a link that lives this long, and up to a day longer, so that it is the
// same for a whole day (docs/assumptions.md, F1).
export const linkLifetimeDays = 30

const dayMs = 86_400_000
const dayRadix = 36
const sealLength = 16

// Follows from the seed, which is random unless it was given, and never leaves the database.
const getSecret = (database: Database) => deriveDigest(readSettings(database).seed, 'forms')

// A seal that only this database can put on these words.
export const createSeal = (database: Database, ...words: (string | number)[]): string =>
  createHmac('sha256', getSecret(database)).update(JSON.stringify(words)).digest('hex')

export function isSealValid(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const createLinkSeal = (database: Database, formToken: string, lastDay: number) =>
  createSeal(database, 'link', formToken, lastDay).slice(0, sealLength)

// What stands in the database is the token alone. Its address, its last day and the seal on that are added when it is read.
export function createFormLink({database, formsUrl, now}: RequestContext, kind: FormKind, formToken: string): string {
  const lastDay = Math.floor(now / dayMs) + linkLifetimeDays
  return `${formsUrl}/${kind}/${formToken}.${lastDay.toString(dayRadix)}.${createLinkSeal(database, formToken, lastDay)}`
}

// The token, whatever else of the link it comes with.
export const getFormToken = (sealedToken: string): string => sealedToken.split('.', 1)[0] ?? ''

export interface VerifiedLink {
  formToken: string
  hasExpired: boolean
}

// The last piece of a link; undefined where it was not made here, or somebody changed it.
export function verifyLink({database, now}: RequestContext, sealedToken: string): VerifiedLink | undefined {
  const [formToken = '', day = '', seal = '', ...more] = sealedToken.split('.')
  const lastDay = Number.parseInt(day, dayRadix)
  if (more.length > 0 || lastDay.toString(dayRadix) !== day) return undefined
  if (!isSealValid(seal, createLinkSeal(database, formToken, lastDay))) return undefined
  return {formToken, hasExpired: now >= (lastDay + 1) * dayMs}
}
