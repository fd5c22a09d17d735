// What is said about a row, by a run, by `svc payouts status` and by a fleet: as it is shown, printed as JSON and written to the result
// file. The journal decides; what a process has heard since adds reasons and figures, but never contradicts it.
import type {LooseTransaction} from '../../contract/loose.ts'
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
import {
  type BadEnding,
  type Payment,
  getLastAttempt,
  hasFinalStatus,
  readBadEnding,
  readContent,
  unsettledStates,
} from '../../payments/protocol/payment.ts'
import {addAmounts, describeArrival} from '../../values/money.ts'
import {readAmount, readText} from '../../values/records.ts'
import {quoteForShell} from '../../values/text.ts'
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

// A row that is not paid because of what was found before the first row of the file.
export const toStoppedResult = (row: PayoutRow, error: string, message: string): PayoutResult => ({
  ...toBaseResult(row, 'STOPPED'),
  error: {error, message},
})

// What is wrong with a row, or unlike what was requested: one sentence for people.
export const getReason = ({error, difference}: PayoutResult): string | undefined =>
  [error?.message, difference].filter((text) => text !== undefined).join('; ') || undefined

// The same as a code for scripts.
export const getReasonCode = ({error, difference}: PayoutResult): string | undefined =>
  error?.error ?? (difference === undefined ? undefined : 'DIFFERS')

// Whether the transaction of a row exists and, by its last known status, is not final yet.
export const isUnderWay = ({state, status}: PayoutResult): boolean =>
  state === 'CREATED' && !hasFinalStatus({transactionStatus: status})

// The amount received as it is told to people: as a promise or an estimate until the transaction has ended.
export function describeReceived(row: PayoutResult): string | undefined {
  const {received, receivedCurrency, guaranteed} = row
  if (received === undefined) return undefined
  const money = `${received} ${receivedCurrency}`
  return row.state === 'READY' || isUnderWay(row) ? describeArrival(money, guaranteed) : money
}

export const sumFees = (svcFee: string | undefined, developerFee: string | undefined) =>
  svcFee === undefined ? undefined : addAmounts([svcFee, developerFee || '0'])

// If the transaction differs, its own amount counts.
function readActualAmount(transaction: LooseTransaction): Partial<PayoutResult> {
  const {sourceAmount, sourceCurrency} = readContent(transaction).source
  return {...(sourceAmount && {amount: sourceAmount}), ...(sourceCurrency && {currency: sourceCurrency.toUpperCase()})}
}

const describeBadEnding = ({key}: PayoutRow, {transactionId = ''}: Payment, ending: BadEnding) => ({
  error: `TRANSACTION_${ending}`,
  message: `The transaction ${transactionId} is ${ending}; the key ${key} keeps it, so paying this row again takes a new key`,
})

