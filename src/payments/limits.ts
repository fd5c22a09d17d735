// The limits of a payment: on its price, and on what a profile may spend. A limit that cannot be checked stops the payment.
import {Big} from 'big.js'
import type {SpendingLimits} from '../profiles/spending-limits.ts'
import type {PaymentContent} from './payment-content.ts'
import type {ListSpentAmounts} from './journal/journal.ts'
import type {Price} from './payment.ts'

export type {SpendingLimits} from '../profiles/spending-limits.ts'

// The limits that a run sets.
export interface PriceLimits {
  // Both fees together, in the source currency: an amount, or a percentage of the amount paid.
  feeMax?: {amount: string} | {percent: string} | undefined
  rateMin?: string | undefined
  receivedMin?: string | undefined
}

// Stops a payment. The message says why, with the figures.
export class LimitReached extends Error {
  override name = 'LimitReached'
}

function toDecimal(text: string, what: string): Big {
  try {
    return new Big(text)
  } catch {
    throw new LimitReached(`${what} "${text}" is not a number, so no limit can be checked against it`)
  }
}

function checkFeeLimit(
  {feeMax}: PriceLimits,
  {source}: PaymentContent,
  {svcFee, developerFee, feeCurrency}: Price,
): void {
  if (!feeMax) return
  const currency = source.sourceCurrency.toUpperCase()
  if (feeCurrency === '')
    throw new LimitReached('The quote does not name the currency of its fees, so --max-fee cannot be checked')
  if (feeCurrency.toUpperCase() !== currency) {
    throw new LimitReached(`The fees are in ${feeCurrency}, but --max-fee is in ${currency}`)
  }
  const fees = toDecimal(svcFee, 'The service fee').plus(toDecimal(developerFee, 'The developer fee'))
  const most =
    'amount' in feeMax ? new Big(feeMax.amount) : new Big(source.sourceAmount).times(feeMax.percent).div('100')
  if (fees.lte(most)) return
  const allowed = 'amount' in feeMax ? '' : ` (${feeMax.percent}%)`
  throw new LimitReached(
    `The fees are ${fees.toFixed()} ${currency}, but at most ${most.toFixed()} ${currency}${allowed} is allowed`,
  )
}

export function checkPriceLimits(limits: PriceLimits, content: PaymentContent, price: Price): void {
  checkFeeLimit(limits, content, price)
  const {rateMin, receivedMin} = limits
  const {rate, received} = price
  if (rateMin !== undefined && toDecimal(rate, 'The rate').lt(rateMin)) {
    throw new LimitReached(`The rate is ${rate}, but at least ${rateMin} is required`)
  }
  if (receivedMin !== undefined && toDecimal(received, 'The amount received').lt(receivedMin)) {
    const currency = content.destination.destinationCurrency
    throw new LimitReached(
      `${received} ${currency} would be received, but at least ${receivedMin} ${currency} is required`,
    )
  }
}

const findInCurrency = (amounts: Readonly<Record<string, string>> | undefined, currency: string) =>
  Object.entries(amounts ?? {}).find(([label]) => label.toUpperCase() === currency)?.[1]

// The limits of a profile on a single payment. A profile with caps pays only in the currencies that they name.
export function checkPaymentLimits(
  {paymentMax, destinations}: SpendingLimits,
  {source, destination}: PaymentContent,
): void {
  const currency = source.sourceCurrency.toUpperCase()
  const to = destination.destinationPaymentAccountId
  if (destinations && !destinations.includes(to)) {
    throw new LimitReached(`The account ${to} is not among the destinations that the profile allows`)
  }
  const most = findInCurrency(paymentMax, currency)
  if (paymentMax && most === undefined) throw new LimitReached(`The profile allows no payment in ${currency}`)
  if (most !== undefined && new Big(source.sourceAmount).gt(toDecimal(most, 'The limit'))) {
    throw new LimitReached(
      `${source.sourceAmount} ${currency} is more than the ${most} ${currency} that the profile allows for a payment`,
    )
  }
}

const dayMs = 86_400_000

// The limit of a profile per day in UTC. Payments of all processes count, including those whose outcome is unknown.
export function checkDailyLimit(
  {dayMax}: SpendingLimits,
  {source}: PaymentContent,
  nowMs: number,
  listSpentAmounts: ListSpentAmounts,
): void {
  if (!dayMax) return
  const currency = source.sourceCurrency.toUpperCase()
  const most = findInCurrency(dayMax, currency)
  if (most === undefined) throw new LimitReached(`The profile allows no payment in ${currency}`)
  const amounts = listSpentAmounts({currency, sinceMs: nowMs - (nowMs % dayMs)})
  if (amounts.includes('')) {
    throw new LimitReached(
      'A transaction of today is pending and its amount is not known, so the daily limit cannot be checked',
    )
  }
  const earlier = amounts.reduce((sum, amount) => sum.plus(toDecimal(amount, 'An earlier amount')), new Big('0'))
  if (earlier.plus(source.sourceAmount).lte(toDecimal(most, 'The limit'))) return
  throw new LimitReached(
    `${earlier.toFixed()} ${currency} was paid or is pending today, and ${source.sourceAmount} ${currency} more would pass the ${most} ${currency} that the profile allows in a day`,
  )
}
