// Parses an instant in ISO 8601: a day, or a time with its zone.
import {toInstantMs} from '../../values/time.ts'
import {badUsage} from '../../errors.ts'

// A time without a zone would mean another instant on another machine.
const dayOrZone = /^[\d-]+$|([Zz]|[+-]\d\d:?\d\d)$/

export function parseInstant(text: string, flag: string): number {
  const instant = dayOrZone.test(text) ? toInstantMs(text) : undefined
  if (instant !== undefined) return instant
  throw badUsage(
    `${flag} "${text}" is not a time`,
    'Write it with its zone, such as 2030-01-01T00:00:00Z; a day alone is midnight UTC',
  )
}
