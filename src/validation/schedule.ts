// Judges a cron schedule and says when it fires: five fields, in UTC.
import {Cron} from 'croner'
import type {Problem} from '../contract/problems.ts'

// Parsing an expression costs more than asking it for the next instant, and a year of daily rules asks often.
const schedules = new Map<string, Cron>()

function parseSchedule(expression: string): Cron {
  const known = schedules.get(expression)
  if (known) return known
  const schedule = new Cron(expression, {mode: '5-part', timezone: 'UTC'})
  schedules.set(expression, schedule)
  return schedule
}

// The first instant after `afterMs` at which it fires, if there ever is one.
export const getNextFiring = (expression: string, afterMs: number): Date | undefined =>
  parseSchedule(expression).nextRun(new Date(afterMs)) ?? undefined

export const listNextFirings = (expression: string, afterMs: number, count: number): Date[] =>
  parseSchedule(expression).nextRuns(count, new Date(afterMs))

export function validateSchedule(path: string, expression: string, nowMs: number): Problem | undefined {
  try {
    return getNextFiring(expression, nowMs) ? undefined : {path, message: 'never fires'}
  } catch {
    return {path, message: 'is not a cron expression of five fields, such as "0 9 * * 1-5"'}
  }
}
