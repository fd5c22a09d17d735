// The result of a row, as it is shown, printed as JSON and written to the result file.
import {addAmounts} from '../../values/money.ts'
import {type ErrorKind, SvcError} from '../../errors.ts'
import {readContent} from '../../payments/protocol/payment-content.ts'
import {describeDifferences, joinDifferences} from '../../payments/protocol/differences.ts'
import {type BadEnding, hasFinalStatus, readBadEnding} from '../../payments/protocol/bad-ending.ts'
import {JournalUnusable} from '../../payments/journal/journal.ts'
import {type Payment, getLastAttempt} from '../../payments/protocol/payment.ts'
import type {LooseTransaction} from '../../contract/loose.ts'
import {readAmount, readText} from '../../values/records.ts'
import {SearchFailed} from '../../payments/protocol/payment-errors.ts'
import {addFlagNames} from '../../quotes/name-fields.ts'
import type {PayoutRow} from '../file/rows.ts'

export type RowState =
  // The transaction exists.
  | 'CREATED'
  // The transaction exists, but it failed, was cancelled or expired.
  | 'ENDED_BADLY'
  // Only in a rehearsal: nothing would stop it.
  | 'READY'
  // Only in a rehearsal: its customer cannot pay, or its accounts cannot be used so.
  | 'NOT_READY'
  | 'STOPPED'
  | 'REJECTED'
  | 'FAILED'
  | 'UNKNOWN'
  // Another process is working on it.
  | 'IN_PROGRESS'
  | 'NOT_TRIED'

export interface PayoutResult {
  line: number
  key: string
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
  // Made by an earlier run or by another program, not by this run.
  madeBefore?: true
  // How the transaction differs from what was meant: all differences, separated by semicolons.
  difference?: string
  // How the content of the key was changed, if it had another one before.
  changes?: readonly string[]
  customerStatus?: string
  error?: {error: string; message: string; statusCode?: number}
}

export const toBaseResult = ({line, key, content}: PayoutRow, state: RowState): PayoutResult => ({
  line,
  key,
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
  const {price} = getLastAttempt(payment) ?? {}
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
  const {error, statusCode} = failure
  const message = addFlagNames(failure.message, (column) => `column ${column}`)
  return {
    ...toBaseResult(row, chooseState(failure)),
    error: {error, message, ...(statusCode !== undefined && {statusCode})},
  }
}
