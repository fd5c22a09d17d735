// The rows of a payout file. All of them are validated before the first is sent, and all problems are reported at once.
import {type Body} from '../../values/body-paths.ts'
import {cleanText} from '../../cli/output/clean.ts'
import {SvcError} from '../../errors.ts'
import {validateQuote, buildQuoteBody} from '../../quotes/quote-body.ts'
import {lacksDetails} from '../../quotes/complete-route.ts'
import {isDetailPath} from '../../quotes/route-fields.ts'
import {feeMaxFormat, parseFeeMax} from '../../payments/protocol/limits.ts'
import {
  type PaymentContent,
  type PriceLimits,
  isQuoteKey,
  reservedPrefixRule,
  toContent,
} from '../../payments/protocol/payment.ts'
import {isValidKey, resolveKey, validKeyRule} from '../../payments/pay/slots.ts'
import {
  type Column,
  type FileProblem,
  type PayoutRecord,
  findColumnForPath,
  quoteValue,
  describeLines,
} from './records.ts'
import type {FileSlot} from './file-slot.ts'
import {getDisplayName, readRecords} from './payout-file.ts'
import {quoteForShell} from '../../values/text.ts'
import {lookUp} from '../../values/records.ts'

export interface PayoutRow {
  line: number
  key: string
  content: PaymentContent
  limits: PriceLimits
  isGuaranteed: boolean
  // Of a file with a slot, what the key was made from, as `svc pay` records it.
  template?: string
  slot?: string
  // The person's own remark, which the journal keeps with the payment.
  note?: string | undefined
  // The quote as the file gives it, if ids in it are shortened, or the accounts have to decide the rest of its route.
  incomplete?: Body
}

type Cells = PayoutRecord['cells']
type ReportProblem = (column: Column, message: string) => void

const decimal = /^\d{1,30}(\.\d{1,30})?$/
// A number as spreadsheets write it where the decimal separator, or the thousands separator, is a comma.
const decimalComma = /^[\d.]*\d,\d[\d.,]*%?$/

function parseFeeMaxCell(text: string | undefined, report: ReportProblem): PriceLimits['feeMax'] {
  if (text === undefined) return undefined
  const feeMax = parseFeeMax(text)
  if (!feeMax) report('max-fee', `must be ${feeMaxFormat}`)
  return feeMax
}

function parseDecimalCell(cells: Cells, column: Column, report: ReportProblem): string | undefined {
  const text = cells.get(column)
  if (text === undefined || decimal.test(text)) return text
  report(column, 'must be a decimal number, such as 1.05')
  return undefined
}

const booleanCells: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  1: true,
  false: false,
  no: false,
  0: false,
}

// A limit on the rate or on the amount received implies a guarantee, unless the file says otherwise.
function parseGuaranteeCell(cells: Cells, {rateMin, receivedMin}: PriceLimits, report: ReportProblem): boolean {
  const text = cells.get('guarantee')?.toLowerCase()
  if (text === undefined) return rateMin !== undefined || receivedMin !== undefined
  const answer = lookUp(booleanCells, text)
  if (answer === undefined) report('guarantee', 'must be yes or no')
  return answer ?? false
}

const noteCharsMax = 1000

// On one line and without what would control a terminal, wherever it is shown.
function parseNoteCell(cells: Cells, report: ReportProblem): string | undefined {
  const note = cleanText(cells.get('note') ?? '').trim()
  if (note.length > noteCharsMax) report('note', `has more than ${noteCharsMax} characters`)
  return note === '' ? undefined : note
}

function validateKey(
  key: string | undefined,
  lineOfKey: Map<string, number>,
  line: number,
  report: ReportProblem,
): void {
  if (key === undefined) return report('key', 'is missing: every row needs a unique, permanent name')
  if (!isValidKey(key)) return report('key', validKeyRule)
  if (/[{}]/.test(key)) return report('key', 'contains a brace: placeholders work only in `svc pay --key`')
  if (isQuoteKey(key)) return report('key', reservedPrefixRule)
  const first = lineOfKey.get(key)
  if (first !== undefined) return report('key', `is already used by line ${first}`)
  lineOfKey.set(key, line)
}

