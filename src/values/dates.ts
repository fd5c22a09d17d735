// Calculates with calendar dates, written YYYY-MM-DD.
import {dateMessage} from '../contract/date-message.ts'
import type {Problem} from '../contract/problems.ts'

const dateLength = 'YYYY-MM-DD'.length

// The date of an instant, in UTC as all times of the interface.
export const toIsoDate = (instant: number): string => new Date(instant).toISOString().slice(0, dateLength)

// A day that exists: not 2026-02-30.
function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const instant = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(instant) && toIsoDate(instant) === text
}

// Dates in this format compare correctly as text.
export function validatePastDate(path: string, day: string, today: string): Problem | undefined {
  if (!isCalendarDate(day)) return {path, message: dateMessage}
  return day > today ? {path, isWarning: true, message: `is in the future: today is ${today}`} : undefined
}

const splitDate = (day: string) => day.split('-').map(Number) as [year: number, month: number, dayOfMonth: number]

// In completed years. A person born on 29 February turns a year older on 1 March.
export function calculateAge(today: string, born: string): number {
  const [year, month, dayOfMonth] = splitDate(today)
  const [bornYear, bornMonth, bornDay] = splitDate(born)
  const isBefore = month < bornMonth || (month === bornMonth && dayOfMonth < bornDay)
  return year - bornYear - (isBefore ? 1 : 0)
}

// The same day a number of months earlier, or the last day of that month if it is shorter.
export function subtractMonths(today: string, months: number): string {
  const [year, month, dayOfMonth] = splitDate(today)
  const lastDay = new Date(Date.UTC(year, month - months, 0)).getUTCDate()
  return toIsoDate(Date.UTC(year, month - 1 - months, Math.min(dayOfMonth, lastDay)))
}
