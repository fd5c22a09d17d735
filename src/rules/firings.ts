// When a rule fires next, in UTC and in local time.
import {listNextFirings} from '../values/schedules.ts'

const firingsShown = 5

// None if the schedule cannot be parsed, which can happen only with a rule from the service.
export function listFirings(schedule: unknown, afterMs: number): string[] {
  if (typeof schedule !== 'string') return []
  try {
    return listNextFirings(schedule, afterMs, firingsShown).map(formatFiring)
  } catch {
    return []
  }
}

const parts = {
  weekday: 'short',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
} as const

// Such as: Mon 2026-03-30 09:00 UTC
function formatInZone(instant: Date, timeZone?: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {...parts, hourCycle: 'h23', timeZone, timeZoneName: 'short'})
  const found = Object.fromEntries(format.formatToParts(instant).map(({type, value}) => [type, value]))
  const {weekday, year, month, day, hour, minute, timeZoneName} = found
  return `${weekday} ${year}-${month}-${day} ${hour}:${minute} ${timeZoneName}`
}

// The same instant in UTC, and in local time where that differs.
function formatFiring(instant: Date): string {
  const utc = formatInZone(instant, 'UTC')
  return instant.getTimezoneOffset() === 0 ? utc : `${utc}   ${formatInZone(instant)}`
}
