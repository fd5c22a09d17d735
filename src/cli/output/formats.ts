// The machine formats: JSON as the service's own, JSON lines, CSV for spreadsheets, YAML.
import {cleanText, escapeUnsafe} from './clean.ts'
import {type Column, toText} from './view.ts'

const indent = 2

// JSON has escaped what lies below the blank already, so plain ASCII has one unsafe character left. Most text is plain, and
// this is told in a twentieth of the time that looking at every character takes.
const isSafeAscii = (json: string) => Buffer.byteLength(json) === json.length && !json.includes('\u007f')
const escapeIfUnsafe = (json: string) => (isSafeAscii(json) ? json : escapeUnsafe(json))

export const toJson = (value: unknown) => `${escapeIfUnsafe(JSON.stringify(value, null, indent))}\n`
export const toJsonLine = (value: unknown) => `${escapeIfUnsafe(JSON.stringify(value))}\n`

// `lines` are the same items in the service's own words, which need not be written anew where they are safe.
export const toJsonLines = (items: readonly unknown[], lines: string | undefined) =>
  lines !== undefined && isSafeAscii(lines) ? lines : items.map(toJsonLine).join('')

// JSON is YAML already: read as such, it keeps the digits of its numbers, and is then only laid out anew.
export async function toYaml(value: unknown): Promise<string> {
  const [{Scalar, parseDocument, visit}, {isNumeric}] = await Promise.all([
    import('yaml'),
    import('../body/yaml-document.ts'),
  ])
  const document = parseDocument(JSON.stringify(value), {
    // Readers of older YAML take a bare NO for false and a bare date for a time.
    compat: 'yaml-1.1',
    customTags: (tags) =>
      tags.map((tag) => (isNumeric(tag) ? {...tag, stringify: ({source}) => source ?? 'null'} : tag)),
  })
  visit(document, {
    Collection(_, node) {
      node.flow = node.items.length === 0
    },
    Scalar(_, node) {
      if (typeof node.value !== 'string') return
      // Only double quotes know escapes, so text with an unsafe character stays in them.
      if (cleanText(node.value) === node.value) delete node.type
      else node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return escapeUnsafe(document.toString({lineWidth: 0}))
}

// Spreadsheets differ in whether they look past a space, so the first visible character counts.
const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/
const neutraliseFormula = (cell: string) => (formula.test(cell) ? `'${cell}` : cell)

// A CSV writer that neutralises cells which a spreadsheet would run as a formula.
export async function createCsvWriter<T>(columns: ReadonlyArray<Column<T>>) {
  const {stringify} = await import('csv-stringify/sync')
  const write = (rows: string[][]) =>
    stringify(
      rows.map((row) => row.map(neutraliseFormula)),
      {eof: true},
    )
  return {
    header: () => write([columns.map(({name}) => cleanText(name))]),
    rows: (items: readonly T[]) => write(items.map((item) => columns.map(({value}) => cleanText(toText(value(item)))))),
  }
}
