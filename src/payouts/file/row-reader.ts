// Reads a long payout file some rows at a time, so that its length does not matter. It accepts only files without any problem: for
// the others, readPayouts says what is wrong with them.
import type {Hash} from 'node:crypto'
import {Readable} from 'node:stream'
import {type PayoutRecord, listMissingColumns} from './records.ts'
import {
  type CsvRow,
  isCsvRow,
  clearSeparatorLine,
  countPairs,
  detectFormat,
  detectSeparator,
  lineEnds,
  parseCsvRow,
  parseHeader,
  parseLine,
} from './payout-file.ts'
import {type PayoutRow, parseRow} from './rows.ts'
import {readInParts} from '../../storage/read-regular-file.ts'

// The file has a problem, or cannot be read some rows at a time.
export class IrregularFile extends Error {
  override name = 'IrregularFile'
}

const chunkRows = 1000
// All rows of a part are parsed at once, so a small one leaves fewer of them to wait.
const readBytes = 16 * 1024

// Decodes the file, and adds its bytes to the hash.
async function* decodeFile(file: string, hash: Hash): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', {fatal: true})
  try {
    for (const bytes of readInParts(file, readBytes)) {
      hash.update(bytes)
      yield decoder.decode(bytes, {stream: true})
    }
    yield decoder.decode()
  } catch (cause) {
    throw new IrregularFile('the file cannot be decoded', {cause})
  }
}

async function* join(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

async function* readCsvRecords(start: string, rest: AsyncGenerator<string>): AsyncGenerator<PayoutRecord> {
  const {parse} = await import('csv-parse')
  const first = clearSeparatorLine(start)
  const parser = parse({
    delimiter: detectSeparator(first),
    record_delimiter: lineEnds,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
  })
  const source = Readable.from(join(first, rest))
  source.on('error', (error) => parser.destroy(error))
  let header: CsvRow | undefined
  let columnsByIndex: ReturnType<typeof parseHeader>['columnsByIndex'] = []
  let excess = 0
  for await (const read of source.pipe(parser)) {
    if (!isCsvRow(read)) continue
    const row = read
    // As in parseCsv: the library counts a line break of two characters inside a cell as two lines.
    for (const cell of row.record) excess += countPairs(cell)
    row.info.lines -= excess
    if (row.record.every((cell) => cell.trim() === '')) continue
    if (header) {
      const {record, problems} = parseCsvRow(row, header, columnsByIndex)
      if (!record || problems.length > 0) throw new IrregularFile()
      yield record
      continue
    }
    header = row
    const parsed = parseHeader(row)
    columnsByIndex = parsed.columnsByIndex
    if (parsed.problems.length > 0) throw new IrregularFile()
    if (listMissingColumns(columnsByIndex).length > 0) throw new IrregularFile()
  }
}

async function* readJsonRecords(first: string, rest: AsyncGenerator<string>): AsyncGenerator<PayoutRecord> {
  let line = 0
  let left = ''
  const parse = (text: string) => {
    line += 1
    if (text.trim() === '') return undefined
    const {record, problems} = parseLine(line, text.trim())
    if (!record || problems.length > 0) throw new IrregularFile()
    return record
  }
  for await (const text of join(first, rest)) {
    const lines = `${left}${text}`.split('\n')
    left = lines.pop() ?? ''
    for (const each of lines) {
      const record = parse(each)
      if (record) yield record
    }
  }
  const last = parse(left)
  if (last) yield last
}

// Keys that occur twice have to be found by whoever stores the rows.
const noLines: Map<string, number> = new (class extends Map<string, number> {
  override set() {
    return this
  }
})()

async function* readRows(file: string, text: AsyncGenerator<string>): AsyncGenerator<PayoutRow> {
  const {value: first} = await text.next()
  if (first === undefined) throw new IrregularFile()
  const format = detectFormat(file, first)
  if (format === 'yaml') throw new IrregularFile()
  for await (const record of (format === 'csv' ? readCsvRecords : readJsonRecords)(first, text)) {
    const {row, problems} = parseRow(record, new Set(), noLines)
    if (problems.length > 0 || row.incomplete || row.content.receive !== undefined) throw new IrregularFile()
    yield row
  }
}

export async function* readRowChunks(file: string, hash: Hash): AsyncGenerator<PayoutRow[]> {
  const text = decodeFile(file, hash)
  let rows: PayoutRow[] = []
  let count = 0
  try {
    for await (const row of readRows(file, text)) {
      rows.push(row)
      count += 1
      if (rows.length < chunkRows) continue
      yield rows
      rows = []
    }
    if (count === 0) throw new IrregularFile()
    if (rows.length > 0) yield rows
  } catch (error) {
    throw error instanceof IrregularFile ? error : new IrregularFile('the file cannot be parsed', {cause: error})
  } finally {
    await text.return(undefined)
  }
}
