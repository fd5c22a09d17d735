// When a rule fires next, in UTC and in local time.
import {listNextFirings} from '../values/schedules.ts'
import {padTwo, minuteMs} from '../values/time.ts'

export interface Firing {
  utc: string
  // The same instant in local time, with its UTC offset.
  local: string
  // The local day of the week.
  weekday: string
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

// In the format of the interface, without milliseconds.
export const toTimestamp = (instant: Date) => instant.toISOString().replace(/\.\d+Z$/, 'Z')

const minutesInHour = 60

export function toFiring(instant: Date): Firing {
  const offsetMinutes = -instant.getTimezoneOffset()
  const offset = `${offsetMinutes < 0 ? '-' : '+'}${padTwo(Math.floor(Math.abs(offsetMinutes) / minutesInHour))}:${padTwo(Math.abs(offsetMinutes) % minutesInHour)}`
  const localClock = toTimestamp(new Date(instant.getTime() + offsetMinutes * minuteMs))
  return {
    utc: toTimestamp(instant),
    local: localClock.replace('Z', offset),
    weekday: weekdays[instant.getDay()] ?? '',
  }
}

// From TZ or the system. Node returns no name for an unknown time zone.
export const getLocalTimeZone = () =>
  (new Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined) ?? 'UTC'

// Undefined if the schedule cannot be parsed, which can happen only with a rule from the service.
export function listFirings(schedule: unknown, afterMs: number, count: number): Date[] | undefined {
  if (typeof schedule !== 'string') return undefined
  try {
    return listNextFirings(schedule, afterMs, count)
  } catch {
    return undefined
  }
}

const weekdayLength = 3

const formatMinute = (timestamp: string) => timestamp.slice(0, 'YYYY-MM-DDThh:mm'.length).replace('T', ' ')

const shortenWeekday = (weekday: string | undefined) => weekday?.slice(0, weekdayLength)

export const formatUtc = (timestamp: string) =>
  `${shortenWeekday(weekdays[new Date(timestamp).getUTCDay()])} ${formatMinute(timestamp)} UTC`

// A local time ends with its UTC offset, such as 2026-03-27T10:00:00+01:00.
const offsetLength = '+01:00'.length

// The same instant in UTC, and in local time where that differs.
export function formatFiring({utc, local, weekday}: Firing): string {
  const offset = local.slice(-offsetLength)
  if (offset === '+00:00') return formatUtc(utc)
  return `${formatUtc(utc)}   ${shortenWeekday(weekday)} ${formatMinute(local)} ${offset}`
}
