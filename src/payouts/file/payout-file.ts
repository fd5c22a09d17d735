// Reads the records of a payout file: CSV as spreadsheets write it, with a header and any of the usual separators and line ends, or JSON
// lines.
import {readStdin} from '../../cli/output/streams.ts'
import {badUsage} from '../../errors.ts'
import {readNamedText} from '../../storage/read-regular-file.ts'
import {findRepeatedField, parseJson} from '../../values/json.ts'
import {isRecord} from '../../values/records.ts'
import {
  type Column,
  type FileProblem,
  type PayoutRecord,
  type Records,
  describeUnknownColumn,
  findColumn,
  quoteValue,
} from './records.ts'

type Read = PayoutRecord | FileProblem

const toRecords = (read: readonly Read[]): Records => ({
  records: read.filter((one) => 'cells' in one),
  problems: read.filter((one) => 'message' in one),
})

// The columns that these names mean, in their order, and what is wrong with the names.
function readNames(line: number, names: readonly string[]) {
  const found = names.map(findColumn)
  const unknown = names.filter((name, index) => name !== '' && !found[index])
  const repeated = found.filter((column, index) => column && found.indexOf(column) < index)
  const messages = [
    ...unknown.map(describeUnknownColumn),
    ...repeated.map((column) => `the column ${column} occurs twice`),
  ]
  return {found, problems: messages.map((message): FileProblem => ({line, message}))}
}

function toRecord(
  line: number,
  columns: ReadonlyArray<Column | undefined>,
  texts: ReadonlyArray<string | undefined>,
): PayoutRecord {
  const filled = columns.flatMap((column, index) => (column && texts[index] ? [[column, texts[index]] as const] : []))
  return {line, cells: new Map(filled)}
}

// Where the decimal separator is a comma, spreadsheets separate cells with semicolons.
const separators = [',', ';', '\t'] as const

// Picks the separator that occurs most often in the header outside of quotes.
function detectSeparator(text: string): string {
  const [header = ''] = text.trimStart().split('\n', 1)
  const unquoted = header.replaceAll(/"[^"]*"?/g, '')
  const count = (separator: string) => unquoted.split(separator).length
  return separators.reduce((most, one) => (count(one) > count(most) ? one : most))
}

interface CsvRow {
  record: string[]
  info: {lines: number}
}

const quoteProblems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is never closed',
  INVALID_OPENING_QUOTE: 'a quote is inside a cell that does not begin with one; quote the cell and double the quote',
  CSV_INVALID_CLOSING_QUOTE: 'a cell continues after its closing quote',
}

// `bytes` is where the cell begins whose quote is wrong. The library's own count of lines goes on to the end of the file
// if a quote is never closed.
function toProblem(error: unknown, text: string): FileProblem {
  if (!(error instanceof Error) || !('bytes' in error) || typeof error.bytes !== 'number') throw error
  const before = Buffer.from(text).subarray(0, error.bytes).toString()
  const code = 'code' in error ? String(error.code) : ''
  return {line: before.split('\n').length, message: quoteProblems[code] ?? error.message}
}

// A row must have as many cells as the header. A row that was cut off may have lost a limit, and an unquoted amount with a
// comma would fill two cells. A separator at the end of the header makes a column without a name, whose cells must be empty.
function readCells(line: number, names: readonly string[], texts: readonly string[]): readonly string[] | FileProblem {
  if (texts.length !== names.length) {
    const why = 'quote cells that contain a separator, and write amounts with a point and no comma'
    return {line, message: `has ${texts.length} cells, but the header has ${names.length}: ${why}`}
  }
  const nameless = texts.find((text, index) => text !== '' && names[index] === '')
  return nameless === undefined ? texts : {line, message: `${quoteValue(nameless)} is in a column without a name`}
}

export async function parseCsv(fileText: string): Promise<Records> {
  const {parse} = await import('csv-parse/sync')
  // The line with which a spreadsheet is told the separator, such as sep=; is emptied, so that the others keep their numbers.
  const text = fileText.replaceAll(/\r\n?/g, '\n').replace(/^"?sep=[,;\t]"?(?=\n)/i, '')
  const delimiter = detectSeparator(text)
  let rows: Array<{line: number; texts: string[]}>
  try {
    const options = {delimiter, record_delimiter: '\n', info: true, relax_column_count: true, skip_empty_lines: true}
    // The library's types do not say that `info: true` gives rows of this form.
    const read = parse(text, options) as unknown as CsvRow[]
    rows = read.map(({record, info}) => ({line: info.lines, texts: record.map((cell) => cell.trim())}))
  } catch (error) {
    return toRecords([toProblem(error, text)])
  }
  // Spreadsheets write a cleared row as separators only.
  const [header, ...others] = rows.filter(({texts}) => texts.some((cell) => cell !== ''))
  if (!header) return toRecords([])
  const {found, problems} = readNames(header.line, header.texts)
  const records = others.map(({line, texts}): Read => {
    const cells = readCells(line, header.texts, texts)
    return 'message' in cells ? cells : toRecord(line, found, cells)
  })
  return toRecords([...problems, ...records])
}

// Numbers keep their digits. Returns undefined for anything but text, numbers and booleans.
function toCellText(value: unknown): string | undefined {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return JSON.isRawJSON(value) ? value.rawJSON : undefined
}

function parseLine(line: number, text: string): Read[] {
  let fields: unknown
  try {
    fields = parseJson(text)
  } catch {
    return [{line, message: 'is not valid JSON'}]
  }
  const repeated = findRepeatedField(text)
  if (repeated !== undefined) return [{line, message: `has the field ${quoteValue(repeated)} twice`}]
  if (!isRecord(fields)) return [{line, message: 'is not an object of columns and values'}]
  const {found, problems} = readNames(line, Object.keys(fields))
  const cells = Object.values(fields).map(toCellText)
  const wrong = found.filter((column, index) => column && cells[index] === undefined)
  return [
    toRecord(line, found, cells),
    ...problems,
    ...wrong.map((column) => ({line, message: `${column} must be text or a number`})),
  ]
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

export async function readRecords(file: string): Promise<Records> {
  const text = file === '-' ? await readStdin() : readNamedText(file)
  return isJsonLines(file, text) ? parseJsonLines(text) : parseCsv(text)
}
