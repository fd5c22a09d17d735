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
  // The first day that counts, in days of UTC since 1970.
  day: number
}

// A sum that was, or may have been, spent, and how many amounts are not known beside it.
export interface SpentSum {
  amount: string
  unknown: number
}

export const nothingSpent: SpentSum = {amount: '0', unknown: 0}

// Amounts that are no decimals, or negative, are not known. A sign of -1 takes the amount away.
export function addSpent({amount: sum, unknown}: SpentSum, text: string, sign: 1 | -1 = 1): SpentSum {
  const amount = parsePositiveDecimal(text)
  if (!amount) return {amount: sum, unknown: unknown + sign}
  return {amount: new Big(sum).plus(amount.times(sign)).toFixed(), unknown}
}

// Days begin at midnight UTC.
export const toDay = (ms: number): number => Math.floor(ms / dayMs)

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

// The amounts that count towards the daily limit, if there is one.
export function buildDayQuery(
  {dayMax}: SpendingLimits,
  {currency}: Pick<OutgoingAmount, 'currency'>,
  nowMs: number,
): SpendingQuery | undefined {
  return dayMax && {currency: currency.toUpperCase(), day: toDay(nowMs)}
}

// `spent` is what the other payments have, or may have, spent today, of all processes. `counted` says
// in the problem what the amounts are.
export function findDayProblems(
  {dayMax}: SpendingLimits,
  outgoing: OutgoingAmount,
  spent: SpentSum,
  counted = 'was paid or is pending today',
): string[] {
  if (!dayMax) return []
  const currency = outgoing.currency.toUpperCase()
  const most = findInCurrency(dayMax, currency)
  if (most === undefined) return [describeForbidden(currency)]
  if (spent.unknown !== 0) {
    return ['A transaction of today is pending and its amount is not known, so the daily limit cannot be checked']
  }

  const figures = {'The sum of earlier amounts': spent.amount, 'The amount': outgoing.amount, 'The limit': most}
  const unreadable = findUnreadable(figures)
  if (unreadable !== undefined) return [unreadable]
  const sum = new Big(spent.amount)
  if (sum.plus(outgoing.amount).lte(most)) return []
  return [
    `${sum.toFixed()} ${currency} ${counted}, and ${outgoing.amount} ${currency} more would exceed the ${most} ${currency} that may be paid in a day`,
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
