// Says what is wrong with a date or a number in the words of its question, and how to write it.
import {date} from '../../contract/scalars.ts'

const monthNames = new Intl.DateTimeFormat('en', {month: 'long', timeZone: 'UTC'})

const pad = (text: string) => text.padStart(2, '0')

const isDate = (text: string) => date.safeParse(text).success

// Accepts 1990.4.23, 1990/04/23 and 19900423. Only the order with the year first is unambiguous.
export const parseDate = (text: string) =>
  text
    .replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')
    .replace(/^(\d{4})[-./ ](\d{1,2})[-./ ](\d{1,2})$/, (_, year: string, month: string, day: string) =>
      [year, pad(month), pad(day)].join('-'),
    )

// The dates that may be meant by one with the year last.
function listReadings(text: string): string[] {
  const [, first, second, year] = /^(\d{1,2})[-./ ](\d{1,2})[-./ ](\d{4})$/.exec(text) ?? []
  if (first === undefined || second === undefined || year === undefined) return []
  const readings = [`${year}-${pad(second)}-${pad(first)}`, `${year}-${pad(first)}-${pad(second)}`]
  return [...new Set(readings.filter(isDate))]
}

// A day that no month has, such as 30 February. Undefined if the text has another fault.
function describeMissingDay(text: string): string | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  if (year === undefined || month === undefined || day === undefined) return undefined
  if (Number(month) < 1 || Number(month) > 12) return `there is no month ${Number(month)}`
  return `${monthNames.format(new Date(Date.UTC(2000, Number(month) - 1)))} ${year} has no day ${Number(day)}`
}

// A day long ago, such as that of a birth.
export const exampleDate = '1990-04-23'

// The example must be an answer to the question: a day to come for the end of a document.
export function explainDate(label: string, typed: string, example = exampleDate): string | undefined {
  const text = parseDate(typed)
  if (isDate(text)) return undefined
  const missing = describeMissingDay(text)
  if (missing !== undefined) return `${label} is not a date: ${missing}`
  const readings = listReadings(text)
  return readings.length > 0
    ? `${label} is written with the year first: ${readings.join(' or ')}`
    : `${label} is a date: write year, month and day, such as ${example}`
}

// Accepts a percentage with its sign. A comma may separate thousands, so it is not taken for the decimal point.
export const parseNumber = (text: string) => {
  const plain = text.replace(/\s*%$/, '')
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : text
}

export function explainNumber(label: string, typed: string): string | undefined {
  if (typeof parseNumber(typed) === 'number') return undefined
  const [, whole, decimals] = /^(\d+),(\d+)%?$/.exec(typed) ?? []
  return whole === undefined
    ? `${label} is a number: write digits, such as 25 or 33.3`
    : `${label} is written with a decimal point: ${whole}.${decimals}`
}
