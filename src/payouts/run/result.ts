// What is said about a row, by a run, by `svc payouts status` and by a fleet: as it is shown, printed as JSON and written to the result
// file. The journal decides; what a process has heard since adds reasons and figures, but never contradicts it.
import {type LooseTransaction, hasFinalStatus, readBadEnding} from '../../contract/loose.ts'
import {type ErrorKind, SvcError} from '../../errors.ts'
import {type Journal, JournalUnusable} from '../../payments/journal/journal.ts'
import type {LeaseOwner} from '../../payments/journal/owner.ts'
import {
  describeDifferences,
  isSameContent,
  joinDifferences,
  listContentChanges,
} from '../../payments/protocol/compare.ts'
import {SearchFailed, UnrecordedPayment} from '../../payments/protocol/errors.ts'
import {canChangeContent} from '../../payments/protocol/key-use.ts'
import {findNoQuote} from '../../payments/protocol/no-quote.ts'
import {
  type MadePayment,
  type Payment,
  getLastAttempt,
  readContent,
  unsettledStates,
} from '../../payments/protocol/payment.ts'
import {toStoredCode} from '../../payments/protocol/reply.ts'
import {addAmounts} from '../../values/money.ts'
import {readAmount, readText} from '../../values/records.ts'
import {svc} from '../../values/text.ts'
import type {PayoutRow} from '../file/rows.ts'
import {type RowState, hasTransaction} from './row-states.ts'

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
  error?: RowError
}

interface RowError {
  error: string
  message: string
  statusCode?: number | undefined
}

export const toResult = ({line, key, content, note}: PayoutRow, state: RowState, problem?: RowError): PayoutResult => ({
  line,
  key,
  ...(note !== undefined && {note}),
  customer: content.customerId,
  destination: content.destination.destinationPaymentAccountId,
  state,
  amount: content.source.sourceAmount,
  currency: content.source.sourceCurrency.toUpperCase(),
  receivedCurrency: content.destination.destinationCurrency.toUpperCase(),
  ...(problem && {error: {error: problem.error, message: problem.message, statusCode: problem.statusCode}}),
})

// Whether the transaction of a row exists and, by its last known status, is not final yet.
export const isUnderWay = (result: PayoutResult | undefined): boolean =>
  result?.state === 'CREATED' && !hasFinalStatus({transactionStatus: result.status})

export const sumFees = (svcFee: string | undefined, developerFee: string | undefined) =>
  svcFee === undefined ? undefined : addAmounts([svcFee, developerFee || '0'])

// If the transaction differs, its own amount counts.
function readActualAmount(transaction: LooseTransaction): Partial<PayoutResult> {
  const {sourceAmount, sourceCurrency} = readContent(transaction).source
  return {...(sourceAmount && {amount: sourceAmount}), ...(sourceCurrency && {currency: sourceCurrency.toUpperCase()})}
}

