// What became of a row, in one shape for the screen, for scripts and for the result file.
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
  // In a rehearsal: nothing is known to stand in its way.
  | 'READY'
  | 'STOPPED'
  | 'REJECTED'
  | 'FAILED'
  | 'UNKNOWN'
  // Another process is at work on it.
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
  // Both fees together, in the currency that leaves.
  fee?: string
  received?: string
  receivedCurrency: string
  // Made by an earlier run, or by somebody else: this run has written nothing for it.
  madeBefore?: true
  // What the service has made otherwise than was meant, in words.
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

// The figures that count are those of what was made.
function readActualAmount(transaction: LooseTransaction): Partial<PayoutResult> {
  const {sourceAmount, sourceCurrency} = readContent(transaction).source
  return {...(sourceAmount && {amount: sourceAmount}), ...(sourceCurrency && {currency: sourceCurrency.toUpperCase()})}
}

// As the service shows it, and as the journal has it where the service does not.
export function toCreatedResult(
  row: PayoutRow,
  payment: Payment,
  transaction: LooseTransaction | undefined,
  wasMade: boolean,
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
    ...(wasMade && {madeBefore: true}),
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
