// Objects whose fields are not certain: recognized, and read by the names and paths of fields.

// An object of JSON. A number that keeps its digits is an object to JavaScript, but not to JSON.
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)

// A record or a list.
export const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !JSON.isRawJSON(value)

// Looks a word that others wrote up in a table of ours. A plain index would also find what every object inherits, such as
// `constructor`.
export const lookUp = <T>(table: Readonly<Record<string, T>>, word: string): T | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined

// A text of a reply, also if the service sends a whole number, such as an id. A value of another
// type counts as missing, and so does a number beyond those that every program reads alike: it
// could be another id.
export function readText(value: unknown): string {
  if (typeof value === 'string') return value
  return Number.isSafeInteger(value) ? String(value) : ''
}

// An amount of a reply as text, also if the service sends a JSON number, a plus sign or blanks. A
// number that a float would change was kept as text when the reply was parsed (json.ts), so no
// digit is lost.
export function readAmount(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return JSON.isRawJSON(value)
    ? value.rawJSON
    : readText(value)
        .trim()
        .replace(/^\+(?=[\d.])/, '')
}

// Where undefined is a value of a field, the field may be missing instead.
type Defined<T> = {[Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name]} & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>
}

export const omitUndefined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>

// a.b[0].c as a, b, 0, c.
export const splitPath = (path: string): string[] => path.match(/[^.[\]]+/g) ?? []

// persons[2].address as persons[].address.
export const dropIndexes = (path: string): string => path.replaceAll(/\[\d+\]/g, '[]')

// Whether there is anything in a value. There is nothing in an object whose fields are all undefined. An empty list counts as
// something, because sending it removes an earlier list.
export const hasContent = (value: unknown): boolean =>
  isRecord(value) ? Object.values(value).some(hasContent) : value !== undefined

export const isPresent = (value: unknown): boolean => value !== undefined && value !== null && value !== ''
