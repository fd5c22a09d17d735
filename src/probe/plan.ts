// Says what a probe will do before it does it: how many transactions, how much money, between which accounts, how long.
import {Big} from 'big.js'
import type {ProbeContext} from './context.ts'
import type {ProbeState} from './probe-state.ts'
import {listNeededFirstTries, listOpenTries, needsControlTry} from './run-probe.ts'
import {isLater, isOrdinary} from './tries.ts'

export interface ProbePlan {
  // The most transactions that can be made, if the service ignores keys and accepts everything.
  transactionsMax: number
  // As many as a service makes that honours keys.
  transactionsExpected: number
  amount: string
  // The amount of all of them.
  total: string
  currency: string
  isLong: boolean
}

export function planProbe(context: ProbeContext): ProbePlan {
  const {state, isQuick} = context
  const open = listOpenTries(state, isQuick)
  const extra = listNeededFirstTries(context).length
  const isControlOpen = open.length > 0 || (state.tries.length > 0 && needsControlTry(state))
  const transactionsMax = open.reduce((sum, {sends}) => sum + sends, extra) + (isControlOpen ? 1 : 0)
  const {sourceAmount: amount, sourceCurrency: currency} = state.content.source
  return {
    transactionsMax,
    transactionsExpected: open.filter(({name}) => isOrdinary(name)).length + extra,
    amount,
    total: new Big(amount).times(transactionsMax).toFixed(countDecimals(amount)),
    currency,
    isLong: open.some(isLater),
  }
}

const countDecimals = (amount: string) => amount.split('.')[1]?.length ?? 0

export function describePlan(plan: ProbePlan, state: ProbeState): string[] {
  const {source, destination, customerId} = state.content
  const {transactionsMax, transactionsExpected, amount, total, currency, isLong} = plan
  const from = `${source.sourcePaymentAccountId} (${currency}, ${source.sourcePaymentMethod})`
  const to = `${destination.destinationPaymentAccountId} (${destination.destinationCurrency}, ${destination.destinationPaymentMethod})`
  const begun =
    state.tries.length > 0 ? [`This continues the probe of ${new Date(state.startedAt).toISOString()}.`] : []
  return [
    ...begun,
    `About ${transactionsExpected} ${transactionsExpected === 1 ? 'transaction' : 'transactions'} of ${amount} ${currency} will be made, and at most ${transactionsMax} (${total} ${currency})`,
    'if the service ignores idempotency keys:',
    `  customer  ${customerId}`,
    `  from      ${from}`,
    `  to        ${to}`,
    isLong ? 'It takes about six minutes. You can interrupt it and continue later.' : 'It takes less than a minute.',
  ]
}
