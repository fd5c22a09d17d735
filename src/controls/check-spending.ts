// Checks amounts against what the policy and the profile allow, and without whose approval. A limit that cannot be checked stops the payment.
import {Big} from 'big.js'
import {parsePositiveDecimal} from '../values/money.ts'
import type {ApprovalPolicy, SpendingLimits} from './limits.ts'
import {dayMs} from '../values/time.ts'

// Stops a payment. The message says why, with the figures.
export class LimitReached extends Error {
  override name = 'LimitReached'
}

export interface OutgoingAmount {
  currency: string
  amount: string
  // The payment account that receives it.
  destination: string
}

export interface SpendingQuery {
  currency: string
  sinceMs: number
}

// Negative figures are rejected: a negative fee or an earlier negative amount would make room for more.
export function toDecimal(text: string, what: string): Big {
  const decimal = parsePositiveDecimal(text)
  if (decimal) return decimal
  throw new LimitReached(`${what} "${text}" is not an amount, so no limit can be checked against it`)
}

const findInCurrency = (amounts: Readonly<Record<string, string>> | undefined, currency: string) =>
  Object.entries(amounts ?? {}).find(([label]) => label.toUpperCase() === currency)?.[1]

// A profile with caps pays only in the currencies that they name.
export function checkSinglePayment({paymentMax, destinations}: SpendingLimits, outgoing: OutgoingAmount): void {
  const {amount, destination} = outgoing
  const currency = outgoing.currency.toUpperCase()
  if (destinations && !destinations.includes(destination)) {
    throw new LimitReached(`The account ${destination} is not among those that may be paid`)
  }
  const most = findInCurrency(paymentMax, currency)
  if (paymentMax && most === undefined) throw new LimitReached(`No payment in ${currency} is allowed`)
  if (most !== undefined && toDecimal(amount, 'The amount').gt(toDecimal(most, 'The limit'))) {
    throw new LimitReached(`${amount} ${currency} is more than the ${most} ${currency} that one payment may be`)
  }
}

// Which amounts count towards the daily limit, if there is one. A day is a day in UTC.
export function buildDayQuery(
  {dayMax}: SpendingLimits,
  {currency}: Pick<OutgoingAmount, 'currency'>,
  nowMs: number,
): SpendingQuery | undefined {
  return dayMax && {currency: currency.toUpperCase(), sinceMs: nowMs - (nowMs % dayMs)}
}

// `spentAmounts` are those of the other payments that have, or may have, spent money today, of all processes. An amount that is
// not known yet is empty. `counted` says in the message what the amounts are.
export function checkDay(
  {dayMax}: SpendingLimits,
  outgoing: OutgoingAmount,
  spentAmounts: readonly string[],
  counted = 'was paid or is pending today',
): void {
  if (!dayMax) return
  const currency = outgoing.currency.toUpperCase()
  const most = findInCurrency(dayMax, currency)
  if (most === undefined) throw new LimitReached(`No payment in ${currency} is allowed`)
  if (spentAmounts.includes('')) {
    throw new LimitReached(
      'A transaction of today is pending and its amount is not known, so the daily limit cannot be checked',
    )
  }
  const spent = spentAmounts.reduce((sum, amount) => sum.plus(toDecimal(amount, 'An earlier amount')), new Big('0'))
  if (spent.plus(toDecimal(outgoing.amount, 'The amount')).lte(toDecimal(most, 'The limit'))) return
  throw new LimitReached(
    `${spent.toFixed()} ${currency} ${counted}, and ${outgoing.amount} ${currency} more would exceed the ${most} ${currency} that may be paid in a day`,
  )
}

// Whether people have to approve something that pays these sums.
export function needsApproval(
  {approvals}: {approvals?: ApprovalPolicy | undefined},
  sums: ReadonlyArray<{currency: string; amount: string}>,
): boolean {
  if (!approvals || approvals.required === 0) return false
  const {above} = approvals
  if (!above) return true
  return sums.some(({currency, amount}) => {
    const most = above[currency.toUpperCase()]
    const [sum, limit] = [parsePositiveDecimal(amount), most === undefined ? undefined : parsePositiveDecimal(most)]
    return !sum || !limit || sum.gt(limit)
  })
}
