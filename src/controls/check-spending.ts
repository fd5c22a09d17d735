// Finds what the policy and the profile forbid of an amount, and whether people have to approve it.
// A limit that cannot be checked stops the payment as one that is exceeded does.
import {Big} from 'big.js'
import {parsePositiveDecimal} from '../values/money.ts'
import type {ApprovalPolicy, SpendingLimits} from './limits.ts'
import {dayMs} from '../values/time.ts'

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

const describeUnreadable = (what: string, text: string) =>
  `${what} "${text}" is not an amount, so no limit can be checked against it`

// Says which of the figures that a limit compares, by what they are called, is no amount. Negative
// ones are none: a negative fee or an earlier negative amount would make room for more.
export function findUnreadable(figures: Readonly<Record<string, string>>): string | undefined {
  const unreadable = Object.entries(figures).find(([, text]) => !parsePositiveDecimal(text))
  return unreadable && describeUnreadable(...unreadable)
}

const findInCurrency = (amounts: Readonly<Record<string, string>> | undefined, currency: string) =>
  Object.entries(amounts ?? {}).find(([label]) => label.toUpperCase() === currency)?.[1]

const describeForbidden = (currency: string) => `No payment in ${currency} is allowed`

// The payee comes first, then the amount. A profile with caps pays only in the currencies that they
// name.
export const findPaymentProblems = (spending: SpendingLimits, outgoing: OutgoingAmount): string[] =>
  [findPayeeProblem(spending, outgoing), findAmountProblem(spending, outgoing)].filter((each) => each !== undefined)

const findPayeeProblem = ({destinations}: SpendingLimits, {destination}: OutgoingAmount): string | undefined =>
  destinations && !destinations.includes(destination)
    ? `The account ${destination} is not among those that may be paid`
    : undefined

function findAmountProblem({paymentMax}: SpendingLimits, outgoing: OutgoingAmount): string | undefined {
  if (!paymentMax) return undefined
  const {amount} = outgoing
  const currency = outgoing.currency.toUpperCase()
  const most = findInCurrency(paymentMax, currency)
  if (most === undefined) return describeForbidden(currency)

  const unreadable = findUnreadable({'The amount': amount, 'The limit': most})
  if (unreadable !== undefined) return unreadable
  return new Big(amount).gt(most)
    ? `${amount} ${currency} is more than the ${most} ${currency} that one payment may be`
    : undefined
}

// Which amounts count towards the daily limit, if there is one. A day is a day in UTC.
export function buildDayQuery(
  {dayMax}: SpendingLimits,
  {currency}: Pick<OutgoingAmount, 'currency'>,
  nowMs: number,
): SpendingQuery | undefined {
  return dayMax && {currency: currency.toUpperCase(), sinceMs: nowMs - (nowMs % dayMs)}
}

// `spentAmounts` are those of the other payments that have, or may have, spent money today, of all
// processes. An amount that is not known yet is empty. `counted` says in the problem what the
// amounts are.
export function findDayProblems(
  {dayMax}: SpendingLimits,
  outgoing: OutgoingAmount,
  spentAmounts: readonly string[],
  counted = 'was paid or is pending today',
): string[] {
  if (!dayMax) return []
  const currency = outgoing.currency.toUpperCase()
  const most = findInCurrency(dayMax, currency)
  if (most === undefined) return [describeForbidden(currency)]
  if (spentAmounts.includes('')) {
    return ['A transaction of today is pending and its amount is not known, so the daily limit cannot be checked']
  }

  let spent = new Big('0')
  for (const earlier of spentAmounts) {
    const amount = parsePositiveDecimal(earlier)
    if (!amount) return [describeUnreadable('An earlier amount', earlier)]
    spent = spent.plus(amount)
  }

  const unreadable = findUnreadable({'The amount': outgoing.amount, 'The limit': most})
  if (unreadable !== undefined) return [unreadable]
  if (spent.plus(outgoing.amount).lte(most)) return []
  return [
    `${spent.toFixed()} ${currency} ${counted}, and ${outgoing.amount} ${currency} more would exceed the ${most} ${currency} that may be paid in a day`,
  ]
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
