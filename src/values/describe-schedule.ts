// Describes a cron schedule in words, followed by its expression, which is exact where words are not.
import cronstrue from 'cronstrue'

// Starts with a capital and has no full stop.
export function describeSchedule(expression: string): string {
  try {
    return `${cronstrue.toString(expression, {use24HourTimeFormat: true})} (${expression}, UTC)`
  } catch {
    return `On the schedule ${expression} (UTC)`
  }
}
