// A view says how one kind of item is shown: its columns, in order.
import {formatTime, toInstantMs} from '../../values/time.ts'
import {unservedFormsUrl} from '../../values/urls.ts'
import {getCurrencyLabel} from '../../contract/loose.ts'

// An id, a name with an id in place of one that is not known, a status, a number, or text that is cut or, a sentence, wrapped.
// Commands also accept an id by its first characters, and a table that is too wide shows only these.
export type ColumnKind = 'id' | 'name' | 'status' | 'number' | 'text' | 'sentence'

const places = {
  everywhere: ['table', 'record', 'csv'],
  onRequest: ['record', 'csv'],
  // Another column shows the value to people.
  csv: ['csv'],
  // For people: CSV has the fields themselves, and not even --columns shows it there.
  screen: ['table', 'record'],
  table: ['table'],
  record: ['record'],
} as const

type ColumnPlaces = keyof typeof places

export const isShownIn = (place: 'table' | 'record' | 'csv', {shown = 'everywhere'}: Pick<Column<never>, 'shown'>) =>
  (places[shown] as readonly string[]).includes(place)

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
  // What the text is, which decides how it is coloured, aligned and shortened. Without a kind it is always shown in full.
  kind?: ColumnKind
  // Where it is shown unless --columns names it; everywhere by default.
  shown?: ColumnPlaces
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
  // Notices to print after a table of these items, or after CSV with columns that were named.
  remarks?(this: void, items: readonly T[], columns: ReadonlyArray<Column<T>>): string[]
}

// A value as one line of text. Objects are shown as JSON, which also writes a number with its exact digits (values/json.ts).
export function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ')
  return JSON.stringify(value)
}

// The embedded sandbox serves its forms only while a command does. Until then its links lead nowhere.
export const isUnservedLink = (link: unknown): boolean =>
  typeof link === 'string' && link.startsWith(`${unservedFormsUrl}/`)

// `command` makes the link work.
export const describeUnservedLink = (command: string): string =>
  `The sandbox does not serve its forms now, so the link leads nowhere: ${command} serves it.`

// One line of the parts that are known.
export const joinParts = (...parts: readonly unknown[]): string => parts.map(toText).filter(Boolean).join(', ')

const dayLength = 'YYYY-MM-DD'.length

// Tables show minutes in UTC; JSON and CSV keep the timestamp as it is.
export function formatMinute(value: unknown): unknown {
  const instant = typeof value === 'string' && value.length > dayLength ? toInstantMs(value) : undefined
  return instant === undefined ? value : formatTime(instant)
}

export const formatYesNo = (value: unknown) => (value ? 'yes' : 'no')

// Replies contain a currency as an object. A plain label is accepted too.
export function formatMoney(amount: unknown, currency: unknown): unknown {
  const label = getCurrencyLabel(currency)
  const digits = toText(amount)
  return digits !== '' && typeof label === 'string' && label !== '' ? `${digits} ${label}` : amount
}
