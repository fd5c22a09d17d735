// What a view is: for one kind of thing, its columns, in the order in which they are shown.

export interface Column<T> {
  // The field as the interface spells it: the name in CSV, and what --columns takes.
  name: string
  // A shorter name that --columns takes as well.
  short?: string
  header: string
  value: (item: T) => unknown
  // The form of the value that people read, in tables and records; CSV keeps the value itself.
  format?: (value: unknown, item: T) => unknown
  // Where the room is short, columns of the highest rank go first; those of rank 0 always stay.
  rank: number
  // A column that may be narrowed says to what: first to a width that still reads well, in need to the least.
  // The others are shown whole.
  widthGood?: number
  widthMin?: number
  // A text that must be read to its end takes more lines where others lose theirs.
  wraps?: true
  align?: 'right'
  colour?: 'status'
  // Shown only when it is asked for by name, in CSV, and in the view of a single item.
  onRequest?: true
  // A part of what another column says whole: a record leaves it out unless it is asked for by name.
  isPartOfAnother?: true
}

export interface View<T> {
  singular: string
  plural: string
  columns: ReadonlyArray<Column<T>>
  // Fields of the thing that columns of other names show in parts.
  covers?: readonly string[]
  // What a person should hear after a table of them, where the columns have no room for it.
  remarks?: (items: readonly T[]) => string[]
}

// A number kept with its very digits, as the client's JSON reader makes them.
const toDigits = (value: object) =>
  'rawJSON' in value && Object.getPrototypeOf(value) === null ? String(value.rawJSON) : undefined

// A value as one line of text; what has no short form is shown as JSON.
export function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ')
  return toDigits(value) ?? JSON.stringify(value)
}
