// Any text as a payout file in CSV, and any cells that svc writes as CSV: they read back the same, and no spreadsheet runs
// them.
import {parse} from 'csv-parse/sync'
import {stringify} from 'csv-stringify/sync'
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {cleanText} from '../../src/cli/output/clean.ts'
import {createCsvWriter} from '../../src/cli/output/formats.ts'
import {columns} from '../../src/payouts/file/records.ts'
import {parseCsv} from '../../src/payouts/file/payout-file.ts'
import {hasControlCharacters} from '../support/hostile.ts'
import {checkInputs, damage, hostileText, hostileWords, longTexts, fromSeed} from './fuzz.ts'

const separator = fc.constantFrom(',', ';', '\t')
const cells = fc.array(hostileText, {minLength: columns.length, maxLength: columns.length})
const rows = fc.array(cells, {maxLength: 4})
const file = fc
  .tuple(rows, separator)
  .map(([records, delimiter]) => stringify([[...columns], ...records], {delimiter, eof: true}))
const pieces = ['"', ',', ';', '\t', '\n', '\r', '\r\n', '\uFEFF', '\u2028', '\u0085', '""', '\u0000']
const text = fc.oneof(hostileText, file, damage(file, pieces))

const corpus = [
  '',
  '"',
  'key;amount\n"a;b";1\n',
  'key,constructor,__proto__\na,b,c\n',
  'key,key,KEY\na,b,c\n',
  `${columns.join(',')}\r\n${columns.map(() => '1e99999999').join(',')}\r\n`,
  ...longTexts,
  ...hostileWords,
]

const column = (index: number) => ({
  name: `c${index}`,
  header: `C${index}`,
  rank: 0,
  value: (row: readonly string[]) => row[index],
})
// A negative number is none.
const formula = /^(?!-\d+(?:\.\d+)?(?:e[+-]?\d+)?$)\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/i

describe(`any CSV ${fromSeed}`, () => {
  it('is rows and problems that name a line', () =>
    checkInputs(text, {corpus}, async (source) => {
      const {records, problems} = await parseCsv(source)
      const lines = source.split(/\r\n|[\n\r]/).length
      expect([...records, ...problems].every(({line}) => line >= 0 && line <= lines)).toBe(true)
      expect(records.length).toBeLessThanOrEqual(lines)
      expect(problems.every(({message}) => message.length < 300)).toBe(true)
    }))

  it('that is a payout file has the cells that were written, on their lines', () =>
    checkInputs(rows, {}, async (generated) => {
      for (const [delimiter, lineEnd] of [
        [',', '\n'],
        [';', '\r\n'],
        ['\t', '\n'],
      ] as const) {
        // A file is UTF-8, which has no lone surrogates, and has line ends of one kind.
        const records = generated.map((record) =>
          record.map((cell) => cell.toWellFormed().replaceAll(/\r\n|[\r\n]/g, lineEnd)),
        )
        const options = {delimiter, record_delimiter: lineEnd, eof: true, quoted: true}
        const read = await parseCsv(stringify([[...columns], ...records], options))
        const expected = records
          .filter((record) => record.some((cell) => cell.trim() !== ''))
          .map((record) => record.map((cell) => cell.trim().replaceAll('\r\n', '\n')))
        const lastLines = records.map(
          (_, index) => stringify([[...columns], ...records.slice(0, index + 1)], options).split(lineEnd).length - 1,
        )
        expect(read.problems).toEqual([])
        expect(lastLines).toEqual(expect.arrayContaining(read.records.map(({line}) => line)))
        expect(read.records.map((one) => columns.map((name) => one.cells.get(name) ?? ''))).toEqual(expected)
      }
    }))

  it('that svc writes has the same cells for commas, and no separator of other spreadsheets outside of quotes', () =>
    checkInputs(
      rows,
      {corpus: [...hostileWords, ...longTexts].map((word) => [columns.map((_, at) => (at > 1 ? '' : word))])},
      async (records) => {
        const writer = await createCsvWriter(columns.map((_, index) => column(index)))
        const written = writer.header() + writer.rows(records)
        expect(hasControlCharacters(written.replaceAll('\u200D', ''))).toBe(false)
        const read = parse(written).slice(1)
        expect(read.flat().filter((cell) => formula.test(cell))).toEqual([])
        const expected = records.map((record) =>
          record.map((cell) => cleanText(cell)).map((cell) => (formula.test(cell) ? `'${cell}` : cell)),
        )
        expect(read).toEqual(expected)
        expect(written.replaceAll(/"(?:[^"]|"")*"/g, '')).not.toContain(';')
      },
    ))
})
