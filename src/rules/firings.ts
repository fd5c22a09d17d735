// When a rule fires next, in UTC and by the clock on the wall here.
import {listNextFirings} from '../validation/schedule.ts'

export interface Firing {
  utc: string
  // The same instant by the local clock, with its distance from UTC: summer time moves the clock, not the instant.
  local: string
  // The day of the week by the local clock.
  weekday: string
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

// As the interface writes its timestamps.
export const toTimestamp = (instant: Date) => instant.toISOString().replace(/\.\d+Z$/, 'Z')

const twoDigits = (value: number) => String(value).padStart(2, '0')

const minutesInHour = 60
const msInMinute = 60_000

export function toFiring(instant: Date): Firing {
  const ahead = -instant.getTimezoneOffset()
  const distance = `${ahead < 0 ? '-' : '+'}${twoDigits(Math.floor(Math.abs(ahead) / minutesInHour))}:${twoDigits(Math.abs(ahead) % minutesInHour)}`
  const byClock = toTimestamp(new Date(instant.getTime() + ahead * msInMinute))
  return {
    utc: toTimestamp(instant),
    local: byClock.replace('Z', distance),
    weekday: weekdays[instant.getDay()] ?? '',
  }
}

// The name of the zone that the local times are in: TZ, or that of the system. Node has no name for one it does not know.
export const getLocalTimeZone = () =>
  (new Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined) ?? 'UTC'

// Undefined where the schedule cannot be read, which only a service could have sent.
export function listFirings(schedule: unknown, afterMs: number, count: number): Date[] | undefined {
  if (typeof schedule !== 'string') return undefined
  try {
    return listNextFirings(schedule, afterMs, count)
  } catch {
    return undefined
  }
}
