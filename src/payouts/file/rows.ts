// The rows of a payout file. All of them are validated before the first is sent, and all problems are reported at once.
import {type Body} from '../../values/body-paths.ts'
import {cleanText} from '../../cli/output/clean.ts'
import {amountPattern} from '../../contract/vocabulary.ts'
import {SvcError} from '../../errors.ts'
import {validateQuote, buildQuoteBody} from '../../quotes/quote-body.ts'
import {lacksDetails} from '../../quotes/complete-route.ts'
import {isDetailPath, routeFields} from '../../quotes/route-fields.ts'
import {feeMaxFormat, parseFeeMax} from '../../payments/protocol/limits.ts'
import {isQuoteKey, reservedPrefixRule} from '../../payments/protocol/payment.ts'
import {type Plan, toPlan} from '../../payments/pay/plan.ts'
import {isValidKey, resolveKey, validKeyRule} from '../../payments/pay/slots.ts'
import {svc} from '../../values/text.ts'
import {type Column, type FileProblem, type PayoutRecord, quoteValue, describeLines} from './records.ts'
import type {FileSlot} from './file-slot.ts'
import {readRecords} from './payout-file.ts'

export interface PayoutRow extends Plan {
  line: number
  // Of a file with a slot, what the key was made from, as `svc pay` records it.
  template?: string
  slot?: string
  // The person's own remark, which the journal keeps with the payment.
  note?: string | undefined
  // Of a batch that was submitted with --allow-duplicates.
  allowsDuplicates?: true
  // The quote as the file gives it, if the accounts have to decide the rest of its route.
  incomplete?: Body
}

const trueCell = /^(true|yes|1)$/i
const falseCell = /^(false|no|0)$/i

const noteCharsMax = 1000

// What is wrong with a key, if anything is.
function findKeyProblem(key: string | undefined, lineOfKey: ReadonlyMap<string, number>): string | undefined {
  if (key === undefined) return 'is missing: every row needs a unique, permanent name'
  if (!isValidKey(key)) return validKeyRule
  if (/[{}]/.test(key)) return 'contains a brace: placeholders work only in `svc pay --key`'
  if (isQuoteKey(key)) return reservedPrefixRule
  const first = lineOfKey.get(key)
  return first === undefined ? undefined : `is already used by line ${first}`
}

// A file never pays whoever happens to match a name.
const explainValue = (column: Column, message: string, found = '') =>
  column === 'customer' ? `${message}; ${svc`customers list --search ${found}`} searches names` : message

// Makes the same checks as a quote and `svc pay`.
export function parseRow({line, cells}: PayoutRecord, lineOfKey: Map<string, number>) {
  const problems: FileProblem[] = []
  const report = (column: Column, message: string) =>
    problems.push({line, message: `${column} ${message}`, found: cells.get(column)})
  // What the cell says, if there is one and it says what it should.
  const read = <T>(column: Column, parse: (text: string) => T | undefined, rule: string): T | undefined => {
    const text = cells.get(column)
    const value = text === undefined ? undefined : parse(text)
    if (text !== undefined && value === undefined) report(column, rule)
    return value
  }
  const readDecimal = (column: Column) =>
    read(column, (text) => amountPattern.exec(text)?.[0], 'must be a decimal number, such as 1.05')

  const key = cells.get('key')
  const keyProblem = findKeyProblem(key, lineOfKey)
  if (keyProblem !== undefined) report('key', keyProblem)
  else lineOfKey.set(key ?? '', line)
  const body = buildQuoteBody(Object.fromEntries(cells))
  for (const {path, kind, message} of validateQuote(body).problems) {
    if (kind === 'missing' && isDetailPath('', path)) continue
    const column = routeFields.find((field) => field.path === path)?.flag
    // The message of a missing field names a flag, but a file has columns.
    if (column) report(column, kind === 'missing' ? 'is missing' : explainValue(column, message, cells.get(column)))
    else problems.push({line, message: `${path} ${message}`})
  }
  const plan = toPlan({
    ...body,
    key,
    maxFee: read('max-fee', (text) => parseFeeMax(text) && text, `must be ${feeMaxFormat}`),
    minRate: readDecimal('min-rate'),
    minReceived: readDecimal('min-received'),
    guaranteeQuote: read(
      'guarantee',
      (text) => trueCell.test(text) || (falseCell.test(text) ? false : undefined),
      'must be yes or no',
    ),
  })
  // On one line and without what would control a terminal, wherever it is shown.
  const note = cleanText(cells.get('note') ?? '').trim()
  if (note.length > noteCharsMax) report('note', `has more than ${noteCharsMax} characters`)
  const row: PayoutRow = {
    line,
    ...plan,
    ...(note !== '' && {note}),
    ...(lacksDetails(body, '') && {incomplete: body}),
  }
  return {row, problems}
}

const problemsShownMax = 50
// From so many rows on, the same problem is told once.
const sameMin = 3

const describeProblem = ({line, message, found}: FileProblem) =>
  `line ${line}: ${message}${found === undefined ? '' : ` (found ${quoteValue(found)})`}`

export function rejectFile(file: string, problems: readonly FileProblem[]): void {
  if (problems.length === 0) return
  const sorted = problems.toSorted((a, b) => a.line - b.line)
  const lines = [...Map.groupBy(sorted, ({message}) => message).values()].flatMap((same) => {
    const texts = same.map(describeProblem)
    return same.length < sameMin ? texts : [`${texts[0]}; so too in ${describeLines(same.slice(1))}`]
  })
  const more = lines.length - problemsShownMax
  throw new SvcError({
    error: 'BAD_USAGE',
    kind: 'usage',
    message: `There ${lines.length === 1 ? 'is a problem' : `are ${lines.length} problems`} in ${file === '-' ? 'standard input' : file}`,
    hint: 'Nothing was sent',
    problems: [...lines.slice(0, problemsShownMax), ...(more > 0 ? [`… and ${more} more`] : [])],
  })
}

// The row with the key that it has in the slot, or the problem that this key is too long.
function addSlot(row: PayoutRow, {template, name, time}: FileSlot): PayoutRow | FileProblem {
  if (isValidKey(`${name}-${row.key}`)) return {...row, ...resolveKey(`${template}-${row.key}`, time)}
  return {line: row.line, message: `key, with its slot, ${validKeyRule}`}
}

// A payout file as it is written.
export interface PayoutFile {
  // The path, or - for standard input.
  file: string
  // Those that are right by themselves.
  rows: PayoutRow[]
  problems: FileProblem[]
}

export async function readPayouts(file: string, slot?: FileSlot): Promise<PayoutFile> {
  const {records, problems} = await readRecords(file)
  const lineOfKey = new Map<string, number>()
  const read = records.flatMap((record) => {
    const {row, problems: own} = parseRow(record, lineOfKey)
    if (own.length > 0) return own
    return [slot ? addSlot(row, slot) : row]
  })
  const all = [...problems, ...read.filter((one) => 'message' in one)]
  if (read.length === 0 && all.length === 0) all.push({line: 1, message: 'the file has no rows'})
  return {file, rows: read.filter((one) => 'key' in one), problems: all}
}
