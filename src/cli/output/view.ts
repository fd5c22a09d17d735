// A view says how one kind of item is shown: its columns, in order.
import {toInstantMs} from '../../values/time.ts'
import {getCurrencyLabel} from '../../contract/loose.ts'

// The functions are declared as methods, so that the printer can take a View<Customer> as a View<unknown>.
export interface Column<T> {
  // The field as the interface spells it: its name in CSV and for --columns.
  name: string
  // A shorter name that --columns also accepts.
  short?: string
  header: string
  value(this: void, item: T): unknown
  // The value as tables and records show it. CSV keeps the value itself.
  format?(this: void, value: unknown, item: T): unknown
  // When the terminal is too narrow, columns with the highest rank are dropped first. Rank 0 is never dropped.
  rank: number
  // The widths to which the column may be narrowed: one that still reads well, and the smallest possible.
  // A column without them is always shown in full.
  widthGood?: number
  widthMin?: number
  // An id that commands also accept by its first characters: a table that is too wide shows only these.
  isId?: true
  // Wraps onto more lines when narrowed, instead of being truncated.
  wraps?: true
  // When truncated, what stands before the last word is cut, since that one tells items apart, such as the last digits of an account.
  keepsLastWord?: true
  align?: 'right'
  colour?: 'status'
  // Hidden in tables unless --columns names it. CSV and single items include it.
  onRequest?: true
  // Left out of a table in which no item has a value, unless --columns names it.
  hidesEmpty?: true
  // Another column shows this value too, so a single item leaves it out unless --columns names it.
  isPartOfAnother?: true
  // Only tables and records show this column, because its value is for people. CSV has the fields themselves.
  isTableOnly?: true
}

// A column that shows the field of its name under that name, unless `more` says otherwise.
export const createColumn = <T>(name: string, rank: number, more: Partial<Column<T>> = {}): Column<T> => ({
  name,
  header: name.toUpperCase(),
  value: (item) => (item as Readonly<Record<string, unknown>>)[name],
  rank,
  ...more,
})

export interface View<T> {
  singular: string
  plural: string
  columns: ReadonlyArray<Column<T>>
  // Reads what the chosen columns need besides the items, before a table or a record is rendered.
  prepareTable?(this: void, items: readonly T[], columns: ReadonlyArray<Column<T>>): Promise<void>
  // Fields that are shown by columns with other names, and so are not unknown fields.
  covers?: readonly string[]
  // Notices to print after a table of these items.
  remarks?(this: void, items: readonly T[]): string[]
}

// The client's JSON reader keeps numbers with their exact digits.
const toDigits = (value: object) =>
  'rawJSON' in value && Object.getPrototypeOf(value) === null ? String(value.rawJSON) : undefined

// A value as one line of text. Objects are shown as JSON.
export function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ')
  return toDigits(value) ?? JSON.stringify(value)
}

// The embedded sandbox serves its forms only while a command does. Until then its links lead nowhere.
export const isUnservedLink = (link: unknown): boolean =>
  typeof link === 'string' && link.startsWith('https://forms.sandbox.invalid/')

// `command` makes the link work.
export const describeUnservedLink = (command: string): string =>
  `The sandbox does not serve its forms now, so the link leads nowhere: \`svc ${command}\` serves and opens it.`

// One line of the parts that are known.
export const joinParts = (...parts: readonly unknown[]): string => parts.map(toText).filter(Boolean).join(', ')

const offset = /[Tt].*[+-]\d\d(?::?\d\d)?$/

// The interface's times are in UTC. One with an offset is converted.
function toUtc(time: string): string {
  if (time.endsWith('Z') || !offset.test(time)) return time
  const instant = toInstantMs(time)
  return instant === undefined ? time : new Date(instant).toISOString()
}

// Tables show minutes in UTC; JSON and CSV keep the timestamp as it is.
export const formatMinute = (value: unknown) =>
  typeof value === 'string' ? toUtc(value).replace(/^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d).*$/, '$1 $2') : value

export const formatYesNo = (value: unknown) => (value ? 'yes' : 'no')

// Replies contain a currency as an object. A plain label is accepted too.
export function formatMoney(amount: unknown, currency: unknown): unknown {
  const label = getCurrencyLabel(currency)
  const digits = toText(amount)
  return digits !== '' && typeof label === 'string' && label !== '' ? `${digits} ${label}` : amount
}
