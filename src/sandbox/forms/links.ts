// Links to the hosted forms. A link gives access to its form until it expires on the virtual clock.
import {createHmac} from 'node:crypto'
import type {Database} from '../store/database.ts'
import {deriveDigest} from '../store/ids.ts'
import {readSettings} from '../store/settings.ts'
import type {RequestContext} from '../service/request-context.ts'
import {isEqualSecret} from '../../values/text.ts'
import {dayMs} from '../../values/time.ts'

export type FormKind = 'verify' | 'bank-account'

// Every read of a customer or an account returns a link that works for this long and up to a day longer, so that the
// link stays the same for a whole day (docs/assumptions.md, F1).
export const linkLifetimeDays = 30

const dayRadix = 36
const sealLength = 16

// Derived from the seed, which is random unless it was given, and which never leaves the database.
const getSecret = (database: Database) => deriveDigest(readSettings(database).seed, 'forms')

// A message authentication code that only this database can create.
export const createSeal = (database: Database, ...words: (string | number)[]): string =>
  createHmac('sha256', getSecret(database)).update(JSON.stringify(words)).digest('hex')

const createLinkSeal = (database: Database, formToken: string, lastDay: number) =>
  createSeal(database, 'link', formToken, lastDay).slice(0, sealLength)

// The database stores only the token. The address, the last day and the seal are added when the link is read.
export function createFormLink({database, formsUrl, now}: RequestContext, kind: FormKind, formToken: string): string {
  const lastDay = Math.floor(now / dayMs) + linkLifetimeDays
  return `${formsUrl}/${kind}/${formToken}.${lastDay.toString(dayRadix)}.${createLinkSeal(database, formToken, lastDay)}`
}

export interface VerifiedLink {
  formToken: string
  hasExpired: boolean
}

// Returns undefined for a link that was not created by this database or was changed.
export function verifyLink({database, now}: RequestContext, sealedToken: string): VerifiedLink | undefined {
  const [formToken = '', day = '', seal = '', ...more] = sealedToken.split('.')
  const lastDay = Number.parseInt(day, dayRadix)
  if (more.length > 0 || lastDay.toString(dayRadix) !== day) return undefined
  if (!isEqualSecret(seal, createLinkSeal(database, formToken, lastDay))) return undefined
  return {formToken, hasExpired: now >= (lastDay + 1) * dayMs}
}
