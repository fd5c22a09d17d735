// When a rule fires next.
import {listNextFirings} from '../values/schedules.ts'
import {formatUtcTime} from '../values/time.ts'

const firingsShown = 5

const weekday = new Intl.DateTimeFormat('en-GB', {weekday: 'short', timeZone: 'UTC'})

// Such as: Mon 2026-03-30 09:00 UTC. None if the schedule cannot be parsed, which can happen only with a rule from the service.
export function listFirings(schedule: unknown, afterMs: number): string[] {
  if (typeof schedule !== 'string') return []
  try {
    return listNextFirings(schedule, afterMs, firingsShown).map(
      (instant) => `${weekday.format(instant)} ${formatUtcTime(instant.getTime())}`,
    )
  } catch {
    return []
  }
}
