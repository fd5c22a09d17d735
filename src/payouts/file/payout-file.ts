// Reads a payout file: finds it, decodes it, and detects its format.
import path from 'node:path'
import {readStdin} from '../../cli/output/streams.ts'
import {SvcError, badUsage, getSystemCode} from '../../errors.ts'
import {readRegularFile} from '../../storage/read-regular-file.ts'
import {findRepeatedField, parseJson} from '../../values/json.ts'
import {isRecord, lookUp} from '../../values/records.ts'
import {
  type Column,
  type FileProblem,
  type PayoutRecord,
  type Records,
  listMissingColumns,
  describeUnknownColumn,
  findColumn,
  quoteValue,
  toRecord,
} from './records.ts'

// Reads a payout file in CSV as spreadsheets write it: with a header, and any of the usual separators and line ends.

// Where the decimal separator is a comma, spreadsheets separate cells with semicolons.
const separatorNames = {',': 'commas', ';': 'semicolons', '\t': 'tabs'} as const
type Separator = keyof typeof separatorNames

const isSeparator = (character: string): character is Separator => Object.hasOwn(separatorNames, character)

// Empties the line with which a spreadsheet is told the separator, such as sep=; the other lines keep their numbers.
const clearSeparatorLine = (text: string): string => text.replace(/^"?sep=[,;\t]"?(?=[\r\n])/i, '')

// Picks the separator that occurs most often in the header outside of quotes.
function detectSeparator(text: string): Separator {
  const counts: Record<Separator, number> = {',': 0, ';': 0, '\t': 0}
  let isQuoted = false
  for (const character of text.trimStart()) {
    if (character === '\n' || character === '\r') break
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && isSeparator(character)) counts[character]++
  }
  const [most] = Object.entries(counts).toSorted(([, a], [, b]) => b - a)
  return most && isSeparator(most[0]) ? most[0] : ','
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

const countLineEnds = (text: string) => text.match(/\r\n|[\n\r]/g)?.length ?? 0

// `bytes` is where the cell begins whose quote is wrong. The library's own count of lines goes on to the end of the file
// if a quote is never closed.
function toProblem(error: unknown, text: string): FileProblem {
  if (!(error instanceof Error) || !('bytes' in error) || typeof error.bytes !== 'number') throw error
  const {bytes, message} = error
  const code = 'code' in error ? String(error.code) : ''
  const before = Buffer.from(text).subarray(0, bytes).toString()
  return {line: countLineEnds(before) + 1, message: quoteProblems[code] ?? message}
}

// A separator at the end of the header line makes a column without a name, whose cells must be empty.
function parseHeader({record, info}: CsvRow): {
  columnsByIndex: Array<Column | undefined>
  problems: FileProblem[]
} {
  const problems: FileProblem[] = []
  const seen = new Set<Column>()
  const columnsByIndex = record.map((name) => {
    if (name.trim() === '') return undefined
    const column = findColumn(name)
    if (!column) problems.push({line: info.lines, message: describeUnknownColumn(name.trim())})
    else if (seen.has(column)) problems.push({line: info.lines, message: `the column ${column} occurs twice`})
    else seen.add(column)
    return column
  })
  for (const column of listMissingColumns([...seen])) {
    problems.push({line: info.lines, message: `the column ${column} is missing`})
  }
  return {columnsByIndex, problems}
}

const decimalColumns: ReadonlySet<Column | undefined> = new Set<Column>([
  'amount',
  'developer-fee',
  'max-fee',
  'min-rate',
  'min-received',
])

const commaRule = 'with a point and no comma'

// A surplus cell may come from a number with a comma. Which one it is can be said only if no other comes into question.
function explainCellCount(record: readonly string[], columnsByIndex: ReadonlyArray<Column | undefined>): string {
  const surplus = record.length - columnsByIndex.length
  const split = columnsByIndex.flatMap((column, index) => {
    const [whole = '', decimals = ''] = record.slice(index, index + 2).map((cell) => cell.trim())
    const isNumber = /^[\d.]+$/.test(whole) && /^\d+%?$/.test(decimals)
    return surplus > 0 && decimalColumns.has(column) && isNumber ? [`${column} ${whole},${decimals}`] : []
  })
  if (split.length === 0) return 'quote cells that contain a separator'
  const isCertain = split.length === 1 && surplus === 1
  return isCertain ? `write ${split[0]} ${commaRule}` : `write amounts ${commaRule}`
}

