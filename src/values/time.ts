// Times, calendar dates and durations, read and written. All are in UTC, as in the interface.
import {dateMessage} from '../contract/vocabulary.ts'
import type {Problem} from '../contract/problems.ts'
import {badUsage} from '../errors.ts'

export const secondMs = 1000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs
export const leapYearMs = 366 * dayMs

const unitsMs: Readonly<Record<string, number>> = {ms: 1, s: secondMs, m: minuteMs, h: hourMs, d: dayMs}

export const durationPattern = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/

// Reads durations such as 30s, 5m, 2h and 7d. A plain number is seconds. Undefined if the text is not a duration.
export function readDurationMs(text: string): number | undefined {
  const [, number, unit = 's'] = durationPattern.exec(text.trim()) ?? []
  const ms = Math.round(Number(number) * (unitsMs[unit] ?? Number.NaN))
  return Number.isNaN(ms) ? undefined : ms
}

// A duration in its two largest units: 45 s, 3 min 5 s, 2 h 10 min, 3 d 4 h.
export function formatDuration(ms: number): string {
  const parts: Array<[number, string]> = [
    [Math.floor(ms / dayMs), 'd'],
    [Math.floor(ms / hourMs) % 24, 'h'],
    [Math.floor(ms / minuteMs) % 60, 'min'],
    [Math.floor(ms / secondMs) % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  if (first === -1) return ms > 0 ? 'less than 1 s' : '0 s'
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ')
}

// The time left of a countdown, such as 4:59.
export function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / secondMs))
  return `${Math.floor(seconds / 60)}:${padTwo(seconds % 60)}`
}

const padTwo = (value: number): string => String(value).padStart(2, '0')

export function toIso(ms: number): string
export function toIso(ms: number | undefined): string | undefined
export function toIso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

// To the minute, such as 2026-11-15 12:00.
export const formatTime = (ms: number): string => toIso(ms).slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')

export const formatUtcTime = (ms: number): string => `${formatTime(ms)} UTC`

// ISO 8601 as in bodies, where a date alone means midnight UTC. Date.parse alone would read a time without an offset in the time
// zone of this machine.
const isoDateTime = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:([Zz])|([+-]\d\d)(?::?(\d\d))?)?)?$/

const dayLength = 'YYYY-MM-DD'.length

// Date.parse turns a day that does not exist, such as 31 February, into another day. Every month has 28 days.
const isInCalendar = (day: string) =>
  day.slice(-2) <= '28' || new Date(Date.parse(`${day}T00:00Z`)).toJSON()?.slice(0, dayLength) === day

// Returns milliseconds since 1970, or undefined. A time without an offset is UTC, as in the interface.
export function toInstantMs(text: unknown): number | undefined {
  const [, day, time = '00:00', , hours, minutes = '00'] = (typeof text === 'string' && isoDateTime.exec(text)) || []
  if (day === undefined || !isInCalendar(day)) return undefined
  const instant = Date.parse(`${day}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`)
  return Number.isNaN(instant) ? undefined : instant
}

// Date.parse alone accepts nearly any text with a number in it.
const httpDate = /^[A-Z][a-z]{2,8}, .*GMT$/

// The same for a date in a header, such as Sun, 01 Nov 2026 12:00:00 GMT.
export function readHttpDateMs(text: string | null | undefined): number | undefined {
  const given = text ?? ''
  const instant = httpDate.test(given) ? Date.parse(given) : Number.NaN
  return Number.isNaN(instant) ? undefined : instant
}

// The date of an instant, in UTC as all times of the interface.
export const toIsoDate = (instant: number): string => toIso(instant).slice(0, dayLength)

// A day that exists: not 2026-02-30.
const isCalendarDate = (text: string) => text.length === dayLength && toInstantMs(text) !== undefined

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
