// The columns of a payout file, and its records before they are validated: cells by column, with their line.
import {findNearest} from '../../cli/help/find-nearest.ts'
import {routeFields} from '../../quotes/route-fields.ts'

// Named like the flags of `svc pay`, which fill the same fields of a quote.
export const columns = [
  'key',
  ...routeFields.map(({flag}) => flag),
  'max-fee',
  'min-rate',
  'min-received',
  'guarantee',
  'note',
] as const

export type Column = (typeof columns)[number]

export interface PayoutRecord {
  line: number
  // Without empty cells.
  cells: ReadonlyMap<Column, string>
}

export interface FileProblem {
  line: number
  message: string
  // What the cell says.
  found?: string | undefined
}

export interface Records {
  records: PayoutRecord[]
  problems: FileProblem[]
}

const linesShownMax = 10

// For example: lines 2, 5 and 3 more.
export function describeLines(rows: ReadonlyArray<{line: number}>): string {
  const lines = rows.slice(0, linesShownMax).map(({line}) => line)
  const more = rows.length - lines.length
  return `${rows.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const shownLengthMax = 40

// Quotes a value in a problem.
export const quoteValue = (value: string): string =>
  JSON.stringify(value.length > shownLengthMax ? `${value.slice(0, shownLengthMax)}…` : value)

// Accepts common spellings: maxFee, max_fee and "Max Fee" are all max-fee.
export function findColumn(name: string): Column | undefined {
  const wanted = name
    .trim()
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll(/[\s_]+/g, '-')
    .toLowerCase()
  return columns.find((column) => column === wanted)
}

// Unknown columns are rejected, because a limit with a misspelt name would have no effect.
export function describeUnknownColumn(name: string): string {
  const near = findNearest(name.toLowerCase(), columns)
  return `there is no column ${quoteValue(name)}: ${near ? `did you mean ${near}?` : 'use note for your own remarks'}`
}
