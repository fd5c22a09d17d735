// Turns a completed payment into double-entry postings that sum to zero exactly, in every currency.
import {Big} from 'big.js'
import {findCurrencyDecimals} from '../values/currencies.ts'
import type {CompletedPayment} from './figures.ts'

export type PostingKind =
  | 'source'
  | 'destination'
  | 'serviceFee'
  | 'developerFee'
  // Less than the smallest unit of the currency that arrived.
  | 'rounding'
  // More than rounding explains: the amounts do not follow from the rate.
  | 'exchangeDifference'

export interface Posting {
  kind: PostingKind
  // The payment account, of a source and a destination.
  accountId?: string
  // Positive is a debit, negative a credit.
  amount: Big
  currency: string
  // What one unit, or all of it, was exchanged for.
  price?: {amount: Big; currency: string; isTotal: boolean}
}

const decimalsUnknown = 2

// A difference below this is rounding.
const getSmallestUnit = (currency: string) => new Big(`1e-${findCurrencyDecimals(currency) ?? decimalsUnknown}`)

// The price is given per unit of the currency that left: amount times rate is exact, a division would have to be rounded.
export function createPostings(payment: CompletedPayment): Posting[] {
  const {source, destination, rate} = payment
  const [amount, received] = [new Big(source.amount), new Big(destination.amount)]
  const [svcFee, developerFee] = [new Big(payment.svcFee), new Big(payment.developerFee)]
  const fees = svcFee.plus(developerFee)
  const net = amount.minus(fees)
  const isExchanged = source.currency !== destination.currency
  // Without a rate, what arrived is the price of what left; nothing can be the price of nothing.
  const netReceived = !isExchanged ? net : net.eq('0') ? net : rate === undefined ? received : net.times(rate)
  const from = {kind: 'source', accountId: source.accountId, currency: source.currency} as const
  const left: Posting[] = isExchanged
    ? [
        {
          ...from,
          amount: net.neg(),
          price: {
            amount: rate === undefined ? received : new Big(rate),
            currency: destination.currency,
            isTotal: rate === undefined,
          },
        },
        {...from, amount: fees.neg()},
      ]
    : [{...from, amount: amount.neg()}]
  const difference = netReceived.minus(received)
  const isRounding = difference.abs().lt(getSmallestUnit(destination.currency))
  return [
    ...left,
    {kind: 'serviceFee' as const, amount: svcFee, currency: source.currency},
    {kind: 'developerFee' as const, amount: developerFee, currency: source.currency},
    {
      kind: 'destination' as const,
      accountId: destination.accountId,
      amount: received,
      currency: destination.currency,
    },
    {
      kind: isRounding ? ('rounding' as const) : ('exchangeDifference' as const),
      amount: difference,
      currency: destination.currency,
    },
  ].filter((posting) => !posting.amount.eq('0'))
}

// What a posting counts in the sum of its entry: itself, or what it was exchanged for.
export function weighPosting({amount, currency, price}: Posting): {amount: Big; currency: string} {
  if (!price) return {amount, currency}
  const weight = price.isTotal ? (amount.lt('0') ? price.amount.neg() : price.amount) : amount.times(price.amount)
  return {amount: weight, currency: price.currency}
}

export const hasExchangeDifference = (postings: readonly Posting[]): boolean =>
  postings.some(({kind}) => kind === 'exchangeDifference')