// A file never pays whoever happens to match a name.
const explainValue = (column: Column, message: string, found = '') =>
  column === 'customer' ? `${message}; \`svc customers list --search ${quoteForShell(found)}\` searches names` : message

// Makes the same checks as a quote and `svc pay`.
export function parseRow({line, cells}: PayoutRecord, absent: ReadonlySet<Column>, lineOfKey: Map<string, number>) {
  const problems: FileProblem[] = []
  const report: ReportProblem = (column, message) => {
    const found = cells.get(column)
    if (found === undefined && absent.has(column)) return
    const advice = found !== undefined && decimalComma.test(found) ? ', with a point and no comma' : ''
    const quoted = found === undefined ? '' : ` (found ${quoteValue(found)})`
    problems.push({line, message: `${column} ${message}${advice}${quoted}`})
  }
  const key = cells.get('key')
  validateKey(key, lineOfKey, line, report)
  const body = buildQuoteBody(Object.fromEntries(cells))
  for (const {path, kind, message} of validateQuote(body).problems) {
    if (kind === 'missing' && isDetailPath('', path)) continue
    const column = findColumnForPath(path)
    // The message of a missing field names a flag, but a file has columns.
    if (column) report(column, kind === 'missing' ? 'is missing' : explainValue(column, message, cells.get(column)))
    else problems.push({line, message: `${path} ${message}`})
  }
  const limits: PriceLimits = {
    feeMax: parseFeeMaxCell(cells.get('max-fee'), report),
    rateMin: parseDecimalCell(cells, 'min-rate', report),
    receivedMin: parseDecimalCell(cells, 'min-received', report),
  }
  const isGuaranteed = parseGuaranteeCell(cells, limits, report)
  const note = parseNoteCell(cells, report)
  const row: PayoutRow = {
    line,
    key: key ?? '',
    content: toContent(body),
    limits,
    isGuaranteed,
    ...(note !== undefined && {note}),
    ...(lacksDetails(body, '') && {incomplete: body}),
  }
  return {row, problems}
}

const problemsShownMax = 50
// From so many rows on, the same problem is told once.
const sameMin = 3

export function rejectFile(file: string, problems: readonly FileProblem[]): void {
  if (problems.length === 0) return
  const sorted = problems.toSorted((a, b) => a.line - b.line)
  const lines = [...Map.groupBy(sorted, ({message}) => message)].flatMap(([message, same]) =>
    same.length < sameMin
      ? same.map(({line}) => `line ${line}: ${message}`)
      : [`line ${same[0]?.line}: ${message}; so too in ${describeLines(same.slice(1))}`],
  )
  const more = lines.length - problemsShownMax
  throw new SvcError({
    error: 'BAD_USAGE',
    kind: 'usage',
    message: `There ${lines.length === 1 ? 'is a problem' : `are ${lines.length} problems`} in ${getDisplayName(file)}`,
    hint: 'Nothing was sent',
    problems: [...lines.slice(0, problemsShownMax), ...(more > 0 ? [`… and ${more} more`] : [])],
  })
}

// The row with the key that it has in the slot, or the problem that this key is too long.
function addSlot(row: PayoutRow, {template, name, time}: FileSlot): PayoutRow | FileProblem {
  if (isValidKey(`${name}-${row.key}`)) return {...row, ...resolveKey(`${template}-${row.key}`, time)}
  return {line: row.line, message: `key, with its slot, ${validKeyRule}`}
}

// Rejects a file with all problems that it has by itself, before the service is asked.
export async function readPayouts(file: string, slot?: FileSlot): Promise<PayoutRow[]> {
  const {records, problems: read, absent} = await readRecords(file)
  const lineOfKey = new Map<string, number>()
  const parsed = records.map((record) => parseRow(record, absent, lineOfKey))
  const slotted = parsed.map(({row}) => (slot ? addSlot(row, slot) : row))
  const rows = slotted.filter((row) => 'key' in row)
  const problems = [...read, ...parsed.flatMap((one) => one.problems), ...slotted.filter((one) => 'message' in one)]
  if (parsed.length === 0 && problems.length === 0) problems.push({line: 1, message: 'the file has no rows'})
  rejectFile(file, problems)
  return rows
}
