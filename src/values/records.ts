// Objects whose fields are not certain: recognized, and read by the names and paths of fields.

export type Fields = Readonly<Record<string, unknown>>

// An object of JSON. A number that keeps its digits is an object to JavaScript, but not to JSON.
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)

// Looks a word that others wrote up in a table of ours. A plain index would also find what every object inherits, such as
// `constructor`.
export const lookUp = <T>(table: Readonly<Record<string, T>>, word: string): T | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined

export const readText = (value: unknown): string => (typeof value === 'string' ? value : '')

// Without the fields that are undefined.
export const omitUndefined = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>

// a.b[0].c as a, b, 0, c.
export const splitPath = (path: string): string[] => path.match(/[^.[\]]+/g) ?? []

export const joinPath = (path: string, field: string): string => (path ? `${path}.${field}` : field)

// persons[2].address as persons[].address.
export const dropIndexes = (path: string): string => path.replaceAll(/\[\d+\]/g, '[]')
