// Settles many payments whose outcome is unknown. One that stays unknown does not hold up the others.
import {SvcError} from '../../errors.ts'
import {type PaymentContext, readNow} from './context.ts'
import {requirePayment} from '../journal/entries.ts'
import {settlePayment} from './drive.ts'
import {toInstantMs} from '../../values/time.ts'
import {describeSettlingTimes} from './errors.ts'
import {findSettlingTimes} from './next.ts'
import {type Payment, type PaymentState, unsettledStates} from './payment.ts'

export interface SettlementRow {
  key: string
  before: PaymentState
  state: PaymentState
  transactionId?: string
  reason?: string
  // When other runs can settle it even if nothing was made.
  settlingTimes?: string[]
}

const toRow = (before: Payment, {state, transactionId}: Payment, reason?: string): SettlementRow => ({
  key: before.key,
  before: before.state,
  state,
  ...(transactionId !== undefined && {transactionId}),
  ...(reason !== undefined && {reason}),
})

// A payment that another process works on, or that cannot be settled now, keeps its state.
async function settleRow(context: PaymentContext, payment: Payment): Promise<SettlementRow> {
  try {
    return toRow(payment, await settlePayment(context, payment))
  } catch (error) {
    const staysUnsettled = error instanceof SvcError && (error.kind === 'unknownOutcome' || error.kind === 'pending')
    if (!staysUnsettled) throw error
    const current = (await context.journal.find(payment.serviceId, payment.key)) ?? payment
    const settlingTimes = findSettlingTimes(current, readNow(context), context).map((ms) => new Date(ms).toISOString())
    return {
      ...toRow(payment, current, error.reason ?? error.message),
      ...(isUnsettled(current) && settlingTimes.length > 0 && {settlingTimes}),
    }
  }
}

const isUnsettled = ({state}: {state: PaymentState}) => unsettledStates.includes(state)

// Lists all unsettled payments of the service, or the one with this key if it is unsettled.
export async function listUnsettled(
  context: PaymentContext,
  serviceId: string,
  key: string | undefined,
): Promise<Payment[]> {
  if (key === undefined) return context.journal.list({serviceId, states: unsettledStates})
  return [await requirePayment(context, serviceId, key)].filter(isUnsettled)
}

const formatCount = (count: number) => (count === 1 ? '1 payment' : `${count} payments`)

export const describeSettlement = ({length}: readonly Payment[]) =>
  `This settles ${formatCount(length)}. Requests that the service does not list may be sent again.`

// Checks each payment once before it waits for any of them.
export async function settleAll(
  context: PaymentContext,
  payments: readonly Payment[],
  onSettled: (done: number, all: number) => void,
): Promise<SettlementRow[]> {
  const rows = new Map<Payment, SettlementRow>()
  const withoutWaiting: PaymentContext = {...context, remainingMs: () => 0}
  for (const payment of payments) {
    onSettled(rows.size, payments.length)
    rows.set(payment, await settleRow(withoutWaiting, payment))
  }
  for (const [payment, row] of rows) if (isUnsettled(row)) rows.set(payment, await settleRow(context, payment))
  return [...rows.values()]
}

// The one that takes longest first.
const compareLastTime = (one: readonly string[], other: readonly string[]) =>
  (one.at(-1) ?? '') < (other.at(-1) ?? '') ? 1 : -1

export function findUnsettledError(rows: readonly SettlementRow[]): SvcError | undefined {
  const unsettled = rows.filter(isUnsettled)
  if (unsettled.length === 0) return undefined
  const [latest] = unsettled.map(({settlingTimes = []}) => settlingTimes).toSorted(compareLastTime)
  const when =
    latest && latest.length > 0 ? describeSettlingTimes(latest.map((time) => toInstantMs(time) ?? 0)) : 'later'
  return new SvcError({
    error: 'OUTCOME_UNKNOWN',
    kind: 'unknownOutcome',
    message: `Of ${formatCount(rows.length)}, ${unsettled.length} cannot be settled yet`,
    hint: `Run it again ${when}, or decide with \`svc journal settle KEY --adopt ID\` or \`--abandon\``,
  })
}
