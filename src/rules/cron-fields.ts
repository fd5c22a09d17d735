// Parses a cron expression into the values of its five fields.

export const monthNames = 'January February March April May June July August September October November December'.split(
  ' ',
)
export const weekdayNames = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

// The five fields in order. `special` matches days that depend on the month, such as L, 15W or 5#2.
const fieldFormats = [
  {name: 'minutes', min: 0, max: 59},
  {name: 'hours', min: 0, max: 23},
  {name: 'days', min: 1, max: 31, special: /^(L|LW|\d{1,2}W)$/},
  {name: 'months', min: 1, max: 12, named: monthNames},
  {name: 'weekdays', min: 0, max: 6, named: weekdayNames, special: /^[0-7](L|#[1-5])$/},
] as const

interface FieldFormat {
  name: string
  min: number
  max: number
  named?: readonly string[]
  special?: RegExp
}

export interface CronField {
  // Whether the field is a plain *.
  isAny: boolean
  values: readonly number[]
  // Days that depend on the month.
  special: readonly string[]
}

export interface CronFields {
  minutes: CronField
  hours: CronField
  days: CronField
  months: CronField
  weekdays: CronField
  // If both days and weekdays are restricted, cron fires on either (docs/assumptions.md, R13). A + before the weekdays
  // requires both.
  needsBothDays: boolean
}

const shortNameLength = 3

// Replaces names such as MON or JAN by their numbers.
function replaceNames(part: string, {named = [], min}: FieldFormat): string {
  return part.replaceAll(/[A-Z]{3}/g, (name) => {
    const index = named.findIndex((long) => long.slice(0, shortNameLength).toUpperCase() === name)
    return index === -1 ? name : String(index + min)
  })
}

const valuePattern = /^(?:(?<star>\*)|(?<from>\d{1,2})(?:-(?<to>\d{1,2}))?)(?:\/(?<step>\d{1,2}))?$/

function listValues(part: string, {min, max, name}: FieldFormat): number[] | undefined {
  const {star, from, to, step = '1'} = valuePattern.exec(part)?.groups ?? {}
  if (star === undefined && from === undefined) return undefined
  const first = star ? min : Number(from)
  const last = star ? max : Number(to ?? from)
  // A step after a single number, such as 5/15, has more than one meaning.
  if (Number(step) === 0 || (part.includes('/') && !star && to === undefined)) return undefined
  const values: number[] = []
  // Sunday is both 0 and 7.
  for (let value = first; value <= last; value += Number(step)) values.push(name === 'weekdays' ? value % 7 : value)
  return values
}

function parseField(text: string, field: FieldFormat): CronField | undefined {
  const parts = text.split(',').map((part) => replaceNames(part, field))
  const special = parts.filter((part) => field.special?.test(part))
  const lists = parts.filter((part) => !special.includes(part)).map((part) => listValues(part, field))
  if (lists.includes(undefined)) return undefined
  const values = [...new Set(lists.flatMap((list) => list ?? []))].toSorted((a, b) => a - b)
  return {isAny: text === '*', values, special}
}

// Undefined if the expression uses syntax that is not supported here.
export function parseCronFields(expression: string): CronFields | undefined {
  const texts = expression.trim().toUpperCase().replaceAll('?', '*').split(/\s+/)
  if (texts.length !== fieldFormats.length) return undefined
  const needsBothDays = texts[4]?.startsWith('+') ?? false
  const parsed = fieldFormats.map((field, index) => [
    field.name,
    parseField(texts[index]?.replace(/^\+/, '') ?? '', field),
  ])
  return parsed.every(([, field]) => field) ? ({...Object.fromEntries(parsed), needsBothDays} as CronFields) : undefined
}
