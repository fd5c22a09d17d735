// The result of a row, as it is shown, printed as JSON and written to the result file.
import type {LooseTransaction} from '../../contract/loose.ts'
import {type ErrorKind, SvcError} from '../../errors.ts'
import {waitHint} from '../../controls/new-payees.ts'
import {JournalUnusable} from '../../payments/journal/journal.ts'
import {describeDifferences, joinDifferences} from '../../payments/protocol/compare.ts'
import {SearchFailed, UnrecordedPayment} from '../../payments/protocol/errors.ts'
import {
  type BadEnding,
  type Payment,
  getLastAttempt,
  hasFinalStatus,
  readBadEnding,
  readContent,
} from '../../payments/protocol/payment.ts'
import {nameFields} from '../../quotes/name-fields.ts'
import {addAmounts, describeArrival} from '../../values/money.ts'
import {readAmount, readText} from '../../values/records.ts'
import type {PayoutRow} from '../file/rows.ts'
import type {RowState} from './row-states.ts'

export interface PayoutResult {
  line: number
  key: string
  // The remark of the row, as the file has it.
  note?: string
  customer: string
  // The payment account that receives the money.
  destination: string
  state: RowState
  transaction?: string
  status?: string
  amount: string
  currency: string
  // Both fees together, in the source currency.
  fee?: string
  received?: string
  receivedCurrency: string
  // Whether the quote promises the amount received, if that is known. Without a promise it may change until the transaction ends.
  guaranteed?: boolean
  // Made by an earlier run or by another program, not by this run.
  madeBefore?: true
  // How the transaction differs from what was meant: all differences, separated by semicolons.
  difference?: string
  // How the content of the key was changed, if it had another one before.
  changes?: readonly string[]
  customerStatus?: string
  error?: {error: string; message: string; statusCode?: number}
}

export const toBaseResult = ({line, key, content, note}: PayoutRow, state: RowState): PayoutResult => ({
  line,
  key,
  ...(note !== undefined && {note}),
  customer: content.customerId,
  destination: content.destination.destinationPaymentAccountId,
  state,
  amount: content.source.sourceAmount,
  currency: content.source.sourceCurrency.toUpperCase(),
  receivedCurrency: content.destination.destinationCurrency.toUpperCase(),
})

const sumFees = (svcFee: string | undefined, developerFee: string | undefined) =>
  svcFee === undefined ? undefined : addAmounts([svcFee, developerFee ?? '0'])

// If the transaction differs, its own amount counts.
function readActualAmount(transaction: LooseTransaction): Partial<PayoutResult> {
  const {sourceAmount, sourceCurrency} = readContent(transaction).source
  return {...(sourceAmount && {amount: sourceAmount}), ...(sourceCurrency && {currency: sourceCurrency.toUpperCase()})}
}

// What is wrong with a row, or unlike what was requested: one sentence for people.
export const getReason = ({error, difference}: PayoutResult): string | undefined =>
  [error?.message, difference].filter((text) => text !== undefined).join('; ') || undefined

// The same as a code for scripts.
export const getReasonCode = ({error, difference}: PayoutResult): string | undefined =>
  error?.error ?? (difference === undefined ? undefined : 'DIFFERS')

// What ended cannot change any more, so a list that does not show it yet is out of date.
const findBadEnding = ({ended}: Payment, transaction: LooseTransaction | undefined): BadEnding | undefined =>
  transaction && hasFinalStatus(transaction) ? readBadEnding(transaction) : ended

// Whether the transaction of a row exists and, by its last known status, is not final yet.
export const isUnderWay = ({state, status}: PayoutResult): boolean =>
  state === 'CREATED' && !hasFinalStatus({transactionStatus: status})

// The amount received as it is told to people: as a promise or an estimate until the transaction has ended.
export function describeReceived({received, receivedCurrency, guaranteed, ...row}: PayoutResult): string | undefined {
  if (received === undefined) return undefined
  const money = `${received} ${receivedCurrency}`
  return row.state === 'READY' || isUnderWay({...row, receivedCurrency}) ? describeArrival(money, guaranteed) : money
}

const describeBadEnding = ({key}: PayoutRow, {transactionId = ''}: Payment, ending: BadEnding) => ({
  error: `TRANSACTION_${ending}`,
  message: `The transaction ${transactionId} is ${ending}; the key ${key} keeps it, so paying this row again takes a new key`,
})

// Uses the service's figures, and those of the journal where the service has none.
export function toCreatedResult(
  row: PayoutRow,
  payment: Payment,
  transaction: LooseTransaction | undefined,
  wasMadeBefore: boolean,
): PayoutResult {
  const {price, isGuaranteed} = getLastAttempt(payment) ?? {}
  const ending = findBadEnding(payment, transaction)
  const status = readText(transaction?.transactionStatus)
  const shownStatus = transaction && hasFinalStatus(transaction) ? status : (ending ?? status)
  const {svcFee, developerFee} = transaction?.fees ?? {}
  const fee =
    sumFees(readAmount(svcFee?.feeAmount) || undefined, readAmount(developerFee?.feeAmount) || undefined) ??
    sumFees(price?.svcFee, price?.developerFee)
  const received = readAmount(transaction?.destination?.destinationAmount) || price?.received
  const difference = transaction && joinDifferences(describeDifferences(payment, transaction))
  return {
    ...toBaseResult(row, ending ? 'ENDED_BADLY' : 'CREATED'),
    ...(transaction && difference !== undefined && {...readActualAmount(transaction), difference}),
    ...(payment.transactionId !== undefined && {transaction: payment.transactionId}),
    ...(shownStatus && {status: shownStatus}),
    ...(fee !== undefined && {fee}),
    ...(received !== undefined && {received}),
    ...(received !== undefined && isGuaranteed !== undefined && {guaranteed: isGuaranteed}),
    ...(wasMadeBefore && {madeBefore: true}),
    ...(ending && {error: describeBadEnding(row, payment, ending)}),
  }
}