// Uses the service's figures, and those of the journal where the service has none. What ended cannot change any more, so a list that
// does not show it yet is out of date.
export function toCreatedResult(
  row: PayoutRow,
  payment: Payment,
  transaction: LooseTransaction | undefined,
  wasMadeBefore: boolean,
): PayoutResult {
  const {price, isGuaranteed} = getLastAttempt(payment) ?? {}
  const isFinal = transaction !== undefined && hasFinalStatus(transaction)
  const ending = isFinal ? readBadEnding(transaction) : payment.ended
  const status = readText(transaction?.transactionStatus)
  const shownStatus = isFinal ? status : (ending ?? status)
  const {svcFee, developerFee} = transaction?.fees ?? {}
  const fee =
    sumFees(readAmount(svcFee?.feeAmount) || undefined, readAmount(developerFee?.feeAmount)) ??
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

// The code of a row that could not be looked for at the service: this run sent nothing, but another host may have paid it.
export const listUnreadable = 'LIST_UNREADABLE'

function chooseState(failure: SvcError): RowState {
  if (failure instanceof SearchFailed) return 'UNKNOWN'
  // A journal that was busy or away kept the row from being tried. Other pending rows are worked on by another process.
  if (failure instanceof JournalUnusable && failure.problem !== undefined) return 'NOT_TRIED'
  return statesByKind[failure.kind] ?? 'FAILED'
}

function explainFailure(failure: SvcError): {error: string; message: string} {
  const {error, message, hint} = failure
  if (failure instanceof SearchFailed) {
    return {error: listUnreadable, message: `Whether another host has paid it is not known: ${message}`}
  }
  // Only a person knows whether two ids are one service, and has to be told how to say it.
  if (error === 'KEY_AT_OTHER_SERVICE') return {error, message: `${message}. Nothing was sent for this row. ${hint}`}
  return {error, message}
}

export function toFailedResult(row: PayoutRow, failure: SvcError): PayoutResult {
  const {error, message} = explainFailure(failure)
  return {
    ...toBaseResult(row, chooseState(failure)),
    ...(failure instanceof UnrecordedPayment && {transaction: failure.transactionId}),
    error: {
      error,
      message,
      ...(failure.statusCode !== undefined && {statusCode: failure.statusCode}),
    },
  }
}

// What the journal has of a payment. The process that holds the lease of an armed payment is sending it.
export interface RecordedPayment {
  payment: Payment
  holder?: LeaseOwner | undefined
}

type ReadableJournal = Pick<Journal, 'list' | 'findLeaseHolder'>

const keysPerRead = 500

// Reads what the journal has of these keys. Keys that it does not have are absent.
export async function readPaymentsByKey(
  journal: ReadableJournal,
  serviceId: string,
  keys: readonly string[],
  // Leases of this run do not count: what it has not finished, nobody else is working on.
  own?: LeaseOwner,
): Promise<Map<string, RecordedPayment>> {
  const recorded = new Map<string, RecordedPayment>()
  for (let start = 0; start < keys.length; start += keysPerRead) {
    const found = await journal.list({serviceId, keys: keys.slice(start, start + keysPerRead)})
    for (const payment of found) {
      const holder = payment.state === 'ARMED' ? await journal.findLeaseHolder(serviceId, payment.key) : undefined
      recorded.set(payment.key, {payment, holder: holder?.run === own?.run ? undefined : holder})
    }
  }
  return recorded
}

function explainUnknown(heard: PayoutResult | undefined): string {
  if (heard?.state === 'REJECTED')
    return 'the service refused it, and its list has not confirmed yet that nothing was made'
  if (heard?.error === undefined) return 'the request was sent, or was about to be, and its outcome is not known yet'
  return `the outcome of an earlier request is not known yet, and it was not settled now (${heard.error.message})`
}

const toUnknownResult = (row: PayoutRow, heard: PayoutResult | undefined): PayoutResult => ({
  ...toBaseResult(row, 'UNKNOWN'),
  error: {error: 'OUTCOME_UNKNOWN', message: `It may have been paid: ${explainUnknown(heard)}`},
})

const describeHolder = ({pid, host}: LeaseOwner) => ({
  error: 'PAYMENT_IN_PROGRESS',
  message: `Another process (${pid} on ${host}) is paying it now`,
})

// A row that was made and of which more is wrong, such as a second transaction, is heard as unknown with its transaction.
const isAboutMade = ({state, transaction}: PayoutResult) => state === 'UNKNOWN' && transaction !== undefined

export const describeKeyProblem = ({key, state}: Payment) =>
  unsettledStates.includes(state)
    ? `the key ${key} belongs to a payment with other content, which may have been made (svc journal settle ${quoteForShell(key)})`
    : `the key ${key} belongs to a payment with other content, which was made (svc journal show ${quoteForShell(key)})`

// A payment with other content is none of this row, which cannot have its key unless nothing can have been made under it.
function tellOtherContent(row: PayoutRow, payment: Payment): PayoutResult {
  if (canChangeContent(payment)) {
    return {...toBaseResult(row, 'NOT_TRIED'), changes: listContentChanges(payment.content, row.content)}
  }
  const state = unsettledStates.includes(payment.state) ? 'UNKNOWN' : 'FAILED'
  return {...toBaseResult(row, state), error: {error: 'KEY_USED', message: describeKeyProblem(payment)}}
}

// How the last attempt at a row ended that was not made, as far as the journal keeps it.
function tellNotMade(row: PayoutRow, payment: Payment): PayoutResult {
  if (payment.state !== 'REJECTED' && payment.state !== 'STOPPED') {
    const message = 'An earlier run began this row and made nothing; the result file of that run says why'
    return {...toBaseResult(row, 'NOT_TRIED'), error: {error: 'NOT_MADE', message}}
  }
  const {reason, error = payment.state, statusCode} = getLastAttempt(payment) ?? {}
  const message = reason ?? (payment.state === 'STOPPED' ? 'A limit stopped it' : 'The service rejected it')
  return {...toBaseResult(row, payment.state), error: {error, message, ...(statusCode !== undefined && {statusCode})}}
}

// `heard` is the last that this process, or a worker, knew of the row. `wasMadeBefore` is about a payment that was made: whether an
// earlier run, or another process, made it.
export function tellOutcome(
  row: PayoutRow,
  recorded: RecordedPayment | undefined,
  heard: PayoutResult | undefined,
  wasMadeBefore: boolean,
): PayoutResult {
  const {payment, holder} = recorded ?? {}
  if (!payment) return heard ?? toBaseResult(row, 'NOT_TRIED')
  if (!isSameContent(payment.content, row.content)) return heard ?? tellOtherContent(row, payment)
  if (payment.state === 'CREATED') {
    if (heard && (hasTransaction(heard.state) || isAboutMade(heard))) return heard
    return toCreatedResult(row, payment, undefined, wasMadeBefore)
  }
  if (unsettledStates.includes(payment.state)) {
    if (heard?.state === 'UNKNOWN') return heard
    // Another process that settles what is unknown is working on it too.
    if (heard?.state === 'IN_PROGRESS' && (holder || payment.state === 'UNKNOWN')) return heard
    if (holder) return {...toBaseResult(row, 'IN_PROGRESS'), error: describeHolder(holder)}
    return toUnknownResult(row, heard)
  }
  return heard ?? tellNotMade(row, payment)
}
