// The limits of a payment: on the price of its quote, and on what the profile may spend.
import {Big} from 'big.js'
import {type OutgoingAmount, findUnreadable} from '../../controls/check-spending.ts'
import {amountPattern} from '../../contract/vocabulary.ts'
import {findHighFees, isZeroAmount} from '../../values/money.ts'
import type {PaymentContent, Price, PriceLimits} from './payment.ts'

type FeeMax = NonNullable<PriceLimits['feeMax']>

const percentMax = '100'

export const feeMaxFormat = `an amount such as 2.50, or a percentage such as 1.5%, at most ${percentMax}%`

// Parses --max-fee: an amount, or a percentage of the amount paid.
export function parseFeeMax(text: string): FeeMax | undefined {
  const number = text.replace(/\s*%$/, '')
  if (!amountPattern.test(number)) return undefined
  if (number === text) return {amount: number}
  return new Big(number).gt(percentMax) ? undefined : {percent: number}
}

// The figures that computeFeeMax() needs.
const listFeeMaxFigures = (feeMax: FeeMax, {source}: Pick<PaymentContent, 'source'>): Record<string, string> =>
  'amount' in feeMax ? {'The limit': feeMax.amount} : {'The amount': source.sourceAmount, 'The limit': feeMax.percent}

// The most that both fees together may be, in the source currency.
const computeFeeMax = (feeMax: FeeMax, {source}: Pick<PaymentContent, 'source'>): Big =>
  'amount' in feeMax ? new Big(feeMax.amount) : new Big(source.sourceAmount).times(feeMax.percent).div('100')

// Problems that are known without a quote: the developer fee counts towards --max-fee.
export function findKnownFeeProblems({feeMax}: PriceLimits, content: PaymentContent): string[] {
  const {source, developerFee} = content
  if (!feeMax || !developerFee) return []
  const {developerFeeType: type, developerFeeAmount: fee} = developerFee
  const currency = source.sourceCurrency.toUpperCase()
  if (type !== 'SOURCE_CURRENCY' && type !== currency) return []

  const unreadable = findUnreadable({...listFeeMaxFigures(feeMax, content), 'The developer fee': fee})
  if (unreadable !== undefined) return [unreadable]
  const most = computeFeeMax(feeMax, content)
  return most.gte(fee)
    ? []
    : [`The developer fee of ${fee} ${currency} alone is more than the ${most.toFixed()} ${currency} that is allowed`]
}

function findFeeProblem({feeMax}: PriceLimits, content: PaymentContent, price: Price): string | undefined {
  if (!feeMax) return undefined
  const {source, developerFee: asked} = content
  const {svcFee, developerFee, feeCurrency} = price
  const currency = source.sourceCurrency.toUpperCase()
  if (feeCurrency === '') return 'The quote does not name the currency of its fees, so --max-fee cannot be checked'
  if (feeCurrency.toUpperCase() !== currency) return `The fees are in ${feeCurrency}, but --max-fee is in ${currency}`

  // The service may leave out a developer fee that nobody asked for.
  const ownFee = developerFee === '' && !asked ? '0' : developerFee
  const unreadable = findUnreadable({
    'The service fee': svcFee,
    'The developer fee': ownFee,
    ...listFeeMaxFigures(feeMax, content),
  })
  if (unreadable !== undefined) return unreadable

  const fees = new Big(svcFee).plus(ownFee)
  const most = computeFeeMax(feeMax, content)
  if (fees.lte(most)) return undefined
  const percent = 'amount' in feeMax ? '' : ` (${feeMax.percent}%)`
  return `The fees are ${fees.toFixed()} ${currency}, but at most ${most.toFixed()} ${currency}${percent} is allowed`
}

// High fees for which no limit was set: their share of what is sent.
export const findUnlimitedFees = (
  {feeMax}: PriceLimits,
  {source}: Pick<PaymentContent, 'source'>,
  {svcFee, developerFee, feeCurrency}: Price,
): string | undefined =>
  feeMax
    ? undefined
    : findHighFees({
        amount: source.sourceAmount,
        currency: source.sourceCurrency,
        fees: [svcFee, developerFee],
        feeCurrency,
      })

// Matches zero and negative figures, however they are written: also with blanks, a plus or an
// exponent.
const nothingForm = /^\s*(?:-|\+?(?=\.?0)0*\.?0*(?:e[+-]?\d+)?\s*$)/i

// Problems that keep a quote from being used: those of its price, and that nothing would arrive,
// unless a limit of 0 allows that.
export function findQuoteProblems(limits: PriceLimits, content: PaymentContent, price: Price): string[] {
  const problems = findPriceProblems(limits, content, price)
  const {rateMin, receivedMin} = limits
  const mayBeNothing = [rateMin, receivedMin].some((least) => least !== undefined && isZeroAmount(least))
  if (mayBeNothing || !nothingForm.test(price.received)) return problems
  const currency = content.destination.destinationCurrency
  return [
    ...problems,
    `The quote says that ${price.received} ${currency} would arrive, which only --min-received 0 allows`,
  ]
}

// A problem for each limit that a price does not keep.
export const findPriceProblems = (limits: PriceLimits, content: PaymentContent, price: Price): string[] =>
  [
    findFeeProblem(limits, content, price),
    findSentProblem(limits, content),
    findRateProblem(limits, price),
    findReceivedProblem(limits, content, price),
  ].filter((each) => each !== undefined)

function findSentProblem({sentMax}: PriceLimits, {source}: PaymentContent): string | undefined {
  if (sentMax === undefined) return undefined
  const {sourceAmount, sourceCurrency: currency} = source
  const unreadable = findUnreadable({'The amount': sourceAmount})
  if (unreadable !== undefined) return unreadable
  return new Big(sourceAmount).gt(sentMax)
    ? `${sourceAmount} ${currency} would be sent, but at most ${sentMax} ${currency} may be`
    : undefined
}

function findRateProblem({rateMin}: PriceLimits, {rate}: Price): string | undefined {
  if (rateMin === undefined) return undefined
  const unreadable = findUnreadable({'The rate': rate})
  if (unreadable !== undefined) return unreadable
  return new Big(rate).lt(rateMin) ? `The rate is ${rate}, but at least ${rateMin} is required` : undefined
}

function findReceivedProblem(
  {receivedMin}: PriceLimits,
  {destination}: PaymentContent,
  {received}: Price,
): string | undefined {
  if (receivedMin === undefined) return undefined
  const unreadable = findUnreadable({'The amount received': received})
  if (unreadable !== undefined) return unreadable
  const currency = destination.destinationCurrency
  return new Big(received).lt(receivedMin)
    ? `${received} ${currency} would be received, but at least ${receivedMin} ${currency} is required`
    : undefined
}

// The most that a payment may send, as its approvers see it. Empty if the payment says what is to
// arrive, but not how much may be sent.
export const getMostSent = ({content: {source, receive}, limits}: {content: PaymentContent; limits: PriceLimits}) =>
  receive === undefined ? source.sourceAmount : (limits.sentMax ?? '')

// The amount that leaves, as the limits of a profile count it.
export const toOutgoing = ({source, destination}: PaymentContent): OutgoingAmount => ({
  currency: source.sourceCurrency,
  amount: source.sourceAmount,
  destination: destination.destinationPaymentAccountId,
})
