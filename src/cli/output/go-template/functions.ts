// The functions that a template can call: those of Go, and those that `gh` adds.
import {Big} from 'big.js'
import {padTwo, toInstantMs} from '../../../values/time.ts'
import {formatDuration} from '../../../sandbox/console/view.ts'
import {compareDecimals, compareValues, isDecimal} from '../compare-values.ts'
import {truncateToWidth} from '../live-line.ts'
import {toText} from '../view.ts'

// A failure of the template on the data that it got.
export class TemplateFailure extends Error {}

export type TemplateFunction = (...args: unknown[]) => unknown

const isNumber = (value: unknown) => typeof value === 'number' || JSON.isRawJSON(value)

export function isTrue(value: unknown): boolean {
  if (isNumber(value)) return compareDecimals(toText(value), '0') !== 0
  if (Array.isArray(value)) return value.length > 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}

export function getField(value: unknown, name: string): unknown {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object' || JSON.isRawJSON(value) || Array.isArray(value)) {
    throw new TemplateFailure(`.${name} was asked of ${Array.isArray(value) ? 'a list' : `"${toText(value)}"`}`)
  }
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
}

// A number is equal to the same amount written with other digits; two texts are equal only if they are the same.
function isEqual(a: unknown, b: unknown): boolean {
  const [left, right] = [toText(a), toText(b)]
  if ((isNumber(a) || isNumber(b)) && isDecimal(left) && isDecimal(right)) return compareDecimals(left, right) === 0
  return left === right
}

function toCount(value: unknown, what: string): number {
  const count = Number(toText(value))
  if (!Number.isInteger(count)) throw new TemplateFailure(`${what} needs a whole number, not "${toText(value)}"`)
  return count
}

function toList(value: unknown, what: string): unknown[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  throw new TemplateFailure(`${what} needs a list, not "${toText(value)}"`)
}

const countCharacters = (text: string) => Array.from(text).length

function getLength(value: unknown): number {
  if (typeof value === 'string') return countCharacters(value)
  if (Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}

const getIndexed = (value: unknown, key: unknown): unknown =>
  Array.isArray(value) ? (value as unknown[])[toCount(key, 'index')] : getField(value, toText(key))

const verb = /%(-)?(\d+)?(?:\.(\d+))?([a-zA-Z%])/g

function formatVerb(value: unknown, letter: string, digits: string | undefined): string {
  const text = toText(value)
  if (letter === 'f') {
    if (!isDecimal(text)) throw new TemplateFailure(`%f needs a number, not "${text}"`)
    return new Big(text).toFixed(digits === undefined ? 6 : Number(digits))
  }
  if (letter === 'q') return JSON.stringify(text)
  if (!'svdt'.includes(letter)) throw new TemplateFailure(`printf has no %${letter}`)
  return digits === undefined ? text : Array.from(text).slice(0, Number(digits)).join('')
}

function formatText(pattern: unknown, ...values: unknown[]): string {
  let next = 0
  return toText(pattern).replace(verb, (_, left?: string, width = '0', digits?: string, letter = '') => {
    if (letter === '%') return '%'
    const shown = formatVerb(values[next++], letter, digits)
    return left ? shown.padEnd(Number(width)) : shown.padStart(Number(width))
  })
}

function readTime(value: unknown, what: string): number {
  const instant = toInstantMs(value)
  if (instant === undefined) throw new TemplateFailure(`${what} needs a time, not "${toText(value)}"`)
  return instant
}

function describeAge(value: unknown): string {
  const ageMs = Date.now() - readTime(value, 'timeago')
  const [first = '', unit = ''] = formatDuration(Math.abs(ageMs)).split(' ')
  const length = first === 'less' ? 'less than 1 s' : `${first} ${unit}`
  return ageMs < 0 ? `in ${length}` : `${length} ago`
}

const months = 'January February March April May June July August September October November December'.split(' ')
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

// Go writes a layout as the time 2006-01-02 15:04:05. Times are in UTC.
function formatTime(layout: unknown, value: unknown): string {
  const time = new Date(readTime(value, 'timefmt'))
  const [month = '', weekday = ''] = [months[time.getUTCMonth()], days[time.getUTCDay()]]
  const parts: Record<string, string> = {
    '2006': String(time.getUTCFullYear()),
    '01': padTwo(time.getUTCMonth() + 1),
    '02': padTwo(time.getUTCDate()),
    '15': padTwo(time.getUTCHours()),
    '04': padTwo(time.getUTCMinutes()),
    '05': padTwo(time.getUTCSeconds()),
    January: month,
    Jan: month.slice(0, 3),
    Monday: weekday,
    Mon: weekday.slice(0, 3),
    MST: 'UTC',
  }
  return toText(layout).replace(/2006|January|Monday|Jan|Mon|MST|01|02|15|04|05/g, (part) => parts[part] ?? part)
}

export const functions: Readonly<Record<string, TemplateFunction>> = {
  not: (value) => !isTrue(value),
  and: (...values) => values.find((value) => !isTrue(value)) ?? values.at(-1),
  or: (...values) => values.find(isTrue) ?? values.at(-1),
  eq: (first, ...others) => others.some((other) => isEqual(first, other)),
  ne: (first, other) => !isEqual(first, other),
  lt: (first, other) => compareValues(first, other) < 0,
  le: (first, other) => compareValues(first, other) <= 0,
  gt: (first, other) => compareValues(first, other) > 0,
  ge: (first, other) => compareValues(first, other) >= 0,
  len: getLength,
  index: (value, ...keys) => keys.reduce(getIndexed, value),
  print: (...values) => values.map(toText).join(' '),
  println: (...values) => `${values.map(toText).join(' ')}\n`,
  printf: formatText,
  json: (value) => JSON.stringify(value ?? null),
  join: (separator, list) => toList(list, 'join').map(toText).join(toText(separator)),
  pluck: (name, list) => toList(list, 'pluck').map((item) => getField(item, toText(name))),
  truncate: (width, value) => truncateToWidth(toText(value), toCount(width, 'truncate') + 1),
  timeago: describeAge,
  timefmt: formatTime,
}
