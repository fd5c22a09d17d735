// What is said about a row, by a run on one host and by a fleet: what the journal has of its payment now. What a process has heard
// since adds reasons and figures, but never contradicts it.
import type {Journal} from '../../payments/journal/journal.ts'
import type {LeaseOwner} from '../../payments/journal/owner.ts'
import {isSameContent} from '../../payments/protocol/compare.ts'
import {type Payment, unsettledStates} from '../../payments/protocol/payment.ts'
import type {PayoutRow} from '../file/rows.ts'
import {type PayoutResult, type RowState, toBaseResult, toCreatedResult} from './result.ts'

// What the journal has of a payment. The process that holds the lease of an armed payment is sending it.
export interface RecordedPayment {
  payment: Payment
  holder?: LeaseOwner | undefined
}

interface ReportedRow {
  row: PayoutRow
  recorded: RecordedPayment | undefined
  // The last that this process, or a worker, knew of the row.
  heard?: PayoutResult | undefined
  // Of a payment that was made: whether an earlier run, or another process, made it.
  wasMadeBefore: boolean
}

const madeStates: ReadonlySet<RowState> = new Set(['CREATED', 'ENDED_BADLY'])

export const isMade = ({state}: PayoutResult) => madeStates.has(state)

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

export function reportRow({row, recorded, heard, wasMadeBefore}: ReportedRow): PayoutResult {
  const {payment, holder} = recorded ?? {}
  // A payment with other content is none of this row, which cannot have its key.
  if (!payment || !isSameContent(payment.content, row.content)) return heard ?? toBaseResult(row, 'NOT_TRIED')
  if (payment.state === 'CREATED') {
    if (heard && (isMade(heard) || isAboutMade(heard))) return heard
    return toCreatedResult(row, payment, undefined, wasMadeBefore)
  }
  if (unsettledStates.includes(payment.state)) {
    if (heard?.state === 'UNKNOWN') return heard
    // Another process that settles what is unknown is working on it too.
    if (heard?.state === 'IN_PROGRESS' && (holder || payment.state === 'UNKNOWN')) return heard
    if (holder) return {...toBaseResult(row, 'IN_PROGRESS'), error: describeHolder(holder)}
    return toUnknownResult(row, heard)
  }
  return heard ?? toBaseResult(row, 'NOT_TRIED')
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
