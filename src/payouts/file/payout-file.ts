// Reads the records of a payout file: CSV as spreadsheets write it, with a header and any of the usual separators and line ends, or JSON
// lines.
import {readStdin} from '../../cli/output/streams.ts'
import {SvcError, badUsage, getSystemCode} from '../../errors.ts'
import {readRegularFile} from '../../storage/read-regular-file.ts'
import {findRepeatedField, parseJson} from '../../values/json.ts'
import {isRecord} from '../../values/records.ts'
import {
  type Column,
  type FileProblem,
  type PayoutRecord,
  type Records,
  describeUnknownColumn,
  findColumn,
  listMissingColumns,
  quoteValue,
} from './records.ts'

// Where the decimal separator is a comma, spreadsheets separate cells with semicolons.
const separators = [',', ';', '\t'] as const

// Picks the separator that occurs most often in the header outside of quotes.
function detectSeparator(text: string): string {
  const [header = ''] = text.trimStart().split(/[\r\n]/, 1)
  const unquoted = header.replaceAll(/"[^"]*"?/g, '')
  const count = (separator: string) => unquoted.split(separator).length
  return separators.reduce((most, one) => (count(one) > count(most) ? one : most))
}

interface CsvRow {
  record: string[]
  info: {lines: number}
}

// The library's types do not say that `info: true` gives rows of this form.
const isCsvRow = (row: unknown): row is CsvRow => isRecord(row) && Array.isArray(row['record'])

const quoteProblems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is never closed',
  INVALID_OPENING_QUOTE: 'a quote is inside a cell that does not begin with one; quote the cell and double the quote',
  CSV_INVALID_CLOSING_QUOTE: 'a cell continues after its closing quote',
}

const lineEnds = ['\r\n', '\n', '\r']

// `bytes` is where the cell begins whose quote is wrong. The library's own count of lines goes on to the end of the file
// if a quote is never closed.
function toProblem(error: unknown, text: string): FileProblem {
  if (!(error instanceof Error) || !('bytes' in error) || typeof error.bytes !== 'number') throw error
  const before = Buffer.from(text).subarray(0, error.bytes).toString()
  const code = 'code' in error ? String(error.code) : ''
  return {line: before.split(/\r\n|[\n\r]/).length, message: quoteProblems[code] ?? error.message}
}

// A separator at the end of the header line makes a column without a name, whose cells must be empty.
function parseHeader({record, info: {lines: line}}: CsvRow) {
  const problems: FileProblem[] = []
  const seen = new Set<Column>()
  const columnsByIndex = record.map((name) => {
    if (name.trim() === '') return undefined
    const column = findColumn(name)
    if (!column) problems.push({line, message: describeUnknownColumn(name.trim())})
    else if (seen.has(column)) problems.push({line, message: `the column ${column} occurs twice`})
    else seen.add(column)
    return column
  })
  const missing = listMissingColumns([...seen])
  for (const column of missing) problems.push({line, message: `the column ${column} is missing`})
  return {names: record.map((name) => name.trim()), columnsByIndex, problems, absent: new Set(missing)}
}

// A row must have as many cells as the header. A row that was cut off may have lost a limit, and an unquoted amount with a
// comma would fill two cells.
function parseCsvRow(
  {record, info: {lines: line}}: CsvRow,
  {names, columnsByIndex}: Pick<ReturnType<typeof parseHeader>, 'names' | 'columnsByIndex'>,
): PayoutRecord | FileProblem {
  if (record.length !== names.length) {
    const why = 'quote cells that contain a separator, and write amounts with a point and no comma'
    return {line, message: `has ${record.length} cells, but the header has ${names.length}: ${why}`}
  }
  const cells = new Map<Column, string>()
  for (const [index, cell] of record.entries()) {
    const [text, column] = [cell.trim(), columnsByIndex[index]]
    if (text !== '' && column) cells.set(column, text)
    if (text !== '' && names[index] === '') return {line, message: `${quoteValue(text)} is in a column without a name`}
  }
  return {line, cells}
}

// The library counts a line break of two characters inside a cell as two lines.
function correctLines(rows: readonly CsvRow[]): void {
  let excess = 0
  for (const {record, info} of rows) {
    for (const cell of record) excess += cell.split('\r\n').length - 1
    info.lines -= excess
  }
}

