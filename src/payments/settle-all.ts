// Settles many payments of which nobody knows whether they were made; what stays unknown holds up no other.
import {SvcError} from '../errors.ts'
import {paymentIn} from './journal/entries.ts'
import {settleOnly} from './pay.ts'
import {type Payment, type PaymentState, unsettledStates} from './payment.ts'
import type {PaymentContext} from './context.ts'

export interface SettledRow {
  key: string
  before: PaymentState
  state: PaymentState
  transactionId?: string
  reason?: string
}

const rowOf = (before: Payment, {state, transactionId}: Payment, reason?: string): SettledRow => ({
  key: before.key,
  before: before.state,
  state,
  ...(transactionId !== undefined && {transactionId}),
  ...(reason !== undefined && {reason}),
})

// The row says already whose outcome it is.
const knownWords = /^Whether the payment \S+ was made is not known yet: /

// A payment that another process works on, or that cannot be settled now, stays as it is.
async function settledRow(world: PaymentContext, payment: Payment): Promise<SettledRow> {
  try {
    return rowOf(payment, await settleOnly(world, payment))
  } catch (error) {
    const staysOpen = error instanceof SvcError && (error.kind === 'unknownOutcome' || error.kind === 'pending')
    if (!staysOpen) throw error
    return rowOf(
      payment,
      world.journal.find(payment.place, payment.key) ?? payment,
      error.message.replace(knownWords, ''),
    )
  }
}

const isOpen = ({state}: {state: PaymentState}) => unsettledStates.includes(state)

// Those that can be settled: all of the place, or the one of a key.
export function openPayments(world: PaymentContext, place: string, key: string | undefined): Payment[] {
  if (key === undefined) return world.journal.list({place, states: unsettledStates})
  return [paymentIn(world, place, key)].filter(isOpen)
}

export const settlingWords = ({length}: readonly Payment[]) =>
  `This settles ${length === 1 ? '1 payment' : `${length} payments`}: what the service does not list may be sent again.`

// One look at each first, so that one that takes its time does not keep the others waiting.
export async function settleAll(
  world: PaymentContext,
  payments: readonly Payment[],
  onSettled: (done: number, all: number) => void,
): Promise<SettledRow[]> {
  const rows = new Map<Payment, SettledRow>()
  const hasty = {...world, patienceMs: () => 0}
  for (const payment of payments) {
    onSettled(rows.size, payments.length)
    rows.set(payment, await settledRow(hasty, payment))
  }
  for (const [payment, row] of rows) if (isOpen(row)) rows.set(payment, await settledRow(world, payment))
  return [...rows.values()]
}

export function someUnknown(rows: readonly SettledRow[]): SvcError | undefined {
  const open = rows.filter(isOpen)
  if (open.length === 0) return undefined
  return new SvcError({
    error: 'OUTCOME_UNKNOWN',
    kind: 'unknownOutcome',
    message: `Of ${rows.length === 1 ? '1 payment' : `${rows.length} payments`}, ${open.length} cannot be settled yet`,
    hint: 'Run it again in a while, or decide with `svc journal settle KEY --adopt ID` or `--abandon`',
  })
}
