// Settles many payments of which nobody knows whether they were made; what stays unknown holds up no other.
import {SvcError} from '../errors.ts'
import {requirePayment} from './journal/entries.ts'
import {settlePayment} from './pay.ts'
import {type Payment, type PaymentState, unsettledStates} from './payment.ts'
import type {PaymentContext} from './context.ts'

export interface SettlementRow {
  key: string
  before: PaymentState
  state: PaymentState
  transactionId?: string
  reason?: string
}

const toRow = (before: Payment, {state, transactionId}: Payment, reason?: string): SettlementRow => ({
  key: before.key,
  before: before.state,
  state,
  ...(transactionId !== undefined && {transactionId}),
  ...(reason !== undefined && {reason}),
})

// The row says already whose outcome it is.
const knownWords = /^Whether the payment \S+ was made is not known yet: /

// A payment that another process works on, or that cannot be settled now, stays as it is.
async function settleRow(context: PaymentContext, payment: Payment): Promise<SettlementRow> {
  try {
    return toRow(payment, await settlePayment(context, payment))
  } catch (error) {
    const staysOpen = error instanceof SvcError && (error.kind === 'unknownOutcome' || error.kind === 'pending')
    if (!staysOpen) throw error
    return toRow(
      payment,
      context.journal.find(payment.serviceId, payment.key) ?? payment,
      error.message.replace(knownWords, ''),
    )
  }
}

const isUnsettled = ({state}: {state: PaymentState}) => unsettledStates.includes(state)

// Those that can be settled: all of the place, or the one of a key.
export function listUnsettled(context: PaymentContext, serviceId: string, key: string | undefined): Payment[] {
  if (key === undefined) return context.journal.list({serviceId, states: unsettledStates})
  return [requirePayment(context, serviceId, key)].filter(isUnsettled)
}

export const describeSettlement = ({length}: readonly Payment[]) =>
  `This settles ${length === 1 ? '1 payment' : `${length} payments`}: what the service does not list may be sent again.`

// One look at each first, so that one that takes its time does not keep the others waiting.
export async function settleAll(
  context: PaymentContext,
  payments: readonly Payment[],
  onSettled: (done: number, all: number) => void,
): Promise<SettlementRow[]> {
  const rows = new Map<Payment, SettlementRow>()
  const withoutWaiting = {...context, remainingMs: () => 0}
  for (const payment of payments) {
    onSettled(rows.size, payments.length)
    rows.set(payment, await settleRow(withoutWaiting, payment))
  }
  for (const [payment, row] of rows) if (isUnsettled(row)) rows.set(payment, await settleRow(context, payment))
  return [...rows.values()]
}

export function findUnsettledError(rows: readonly SettlementRow[]): SvcError | undefined {
  const open = rows.filter(isUnsettled)
  if (open.length === 0) return undefined
  return new SvcError({
    error: 'OUTCOME_UNKNOWN',
    kind: 'unknownOutcome',
    message: `Of ${rows.length === 1 ? '1 payment' : `${rows.length} payments`}, ${open.length} cannot be settled yet`,
    hint: 'Run it again in a while, or decide with `svc journal settle KEY --adopt ID` or `--abandon`',
  })
}
