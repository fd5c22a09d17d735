// The records of a payout file before they are validated: cells by column, with their line.
import {findNearest} from '../../cli/help/find-nearest.ts'
import {routeFields} from '../../quotes/route-fields.ts'

export interface PayoutRecord {
  line: number
  // Without empty cells.
  cells: ReadonlyMap<Column, string>
}

export interface FileProblem {
  line: number
  message: string
}

export interface Records {
  records: PayoutRecord[]
  problems: FileProblem[]
  // Columns that the header lacks. They are reported once, not for every row.
  absent: ReadonlySet<Column>
  // Notices about how the file was read.
  remarks: string[]
}

const shownLengthMax = 40

// Quotes a value in a problem.
export function quoteValue(value: string): string {
  return JSON.stringify(value.length > shownLengthMax ? `${value.slice(0, shownLengthMax)}…` : value)
}

// Unknown columns are rejected, because a limit with a misspelt name would have no effect.
export function describeUnknownColumn(name: string): string {
  const near = findNearest(name.toLowerCase(), columns)
  if (/^(receive|arriv|(to|destination|target)[-_ ]?amount)/i.test(name) && near !== 'min-received') {
    return `there is no column ${quoteValue(name)}: amount is what is sent; what is to arrive is for \`svc pay --receive\``
  }
  const advice = near ? `did you mean ${near}?` : 'use note for your own remarks'
  return `there is no column ${quoteValue(name)}: ${advice}`
}

// Makes a record from an object of JSON.
export function toRecord(line: number, fields: unknown): {record?: PayoutRecord; problems: FileProblem[]} {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields) || JSON.isRawJSON(fields)) {
    return {problems: [{line, message: 'is not an object of columns and values'}]}
  }
  const cells = new Map<Column, string>()
  const problems: FileProblem[] = []
  for (const [name, value] of Object.entries(fields)) {
    const column = findColumn(name)
    const text = toCellText(value)
    if (!column) problems.push({line, message: describeUnknownColumn(name)})
    else if (cells.has(column)) problems.push({line, message: `${column} occurs twice`})
    else if (text === undefined) problems.push({line, message: `${column} must be text or a number`})
    else if (text !== '') cells.set(column, text)
  }
  return {record: {line, cells}, problems}
}

// Numbers keep their digits. Returns undefined for anything but text, numbers and booleans.
function toCellText(value: unknown): string | undefined {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return JSON.isRawJSON(value) ? value.rawJSON : undefined
}

// The columns of a payout file, named like the flags of `svc pay`, and the fields of a quote that they fill.
export const columns = [
  'key',
  'customer',
  'from',
  'from-currency',
  'from-method',
  'to',
  'to-currency',
  'to-method',
  'amount',
  'developer-fee',
  'developer-fee-type',
  'max-fee',
  'min-rate',
  'min-received',
  'guarantee',
  'note',
] as const

export type Column = (typeof columns)[number]

// These columns are required. The others may be missing or empty: currencies and methods where the accounts decide them.
const columnsRequired: readonly Column[] = ['key', 'customer', 'from', 'to', 'amount']

export const listMissingColumns = (given: ReadonlyArray<Column | undefined>): Column[] =>
  columnsRequired.filter((column) => !given.includes(column))

// Problems of a request are reported by the column of the field.
export const findColumnForPath = (path: string): Column | undefined =>
  routeFields.find((field) => field.path === path)?.flag

// Accepts common spellings: maxFee, max_fee and "Max Fee" are all max-fee.
const normalizeName = (name: string) =>
  name
    .trim()
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll(/[\s_]+/g, '-')
    .toLowerCase()

export function findColumn(name: string): Column | undefined {
  const wanted = normalizeName(name)
  return columns.find((column) => column === wanted)
}
