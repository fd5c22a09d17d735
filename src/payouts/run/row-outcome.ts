// What is said about a row, by a run on one host and by a fleet: what the journal has of its payment now. What a process has heard
// since adds reasons and figures, but never contradicts it.
import type {Journal} from '../../payments/journal/journal.ts'
import type {LeaseOwner} from '../../payments/journal/owner.ts'
import {isSameContent, listContentChanges} from '../../payments/protocol/compare.ts'
import {canChangeContent} from '../../payments/protocol/key-use.ts'
import {type Payment, getLastAttempt, unsettledStates} from '../../payments/protocol/payment.ts'
import type {PayoutRow} from '../file/rows.ts'
import {describeKeyProblem} from './journal-state.ts'
import {type PayoutResult, toBaseResult, toCreatedResult} from './result.ts'
import {hasTransaction} from './row-states.ts'

// What the journal has of a payment. The process that holds the lease of an armed payment is sending it.
export interface RecordedPayment {
  payment: Payment
  holder?: LeaseOwner | undefined
}

function explainUnknown(heard: PayoutResult | undefined): string {
  if (heard?.state === 'REJECTED')
    return 'the service refused it, and its list has not confirmed yet that nothing was made'
  if (heard?.error === undefined) return 'the request was sent, or was about to be, and its outcome is not known yet'
  return `the outcome of an earlier request is not known yet, and it was not settled now (${heard.error.message})`
}

export const toUnknownResult = (row: PayoutRow, heard: PayoutResult | undefined): PayoutResult => ({
  ...toBaseResult(row, 'UNKNOWN'),
  error: {error: 'OUTCOME_UNKNOWN', message: `It may have been paid: ${explainUnknown(heard)}`},
})

const describeHolder = ({pid, host}: LeaseOwner) => ({
  error: 'PAYMENT_IN_PROGRESS',
  message: `Another process (${pid} on ${host}) is paying it now`,
})

// A row that was made and of which more is wrong, such as a second transaction, is heard as unknown with its transaction.
const isAboutMade = ({state, transaction}: PayoutResult) => state === 'UNKNOWN' && transaction !== undefined

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
    return {...toBaseResult(row, 'NOT_TRIED'), error: nothingSent}
  }
  const {reason, error = payment.state, statusCode} = getLastAttempt(payment) ?? {}
  const message = reason ?? (payment.state === 'STOPPED' ? 'A limit stopped it' : 'The service rejected it')
  return {...toBaseResult(row, payment.state), error: {error, message, ...(statusCode !== undefined && {statusCode})}}
}

const nothingSent = {
  error: 'NOT_MADE',
  message: 'An earlier run began this row and made nothing; the result file of that run says why',
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
