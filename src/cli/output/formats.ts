// The machine formats: JSON, JSON lines, CSV and YAML.
import {SvcError} from '../../errors.ts'
import {cleanText, escapeUnsafe, escapeUnsafeYaml} from './clean.ts'
import {writeErrLines, writeOut} from './streams.ts'
import {type Column, toText} from './view.ts'

const indent = 2

// JSON.stringify escapes control characters below the space, so DEL is the only unsafe ASCII character left. Most text is
// ASCII, and this check takes a twentieth of the time that a search by regular expression takes.
const isSafeAscii = (json: string) => Buffer.byteLength(json) === json.length && !json.includes('\u007f')
const escapeIfUnsafe = (json: string) => (isSafeAscii(json) ? json : escapeUnsafe(json))

export const toJson = (value: unknown) => `${escapeIfUnsafe(JSON.stringify(value, null, indent))}\n`
export const toJsonLines = (values: readonly unknown[]) =>
  escapeIfUnsafe(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
export const toJsonLine = (value: unknown) => toJsonLines([value])

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
// A negative number is no formula.
const negativeNumber = /^-\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i
const neutraliseFormula = (cell: string) => (formula.test(cell) && !negativeNumber.test(cell) ? `'${cell}` : cell)

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

// What --jq does to data before it is printed, for every command that prints JSON. What could be made before a failure is printed too.
export type Reshape = (values: readonly unknown[]) => {text: string; failure?: SvcError}

let reshape: Reshape | undefined

export function setReshape(chosen: Reshape | undefined): void {
  reshape = chosen
}

// Writes data as JSON, or as what --jq makes of it.
async function writeValues(values: readonly unknown[], plain: () => string): Promise<void> {
  const {text, failure} = reshape?.(values) ?? {text: plain()}
  if (text !== '') await writeOut(text)
  if (failure) throw failure
}

export const writeJson = (value: unknown) => writeValues([value], () => toJson(value))

// A page of a list: one line per item.
export const writeJsonLines = (items: readonly unknown[]) => writeValues(items, () => toJsonLines(items))

// A line of a command that goes on until it is stopped. What cannot be reshaped is reported, and the next one may be fine.
export function renderJsonLine(value: unknown): string {
  const {text, failure} = reshape?.([value]) ?? {text: toJsonLine(value)}
  if (failure) writeErrLines([failure.sentence])
  return text
}

const reshapeFailed = 'OUTPUT_EXPRESSION_FAILED'

export const isReshapeError = (error: unknown) => error instanceof SvcError && error.error === reshapeFailed

// The command did what it was asked to; only its data could not be printed as wanted.
export const createReshapeError = (reason: string) =>
  new SvcError({
    error: reshapeFailed,
    kind: 'bug',
    effect: 'done',
    message: `--jq failed on the data: ${reason}`,
    hint: 'The command itself was carried out; --json shows the data as it is',
  })
