// Settles payments that may have been made, without paying anything.
import {SvcError} from '../../errors.ts'
import {countNoun, svc} from '../../values/text.ts'
import {type PaymentContext, readNow} from './context.ts'
import {describeSettlingTimes} from './errors.ts'
import {findSettlingTimes} from './next.ts'
import {type Payment, unsettledStates} from './payment.ts'
import {retryIfLeaseLost} from './lease.ts'
import {drive} from './drive.ts'

// Settles a payment that may have been made, without a new quote. Returns it unchanged if it is not
// unsettled.
export const settlePayment = (context: PaymentContext, known: Payment): Promise<Payment> =>
  retryIfLeaseLost(context, async () => {
    const order = {intent: known, limits: {}, isGuaranteed: false, aim: 'settle'} as const
    return (await drive(context, order, known)).payment
  })

// Settles many payments, each once before it waits for any of them. A payment that another process
// works on, or that cannot be settled now, keeps its state and does not hold up the others.
export async function settleAll(
  context: PaymentContext,
  payments: readonly Payment[],
  onSettled: (done: number, all: number) => void,
): Promise<Payment[]> {
  const settled = [...payments]
  for (const remainingMs of [() => 0, () => context.remainingMs()]) {
    for (const [index, payment] of settled.entries()) {
      if (!unsettledStates.includes(payment.state)) continue
      onSettled(index, payments.length)
      settled[index] = await settlePayment({...context, remainingMs}, payment).catch(async (error: unknown) => {
        if (!(error instanceof SvcError && (error.kind === 'unknownOutcome' || error.kind === 'pending'))) throw error
        const latest = (await context.journal.find(payment.serviceId, payment.key)) ?? payment
        if (error.kind === 'unknownOutcome' && !unsettledStates.includes(latest.state)) throw error
        return latest
      })
    }
  }
  return settled
}

export function findUnsettledError(context: PaymentContext, payments: readonly Payment[]): SvcError | undefined {
  const unsettled = payments.filter(({state}) => unsettledStates.includes(state))
  if (unsettled.length === 0) return undefined
  const times = unsettled.map((payment) => findSettlingTimes(payment, readNow(context), context))
  const [latest = []] = times.toSorted((one, other) => (other.at(-1) ?? 0) - (one.at(-1) ?? 0))
  return new SvcError({
    error: 'OUTCOME_UNKNOWN',
    kind: 'unknownOutcome',
    message: `Of ${countNoun(payments.length, 'payment')}, ${unsettled.length} cannot be settled yet`,
    hint: `Run it again ${describeSettlingTimes(latest) || 'later'}, or decide with ${svc`journal settle KEY --adopt ID`} or \`--abandon\``,
  })
}
