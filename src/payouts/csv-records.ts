// A payout file as a spreadsheet writes it: CSV with a header, whatever its separator, line ends and leftovers.
import {type Column, findColumn, columnsRequired} from './columns.ts'
import {type FileProblem, type PayoutRecord, type Records, quoteValue, describeUnknownColumn} from './records.ts'

// Separators by what people call them. Where the decimal sign is a comma, spreadsheets separate cells with a semicolon.
const separators = {',': 'commas', ';': 'semicolons', '\t': 'tabs'} as const
type Separator = keyof typeof separators

const isSeparator = (character: string): character is Separator => Object.hasOwn(separators, character)

// The one that stands most often in the header, outside of quotes.
function detectSeparator(text: string): Separator {
  const counts: Record<Separator, number> = {',': 0, ';': 0, '\t': 0}
  let isQuoted = false
  for (const character of text.trimStart()) {
    if (character === '\n') break
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && isSeparator(character)) counts[character]++
  }
  const [most] = Object.entries(counts).toSorted(([, a], [, b]) => b - a)
  return (most?.[0] ?? ',') as Separator
}

interface CsvRow {
  record: string[]
  info: {lines: number}
}

const quoteFaults: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  INVALID_OPENING_QUOTE: 'a quote stands inside a cell that does not begin with one; write it twice, in a quoted cell',
  CSV_INVALID_CLOSING_QUOTE: 'something stands behind the closing quote of a cell',
}

// Where the reader gives up, and why, in our words.
function toProblem(error: unknown): FileProblem {
  const {code = '', lines, message} = error as {code?: string; lines?: number; message: string}
  if (typeof lines !== 'number') throw error
  return {line: lines, message: quoteFaults[code] ?? message}
}

// The columns by their place; a separator at the end of the line makes one without a name, which must stay empty.
function parseHeader({record, info}: CsvRow): {named: Array<Column | undefined>; problems: FileProblem[]} {
  const problems: FileProblem[] = []
  const seen = new Set<Column>()
  const columnsByIndex = record.map((name) => {
    if (name.trim() === '') return undefined
    const column = findColumn(name)
    if (!column) problems.push({line: info.lines, message: describeUnknownColumn(name.trim())})
    else if (seen.has(column)) problems.push({line: info.lines, message: `the column ${column} is there twice`})
    else seen.add(column)
    return column
  })
  for (const column of columnsRequired) {
    if (!seen.has(column)) problems.push({line: info.lines, message: `the column ${column} is missing`})
  }
  return {named: columnsByIndex, problems}
}

// A row must have as many cells as the header: one that was cut off may have lost a limit, and an amount with a comma in it
// is two cells, of which the second would be read as something else.
function parseCsvRow({record, info}: CsvRow, {record: names}: CsvRow, named: ReadonlyArray<Column | undefined>) {
  const {lines: line} = info
  const problems: FileProblem[] = []
  const cells = new Map<Column, string>()
  for (const [index, cell] of record.entries()) {
    const text = cell.trim()
    const column = named[index]
    if (text !== '' && column) cells.set(column, text)
  }
  if (record.length !== named.length) {
    const message = `has ${record.length} cells, and the header ${named.length}: quote what holds a separator`
    return {problems: [{line, message}]}
  }
  const stray = record.find((cell, index) => cell.trim() !== '' && names[index]?.trim() === '')
  if (stray !== undefined)
    problems.push({line, message: `${quoteValue(stray.trim())} stands in a column without a name`})
  return {record: {line, cells}, problems}
}

export async function parseCsv(text: string): Promise<Records> {
  const {parse} = await import('csv-parse/sync')
  const delimiter = detectSeparator(text)
  const remarks =
    delimiter === ',' ? [] : [`The cells of the file are separated by ${separators[delimiter]}; it is read so.`]
  let rows: CsvRow[]
  try {
    const options = {delimiter, info: true, relax_column_count: true, skip_empty_lines: true} as const
    rows = parse(text, options) as unknown as CsvRow[]
  } catch (error) {
    return {records: [], problems: [toProblem(error)], absent: new Set(), remarks}
  }
  // Spreadsheets write rows that were cleared as separators alone.
  const [header, ...others] = rows.filter(({record}) => record.some((cell) => cell.trim() !== ''))
  if (!header) return {records: [], problems: [], absent: new Set(), remarks}
  const {named, problems} = parseHeader(header)
  const records: PayoutRecord[] = []
  for (const row of others) {
    const read = parseCsvRow(row, header, named)
    if (read.record) records.push(read.record)
    problems.push(...read.problems)
  }
  const absent = new Set(columnsRequired.filter((column) => !named.includes(column)))
  return {records, problems, absent, remarks}
}