// A row must have as many cells as the header. A row that was cut off may have lost a limit, and an unquoted amount with a
// comma would fill two cells.
function parseCsvRow(
  {record, info}: CsvRow,
  {record: names}: CsvRow,
  columnsByIndex: ReadonlyArray<Column | undefined>,
) {
  const {lines: line} = info
  const problems: FileProblem[] = []
  const cells = new Map<Column, string>()
  for (const [index, cell] of record.entries()) {
    const text = cell.trim()
    const column = columnsByIndex[index]
    if (text !== '' && column) cells.set(column, text)
  }
  if (record.length !== columnsByIndex.length) {
    const message = `has ${record.length} cells, but the header has ${columnsByIndex.length}: ${explainCellCount(record, columnsByIndex)}`
    return {problems: [{line, message}]}
  }
  const stray = record.find((cell, index) => cell.trim() !== '' && names[index]?.trim() === '')
  if (stray !== undefined) problems.push({line, message: `${quoteValue(stray.trim())} is in a column without a name`})
  return {record: {line, cells}, problems}
}

const countPairs = (cell: string) => (cell.includes('\r\n') ? cell.split('\r\n').length - 1 : 0)

// The library counts a line break of two characters inside a cell as two lines.
function correctLines(rows: readonly CsvRow[]): void {
  let excess = 0
  for (const {record, info} of rows) {
    for (const cell of record) excess += countPairs(cell)
    info.lines -= excess
  }
}

export async function parseCsv(fileText: string): Promise<Records> {
  const {parse} = await import('csv-parse/sync')
  const text = clearSeparatorLine(fileText)
  const delimiter = detectSeparator(text)
  const remarks = delimiter === ',' ? [] : [`The file is read as separated by ${separatorNames[delimiter]}.`]
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
    return {records: [], problems: [toProblem(error, text)], absent: new Set(), remarks}
  }
  // Spreadsheets write a cleared row as separators only.
  const [header, ...dataRows] = rows.filter(({record}) => record.some((cell) => cell.trim() !== ''))
  if (!header) return {records: [], problems: [], absent: new Set(), remarks}
  const {columnsByIndex, problems} = parseHeader(header)
  const records: PayoutRecord[] = []
  for (const row of dataRows) {
    const parsed = parseCsvRow(row, header, columnsByIndex)
    if (parsed.record) records.push(parsed.record)
    problems.push(...parsed.problems)
  }
  const absent = new Set(listMissingColumns(columnsByIndex))
  return {records, problems, absent, remarks}
}

// Reads a payout file in JSON lines.
function collect(read: Iterable<ReturnType<typeof toRecord>>): Records {
  const records: PayoutRecord[] = []
  const problems: FileProblem[] = []
  for (const one of read) {
    if (one.record) records.push(one.record)
    problems.push(...one.problems)
  }
  return {records, problems, absent: new Set(), remarks: []}
}

function parseLine(line: number, text: string): ReturnType<typeof toRecord> {
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    return {problems: [{line, message: 'is not valid JSON'}]}
  }
  const repeated = findRepeatedField(text)
  if (repeated !== undefined) return {problems: [{line, message: `has the field ${quoteValue(repeated)} twice`}]}
  return toRecord(line, value)
}

export const parseJsonLines = (text: string): Records =>
  collect(
    text
      .split('\n')
      .map((line, index) => ({line: index + 1, text: line.trim()}))
      .filter((one) => one.text !== '')
      .map((one) => parseLine(one.line, one.text)),
  )

type Format = 'csv' | 'jsonl'

const formatsByEnding: Readonly<Record<string, Format | 'other'>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.txt': 'csv',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.json': 'other',
  '.yaml': 'other',
  '.yml': 'other',
}

// Without a known extension, as for standard input, the beginning of the text decides.
function detectFormat(file: string, text: string): Format {
  const byEnding = lookUp(formatsByEnding, path.extname(file).toLowerCase())
  if (byEnding === 'other') {
    throw badUsage(
      `The file ${file} is neither CSV nor JSON lines`,
      'Write CSV with a header, or one object of JSON per line (.jsonl); nothing was sent',
    )
  }
  return byEnding ?? (text.trimStart().startsWith('{') ? 'jsonl' : 'csv')
}

const byteOrderMark = /^\uFEFF/
const utf16Marks = new Set(['fffe', 'feff'])

function decodeUtf8(bytes: Buffer, name: string): string {
  const hint = 'Save it as CSV in UTF-8; nothing was sent'
  if (utf16Marks.has(bytes.subarray(0, 2).toString('hex'))) throw badUsage(`${name} is in UTF-16`, hint)
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes)
  } catch (cause) {
    throw badUsage(`${name} is not in UTF-8`, hint, cause)
  }
}

function readBytes(file: string): Buffer {
  try {
    return readRegularFile(file)
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw badUsage(`The file ${file} cannot be read (${getSystemCode(cause) ?? 'unknown'})`, 'Check the path', cause)
  }
}

export const getDisplayName = (file: string) => (file === '-' ? 'standard input' : file)

export async function readRecords(file: string): Promise<Records> {
  const text =
    file === '-' ? (await readStdin()).replace(byteOrderMark, '') : decodeUtf8(readBytes(file), `The file ${file}`)
  return detectFormat(file, text) === 'csv' ? parseCsv(text) : parseJsonLines(text)
}