const statesByKind: Partial<Record<ErrorKind, RowState>> = {
  unknownOutcome: 'UNKNOWN',
  limit: 'STOPPED',
  pending: 'IN_PROGRESS',
  refused: 'REJECTED',
  unauthenticated: 'REJECTED',
  notFound: 'REJECTED',
}

function chooseState(failure: SvcError): RowState {
  // A list that the service does not show is no rejection of the payment.
  if (failure instanceof SearchFailed) return 'FAILED'
  // A journal that was busy or away kept the row from being tried. Other pending rows are worked on by another process.
  if (failure instanceof JournalUnusable && failure.problem !== undefined) return 'NOT_TRIED'
  return statesByKind[failure.kind] ?? 'FAILED'
}

export function toFailedResult(row: PayoutRow, failure: SvcError): PayoutResult {
  const {error, statusCode, hint} = failure
  // Only a person knows whether two ids are one service, and has to be told how to say it.
  const isElsewhere = error === 'KEY_AT_OTHER_SERVICE' && hint !== undefined
  const text = isElsewhere ? `${failure.message}. Nothing was sent for this row. ${hint}` : failure.message
  const message = nameFields(text, (column) => `the column ${column}`)
  return {
    ...toBaseResult(row, chooseState(failure)),
    ...(failure instanceof UnrecordedPayment && {transaction: failure.transactionId}),
    error: {error, message, ...(statusCode !== undefined && {statusCode})},
  }
}

// Rows that are not paid because of something that was found before the first row of the file.
export interface RowStop {
  row: PayoutRow
  error: {error: string; message: string}
}

// The rows that a check stops.
export interface CheckResult {
  stops: RowStop[]
  // Whether payments in the journal decided, whose age is measured by the service's time.
  dependsOnTime: boolean
}

export const createStop = (row: PayoutRow, error: string, message: string): RowStop => ({row, error: {error, message}})

export const toStoppedResult = ({row, error}: RowStop): PayoutResult => ({...toBaseResult(row, 'STOPPED'), error})

const linesShownMax = 10

// For example: lines 2, 5 and 3 more.
export function describeLines(rows: ReadonlyArray<{line: number}>): string {
  const lines = rows.slice(0, linesShownMax).map(({line}) => line)
  const more = rows.length - lines.length
  return `${rows.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

// What an error says about rows that keep the whole file from being paid.
function describeStops(stops: readonly RowStop[], rows: readonly PayoutRow[], verbs: [one: string, many: string]) {
  const where = describeLines(stops.map(({row}) => row))
  const count = `${stops.length} of ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`
  return `${count} ${verbs[stops.length === 1 ? 0 : 1]} (${where})`
}

const describeFirst = ([first]: readonly RowStop[]) => first?.error.message ?? ''

const describePaid = (isDryRun: boolean) => `so nothing ${isDryRun ? 'would be' : 'was'} paid`

// The code of a row whose payee was never paid, and has to wait.
export const payeeWaits = 'PAYEE_WAITS'

const createWaitError = (stops: readonly RowStop[], rows: readonly PayoutRow[], isDryRun: boolean) =>
  new SvcError({
    error: payeeWaits,
    kind: 'limit',
    message: `${describeStops(stops, rows, ['pays a new payee, who waits', 'pay new payees, who wait'])}, ${describePaid(isDryRun)}: ${describeFirst(stops)}`,
    hint: `${waitHint}, or pay the other rows with --up-to-cap`,
  })

// The error of a run that pays nothing, because some of its rows do not fit the limits, or their payees wait.
export const createOverLimitError = (stops: readonly RowStop[], rows: readonly PayoutRow[], isDryRun: boolean) => {
  if (stops.every(({error}) => error.error === payeeWaits)) return createWaitError(stops, rows, isDryRun)
  return new SvcError({
    error: 'LIMIT_REACHED',
    kind: 'limit',
    message: `${describeStops(stops, rows, ['does not fit the limits', 'do not fit the limits'])}, ${describePaid(isDryRun)}: ${describeFirst(stops)}`,
    hint: 'Change the file or the limits, or pay what fits, in the order of the file, with --up-to-cap',
  })
}

// The error of a run that pays nothing, because some of its rows may be duplicates.
export const createDuplicatesError = (stops: readonly RowStop[], rows: readonly PayoutRow[], isDryRun: boolean) =>
  new SvcError({
    error: 'POSSIBLE_DUPLICATE',
    kind: 'limit',
    message: `${describeDuplicates(stops, rows)}, ${describePaid(isDryRun)}: ${describeFirst(stops)}`,
    hint: 'If they are meant as further payments, run it again with --allow-duplicates',
  })

const describeDuplicates = (stops: readonly RowStop[], rows: readonly PayoutRow[]) =>
  describeStops(stops, rows, ['may be a duplicate', 'may be duplicates'])

const duplicatesShownMax = 5

// Lists the first duplicates for the question whether they are meant.
export function listDuplicates(stops: readonly RowStop[], rows: readonly PayoutRow[]): string[] {
  const lines = stops
    .slice(0, duplicatesShownMax)
    .map(({row, error}) => `  line ${row.line}, ${row.key}: ${error.message}`)
  const more = stops.length - lines.length
  return [`${describeDuplicates(stops, rows)}:`, ...lines, ...(more > 0 ? [`  … and ${more} more`] : [])]
}
