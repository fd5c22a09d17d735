// The limits of a payment: what a price may be, and what a profile may spend. A limit that cannot be judged stops it.
import {Big} from 'big.js'
import type {SpendingLimits} from '../profiles/spending-limits.ts'
import type {PaymentContent} from './payment-content.ts'
import type {SpendingQuery} from './journal/journal.ts'
import type {Price} from './payment.ts'

export type {SpendingLimits} from '../profiles/spending-limits.ts'

// What this run asks for.
export interface PriceLimits {
  // Both fees together, in the source currency: an amount, or a share of what is paid.
  feeMax?: {amount: string} | {percent: string} | undefined
  rateMin?: string | undefined
  receivedMin?: string | undefined
}

// Why a payment is stopped, with the figures.
export class LimitReached extends Error {
  override name = 'LimitReached'
}

function toDecimal(text: string, what: string): Big {
  try {
    return new Big(text)
  } catch {
    throw new LimitReached(`${what} "${text}" is not a number, so it cannot be held against a limit`)
  }
}

function checkFeeLimit(
  {feeMax}: PriceLimits,
  {source}: PaymentContent,
  {svcFee, developerFee, feeCurrency}: Price,
): void {
  if (!feeMax) return
  const currency = source.sourceCurrency.toUpperCase()
  if (feeCurrency === '') throw new LimitReached('The quote names no currency of its fees, and --max-fee is given')
  if (feeCurrency.toUpperCase() !== currency) {
    throw new LimitReached(`The fees are in ${feeCurrency}, and --max-fee is in ${currency}`)
  }
  const fees = toDecimal(svcFee, 'The service fee').plus(toDecimal(developerFee, 'The developer fee'))
  const most =
    'amount' in feeMax ? new Big(feeMax.amount) : new Big(source.sourceAmount).times(feeMax.percent).div('100')
  if (fees.lte(most)) return
  const allowed = 'amount' in feeMax ? '' : ` (${feeMax.percent}%)`
  throw new LimitReached(
    `The fees are ${fees.toFixed()} ${currency}, and at most ${most.toFixed()} ${currency}${allowed} may be paid`,
  )
}

export function checkPriceLimits(limits: PriceLimits, content: PaymentContent, price: Price): void {
  checkFeeLimit(limits, content, price)
  const {rateMin, receivedMin} = limits
  const {rate, received} = price
  if (rateMin !== undefined && toDecimal(rate, 'The rate').lt(rateMin)) {
    throw new LimitReached(`The rate is ${rate}, and at least ${rateMin} is asked for`)
  }
  if (receivedMin !== undefined && toDecimal(received, 'What arrives').lt(receivedMin)) {
    const currency = content.destination.destinationCurrency
    throw new LimitReached(`${received} ${currency} would arrive, and at least ${receivedMin} ${currency} is asked for`)
  }
}

const findInCurrency = (amounts: Readonly<Record<string, string>> | undefined, currency: string) =>
  Object.entries(amounts ?? {}).find(([label]) => label.toUpperCase() === currency)?.[1]

// What a profile says about one payment by itself. A profile that names caps pays only in the currencies they name.
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

// What a profile may spend in a day of UTC: payments of every process count, also those of which nothing is known yet.
export function checkDailyLimit(
  {dayMax}: SpendingLimits,
  {source}: PaymentContent,
  nowMs: number,
  spent: (of: SpendingQuery) => string[],
): void {
  if (!dayMax) return
  const currency = source.sourceCurrency.toUpperCase()
  const most = findInCurrency(dayMax, currency)
  if (most === undefined) throw new LimitReached(`The profile allows no payment in ${currency}`)
  const amounts = spent({currency, sinceMs: nowMs - (nowMs % dayMs)})
  if (amounts.includes('')) {
    throw new LimitReached('A transaction of today is pending whose amount is not known, so the day cannot be judged')
  }
  const earlier = amounts.reduce((sum, one) => sum.plus(toDecimal(one, 'An earlier amount')), new Big('0'))
  if (earlier.plus(source.sourceAmount).lte(toDecimal(most, 'The limit'))) return
  throw new LimitReached(
    `${earlier.toFixed()} ${currency} was paid or is pending today, and ${source.sourceAmount} ${currency} more would pass the ${most} ${currency} that the profile allows in a day`,
  )
}
