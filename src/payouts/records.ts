// What is read out of a payout file before anyone judges it: cells by their columns, with the line on which they stand.
import {findNearest} from '../cli/help/find-nearest.ts'
import {type Column, findColumn, columns} from './columns.ts'

export interface PayoutRecord {
  line: number
  // Only what is there: an empty cell says nothing.
  cells: ReadonlyMap<Column, string>
}

export interface FileProblem {
  line: number
  message: string
}

export interface Records {
  records: PayoutRecord[]
  problems: FileProblem[]
  // Columns that a header lacks, told once and not for every row.
  absent: ReadonlySet<Column>
  // What whoever wrote the file should know of how it was read.
  remarks: string[]
}

const shownLengthMax = 40

// A value as a problem repeats it.
export function quoteValue(value: string): string {
  return JSON.stringify(value.length > shownLengthMax ? `${value.slice(0, shownLengthMax)}…` : value)
}

// A limit under a misspelt name would be no limit, so nothing unknown is passed over.
export function describeUnknownColumn(name: string): string {
  const near = findNearest(name.toLowerCase(), columns)
  const advice = near ? `did you mean ${near}?` : 'use note for what is yours alone'
  return `there is no column ${quoteValue(name)}: ${advice}`
}

// Fields under names of their own, as JSON and YAML have them.
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
    else if (cells.has(column)) problems.push({line, message: `${column} is there twice`})
    else if (text === undefined) problems.push({line, message: `${column} must be text or a number`})
    else if (text !== '') cells.set(column, text)
  }
  return {record: {line, cells}, problems}
}

// Digits stay as they were written. What is neither text, a number nor a yes or no is no cell.
function toCellText(value: unknown): string | undefined {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return JSON.isRawJSON(value) ? value.rawJSON : undefined
}