function toRecords(read: ReadonlyArray<PayoutRecord | FileProblem>, more: Partial<Records> = {}): Records {
  const {problems = [], absent = new Set()} = more
  const records = read.filter((one) => 'cells' in one)
  return {records, problems: [...problems, ...read.filter((one) => 'message' in one)], absent}
}

export async function parseCsv(fileText: string): Promise<Records> {
  const {parse} = await import('csv-parse/sync')
  // The line with which a spreadsheet is told the separator, such as sep=; is emptied, so that the others keep their numbers.
  const text = fileText.replace(/^"?sep=[,;\t]"?(?=[\r\n])/i, '')
  const delimiter = detectSeparator(text)
  let rows: CsvRow[]
  try {
    // All line ends are named: by itself the library takes the first one that it finds for the only one.
    const options = {
      delimiter,
      record_delimiter: lineEnds,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
    } as const
    const read: readonly unknown[] = parse(text, options)
    rows = read.filter(isCsvRow)
    correctLines(rows)
  } catch (error) {
    return toRecords([toProblem(error, text)])
  }
  // Spreadsheets write a cleared row as separators only.
  const [first, ...others] = rows.filter(({record}) => record.some((cell) => cell.trim() !== ''))
  if (!first) return toRecords([])
  const header = parseHeader(first)
  const read = others.map((row) => parseCsvRow(row, header))
  return toRecords(read, {problems: header.problems, absent: header.absent})
}

// Numbers keep their digits. Returns undefined for anything but text, numbers and booleans.
function toCellText(value: unknown): string | undefined {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return JSON.isRawJSON(value) ? value.rawJSON : undefined
}

function parseLine(line: number, text: string): Array<PayoutRecord | FileProblem> {
  let fields: unknown
  try {
    fields = parseJson(text)
  } catch {
    return [{line, message: 'is not valid JSON'}]
  }
  const repeated = findRepeatedField(text)
  if (repeated !== undefined) return [{line, message: `has the field ${quoteValue(repeated)} twice`}]
  if (!isRecord(fields) || JSON.isRawJSON(fields)) return [{line, message: 'is not an object of columns and values'}]
  const cells = new Map<Column, string>()
  const problems: FileProblem[] = []
  for (const [name, value] of Object.entries(fields)) {
    const [column, cell] = [findColumn(name), toCellText(value)]
    if (!column) problems.push({line, message: describeUnknownColumn(name)})
    else if (cells.has(column)) problems.push({line, message: `${column} occurs twice`})
    else if (cell === undefined) problems.push({line, message: `${column} must be text or a number`})
    else if (cell !== '') cells.set(column, cell)
  }
  return [{line, cells}, ...problems]
}

export const parseJsonLines = (text: string): Records =>
  toRecords(text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : parseLine(index + 1, line.trim()))))

// Without a known extension, as for standard input, the beginning of the text decides.
function isJsonLines(file: string, text: string): boolean {
  if (/\.(json|ya?ml)$/i.test(file)) {
    throw badUsage(
      `The file ${file} is neither CSV nor JSON lines`,
      'Write CSV with a header, or one object of JSON per line (.jsonl); nothing was sent',
    )
  }
  if (/\.(csv|tsv|txt)$/i.test(file)) return false
  return /\.(jsonl|ndjson)$/i.test(file) || text.trimStart().startsWith('{')
}

function readText(file: string): string {
  let bytes: Buffer
  try {
    bytes = readRegularFile(file)
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw badUsage(`The file ${file} cannot be read (${getSystemCode(cause) ?? 'unknown'})`, 'Check the path', cause)
  }
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes)
  } catch (cause) {
    throw badUsage(`The file ${file} is not in UTF-8`, 'Save it as CSV in UTF-8; nothing was sent', cause)
  }
}

export const getDisplayName = (file: string) => (file === '-' ? 'standard input' : file)

export async function readRecords(file: string): Promise<Records> {
  const text = file === '-' ? (await readStdin()).replace(/^\uFEFF/, '') : readText(file)
  return isJsonLines(file, text) ? parseJsonLines(text) : parseCsv(text)
}