// Uses the service's figures, and those of the journal where the service has none. What ended cannot change any more, so a list that
// does not show it yet is out of date.
export function toMadeResult(row: PayoutRow, payment: MadePayment, transaction?: LooseTransaction): PayoutResult {
  const {transactionId} = payment
  const {quote, armed} = getLastAttempt(payment) ?? {}
  const isFinal = transaction !== undefined && hasFinalStatus(transaction)
  const ending = isFinal ? readBadEnding(transaction) : payment.ended
  const status = (isFinal ? undefined : ending) ?? readText(transaction?.transactionStatus)
  const {svcFee, developerFee} = transaction?.fees ?? {}
  const fee =
    sumFees(readAmount(svcFee?.feeAmount) || undefined, readAmount(developerFee?.feeAmount)) ??
    sumFees(quote?.price.svcFee, quote?.price.developerFee)
  const received = readAmount(transaction?.destination?.destinationAmount) || quote?.price.received
  const difference = transaction && joinDifferences(describeDifferences(payment, transaction))
  const problem = ending && {
    error: `TRANSACTION_${ending}`,
    message: `The transaction ${transactionId} is ${ending}; the key ${row.key} keeps it, so paying this row again takes a new key`,
  }
  return {
    ...toResult(row, ending ? 'ENDED_BADLY' : 'CREATED'),
    ...(transaction && difference !== undefined && {...readActualAmount(transaction), difference}),
    transaction: transactionId,
    ...(status && {status}),
    ...(fee !== undefined && {fee}),
    ...(received !== undefined && {received}),
    ...(received !== undefined && armed && {guaranteed: armed.isGuaranteed}),
    ...(problem && {error: problem}),
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

// The code of a row that could not be looked for at the service: this run sent nothing, but another host may have paid it.
export const listUnreadable = 'LIST_UNREADABLE'

export function toFailedResult(row: PayoutRow, failure: SvcError): PayoutResult {
  const {kind, message, hint, statusCode} = failure
  const error = toStoredCode(failure)
  if (failure instanceof SearchFailed) {
    const unread = `Whether another host has paid it is not known: ${message}`
    return toResult(row, 'UNKNOWN', {error: listUnreadable, message: unread, statusCode})
  }
  // A journal that was busy or away kept the row from being tried. Other pending rows are worked on by another process.
  const isUntried = failure instanceof JournalUnusable && failure.problem !== undefined
  // Only a person knows whether two ids are one service, and has to be told how to say it.
  const told = error === 'KEY_AT_OTHER_SERVICE' ? `${message}. Nothing was sent for this row. ${hint}` : message
  return {
    ...toResult(row, isUntried ? 'NOT_TRIED' : (statesByKind[kind] ?? 'FAILED'), {error, message: told, statusCode}),
    ...(failure instanceof UnrecordedPayment && {transaction: failure.transactionId}),
  }
}

// What the journal has of a payment. The process that holds the lease of an armed payment is sending it.
export interface RecordedPayment {
  payment: Payment
  holder?: LeaseOwner | undefined
}

const keysPerRead = 500

// Reads what the journal has of these rows, by key. Keys that it does not have are absent.
export async function readPayments(
  journal: Pick<Journal, 'list' | 'findLeaseHolder'>,
  serviceId: string,
  rows: ReadonlyArray<{key: string}>,
  // Leases of this run do not count: what it has not finished, nobody else is working on.
  own?: LeaseOwner,
): Promise<Map<string, RecordedPayment>> {
  const recorded = new Map<string, RecordedPayment>()
  for (let start = 0; start < rows.length; start += keysPerRead) {
    const keys = rows.slice(start, start + keysPerRead).map(({key}) => key)
    for (const payment of await journal.list({serviceId, keys})) {
      const holder = payment.state === 'ARMED' ? await journal.findLeaseHolder(serviceId, payment.key) : undefined
      recorded.set(payment.key, {payment, holder: holder?.run === own?.run ? undefined : holder})
    }
  }
  return recorded
}

// A payment with other content is none of this row, which cannot have its key unless nothing can have been made under it.
function tellOtherContent(row: PayoutRow, payment: Payment): PayoutResult {
  if (canChangeContent(payment)) {
    return {...toResult(row, 'NOT_TRIED'), changes: listContentChanges(payment.content, row.content)}
  }
  const {key} = row
  const [state, which] = unsettledStates.includes(payment.state)
    ? (['UNKNOWN', `may have been made (${svc`journal settle ${key}`})`] as const)
    : (['FAILED', `was made (${svc`journal show ${key}`})`] as const)
  const message = `the key ${key} belongs to a payment with other content, which ${which}`
  return toResult(row, state, {error: 'KEY_USED', message})
}

function tellUnsettled(row: PayoutRow, {payment, holder}: RecordedPayment, heard: PayoutResult | undefined) {
  if (heard?.state === 'UNKNOWN' && heard.error?.error !== listUnreadable) return heard
  // Another process that settles what is unknown is working on it too.
  if (heard?.state === 'IN_PROGRESS' && (holder || payment.state === 'UNKNOWN')) return heard
  if (holder) {
    const message = `Another process (${holder.pid} on ${holder.host}) is paying it now`
    return toResult(row, 'IN_PROGRESS', {error: 'PAYMENT_IN_PROGRESS', message})
  }
  const why = heard?.error ? ` (${heard.error.message})` : ''
  const message = `It may have been paid: a request was sent, or was about to be, and its outcome is not known yet${why}`
  return toResult(row, 'UNKNOWN', {error: 'OUTCOME_UNKNOWN', message})
}

// How the last attempt at a row ended that was not made, as far as the journal keeps it.
function tellNotMade(row: PayoutRow, payment: Payment): PayoutResult {
  const noQuote = findNoQuote(payment)
  if (noQuote) return toResult(row, 'REJECTED', noQuote)
  if (payment.state !== 'REJECTED' && payment.state !== 'STOPPED') return toResult(row, 'NOT_TRIED')
  const {reason, refused} = getLastAttempt(payment) ?? {}
  const message = reason ?? (payment.state === 'STOPPED' ? 'A limit stopped it' : 'The service rejected it')
  return toResult(row, payment.state, {
    error: refused?.error ?? payment.state,
    message,
    statusCode: refused?.statusCode,
  })
}

// A row with a second transaction was made all the same: it is unknown, and has the id of its own.
const isAboutMade = ({state, transaction}: PayoutResult) =>
  hasTransaction(state) || (state === 'UNKNOWN' && transaction !== undefined)

// `heard` is the last that this process, or a worker, knew of the row.
export function tellOutcome(row: PayoutRow, recorded: RecordedPayment | undefined, heard?: PayoutResult): PayoutResult {
  const {payment} = recorded ?? {}
  if (!recorded || !payment) return heard ?? toResult(row, 'NOT_TRIED')
  if (!isSameContent(payment.content, row.content)) return heard ?? tellOtherContent(row, payment)
  if (payment.state === 'CREATED') return heard && isAboutMade(heard) ? heard : toMadeResult(row, payment)
  if (unsettledStates.includes(payment.state)) return tellUnsettled(row, recorded, heard)
  return heard ?? tellNotMade(row, payment)
}
