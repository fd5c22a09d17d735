// Validates cron schedules with five fields, and calculates when they fire, in UTC.
import {Cron} from 'croner'
import type {Problem} from '../contract/problems.ts'

// Parsing an expression costs more than calculating its next firing, and a year of daily rules needs many firings.
const schedules = new Map<string, Cron>()

function parseSchedule(expression: string): Cron {
  const known = schedules.get(expression)
  if (known) return known
  const schedule = new Cron(expression, {mode: '5-part', timezone: 'UTC'})
  schedules.set(expression, schedule)
  return schedule
}

export const getNextFiring = (expression: string, afterMs: number): Date | undefined =>
  parseSchedule(expression).nextRun(new Date(afterMs)) ?? undefined

export const listNextFirings = (expression: string, afterMs: number, count: number): Date[] =>
  parseSchedule(expression).nextRuns(count, new Date(afterMs))

export function validateSchedule(path: string, expression: string, nowMs: number): Problem | undefined {
  try {
    return getNextFiring(expression, nowMs) ? undefined : {path, isWarning: true, message: 'never fires'}
  } catch {
    const message = 'is not a valid cron expression of five fields, such as "0 9 * * 1-5"'
    return foreignSigns.test(expression)
      ? {path, isWarning: true, message: `${message}, in a form that svc knows`}
      : {path, message}
  }
}

// Signs that no plain cron has, but a dialect may.
const foreignSigns = /[^\s\w*,/-]|(?:^|\s)H(?:[\s(/]|$)/
