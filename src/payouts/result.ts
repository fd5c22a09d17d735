// The result of a row, as it is shown, printed as JSON and written to the result file.
import {addAmounts} from '../validation/money.ts'
import {type ErrorKind, SvcError} from '../errors.ts'
import {readContent} from '../payments/payment-content.ts'
import {describeDifferences} from '../payments/find-transaction.ts'
import {type Payment, getLastAttempt} from '../payments/payment.ts'
import type {LooseTransaction} from '../contract/loose.ts'
import {readText} from '../payments/read-text.ts'
import type {PayoutRow} from './rows.ts'

export type RowState =
  // The transaction exists.
  | 'CREATED'
  // Only in a rehearsal: nothing would stop it.
  | 'READY'
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
  // How the transaction differs from what was requested.
  difference?: string
  customerStatus?: string
  error?: {error: string; message: string; statusCode?: number}
}

export const toBaseResult = ({line, key, content}: PayoutRow, state: RowState): PayoutResult => ({
  line,
  key,
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

// Uses the service's figures, and those of the journal where the service has none.
export function toCreatedResult(
  row: PayoutRow,
  payment: Payment,
  transaction: LooseTransaction | undefined,
  wasMadeBefore: boolean,
): PayoutResult {
  const {price} = getLastAttempt(payment) ?? {}
  const status = readText(transaction?.transactionStatus)
  const {svcFee, developerFee} = transaction?.fees ?? {}
  const fee =
    sumFees(readText(svcFee?.feeAmount) || undefined, readText(developerFee?.feeAmount) || undefined) ??
    sumFees(price?.svcFee, price?.developerFee)
  const received = readText(transaction?.destination?.destinationAmount) || price?.received
  const [difference] = transaction ? describeDifferences(payment, transaction) : []
  return {
    ...toBaseResult(row, 'CREATED'),
    ...(transaction && difference !== undefined && {...readActualAmount(transaction), difference}),
    ...(payment.transactionId !== undefined && {transaction: payment.transactionId}),
    ...(status && {status}),
    ...(fee !== undefined && {fee}),
    ...(received !== undefined && {received}),
    ...(wasMadeBefore && {madeBefore: true}),
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

export function toFailedResult(row: PayoutRow, {error, message, statusCode, kind}: SvcError): PayoutResult {
  return {
    ...toBaseResult(row, statesByKind[kind] ?? 'FAILED'),
    error: {error, message, ...(statusCode !== undefined && {statusCode})},
  }
}
