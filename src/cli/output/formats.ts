// The machine formats: JSON, JSON lines, CSV and YAML.
import {cleanText, escapeUnsafe, escapeUnsafeYaml} from './clean.ts'
import {type Column, toText} from './view.ts'

const indent = 2

// JSON.stringify escapes control characters below the space, so DEL is the only unsafe ASCII character left. Most text is ASCII, and this check takes a twentieth of the time that a search by regular expression takes.
const isSafeAscii = (json: string) => Buffer.byteLength(json) === json.length && !json.includes('\u007f')
const escapeIfUnsafe = (json: string) => (isSafeAscii(json) ? json : escapeUnsafe(json))

export const toJson = (value: unknown) => `${escapeIfUnsafe(JSON.stringify(value, null, indent))}\n`
export const toJsonLine = (value: unknown) => `${escapeIfUnsafe(JSON.stringify(value))}\n`
export const toJsonLines = (values: readonly unknown[]) =>
  escapeIfUnsafe(values.map((value) => `${JSON.stringify(value)}\n`).join(''))

// Only double-quoted text can contain escapes. A bare = has a meaning of its own in YAML 1.1.
const needsDoubleQuotes = (text: string) => text === '=' || text.includes('\n') || escapeUnsafeYaml(text) !== text

// YAML 1.1 parsers take a number with an exponent for text, unless it has a point and the exponent has a sign.
const withExponent = /^(-?\d+)(\.\d+)?e([+-]?)(\d+)$/i
const toYamlNumber = (source: string) =>
  source.replace(
    withExponent,
    (_, whole: string, fraction = '.0', sign: string, digits: string) => `${whole}${fraction}e${sign || '+'}${digits}`,
  )

// JSON is valid YAML. Parsed as YAML it keeps the exact digits of its numbers, and only the layout changes.
export async function toYaml(value: unknown): Promise<string> {
  const [{Scalar, parseDocument, visit}, {isNumeric}] = await Promise.all([
    import('yaml'),
    import('../../values/yaml.ts'),
  ])
  const document = parseDocument(JSON.stringify(value), {
    // YAML 1.1 parsers read a bare NO as false and a bare date as a time, so such text is quoted.
    compat: 'yaml-1.1',
    customTags: (tags) =>
      tags.map((tag) => (isNumeric(tag) ? {...tag, stringify: ({source}) => toYamlNumber(source ?? 'null')} : tag)),
  })
  visit(document, {
    Collection(_, node) {
      node.flow = node.items.length === 0
    },
    Scalar(_, node) {
      if (typeof node.value !== 'string') return
      if (needsDoubleQuotes(node.value)) node.type = Scalar.QUOTE_DOUBLE
      else delete node.type
    },
  })
  // Text in double quotes stays on one line, with its line breaks escaped.
  return escapeUnsafeYaml(document.toString({lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY}))
}

// Some spreadsheets ignore leading spaces, so the first visible character decides.
const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/
const neutraliseFormula = (cell: string) => (formula.test(cell) ? `'${cell}` : cell)

// A CSV writer that prefixes cells which a spreadsheet would run as a formula.
export async function createCsvWriter<T>(columns: ReadonlyArray<Column<T>>) {
  const {stringify} = await import('csv-stringify/sync')
  const write = (rows: string[][]) =>
    stringify(
      rows.map((row) => row.map(neutraliseFormula)),
      // Some spreadsheets separate cells by semicolons.
      {eof: true, quoted_match: ';'},
    )
  return {
    header: () => write([columns.map(({name}) => cleanText(name))]),
    rows: (items: readonly T[]) => write(items.map((item) => columns.map(({value}) => cleanText(toText(value(item)))))),
  }
}
