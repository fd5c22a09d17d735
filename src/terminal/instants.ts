// Instants as people write them: ISO 8601, a day or a time with its zone.
import {badUsage} from '../errors.ts'

// A time without a zone would be read by the local clock, which differs from machine to machine.
const instant = /^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d))?$/

// Date.parse takes 30 February for 2 March.
const isDay = (day: string) => new Date(Date.parse(day) || 0).toISOString().startsWith(day)

export function parseInstant(text: string, flag: string): number {
  const isWritten = instant.test(text) && isDay(text.slice(0, 'YYYY-MM-DD'.length))
  const ms = isWritten ? Date.parse(text.toUpperCase().replace(' ', 'T')) : Number.NaN
  if (!Number.isNaN(ms)) return ms
  throw badUsage(
    `${flag} "${text}" is not an instant`,
    'Write it with its zone, as 2030-01-01T00:00:00Z; a day alone begins at midnight in UTC',
  )
}
