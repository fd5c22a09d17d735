// Parses durations such as 30s, 5m and 2h, where a plain number is seconds, and instants in ISO 8601: a day, or a time with its zone.
import {badUsage} from '../../errors.ts'
import {dayMs, readDurationMs, toInstantMs} from '../../values/time.ts'

// Node's timers cannot wait longer than this.
const durationMsMax = 2 ** 31 - 1

export function parseDuration(text: string, flag: string, msMax = durationMsMax): number {
  const ms = readDurationMs(text)
  if (ms === undefined)
    throw badUsage(`${flag} "${text}" is not a duration`, 'Write 30s, 5m or 2h; a plain number is seconds')
  if (ms < 1 || ms > msMax) {
    const daysMax = Math.floor(msMax / dayMs)
    throw badUsage(`${flag} "${text}" is out of range`, `Use 1ms to ${daysMax}d`)
  }
  return ms
}

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
