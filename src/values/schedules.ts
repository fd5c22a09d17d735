// Validates cron schedules with five fields, and calculates when they fire, in UTC.
import {Cron} from 'croner'
import type {Problem} from '../contract/problems.ts'
import {countNoun} from './text.ts'

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

const fieldNames = ['minute', 'hour', 'day of the month', 'month', 'day of the week']

const isValid = (expression: string): boolean => {
  try {
    parseSchedule(expression)
    return true
  } catch {
    return false
  }
}

// Names the fields that cannot be, each tried between stars.
function explainInvalid(expression: string): string {
  const fields = expression.trim().split(/\s+/)
  if (fields.length !== fieldNames.length) return `: it has ${countNoun(fields.length, 'field')}`
  const wrong = fieldNames.flatMap((name, index) => {
    const alone = fieldNames.map((_, at) => (at === index ? fields[index] : '*')).join(' ')
    return isValid(alone) ? [] : [`its ${name} cannot be "${fields[index]}"`]
  })
  return wrong.length > 0 ? `: ${wrong.join(', ')}` : ''
}

export function validateSchedule(path: string, expression: string, nowMs: number): Problem | undefined {
  try {
    return getNextFiring(expression, nowMs) ? undefined : {path, isWarning: true, message: 'never fires'}
  } catch {
    const message = `is not a valid cron expression of five fields, such as "0 9 * * 1-5"${explainInvalid(expression)}`
    return foreignSigns.test(expression)
      ? {path, isWarning: true, message: `${message}, in a form that svc knows`}
      : {path, message}
  }
}

// Signs that no plain cron has, but a dialect may.
const foreignSigns = /[^\s\w*,/-]|(?:^|\s)H(?:[\s(/]|$)/
