// The limits of a payment: on the price of its quote, and on what the profile may spend.
import {Big} from 'big.js'
import {LimitReached, type OutgoingAmount, toDecimal} from '../../controls/check-spending.ts'
import {amountPattern} from '../../contract/vocabulary.ts'
import {findHighFees, isZeroAmount} from '../../values/money.ts'
import type {PaymentContent, Price, PriceLimits} from './payment.ts'

// Parses --max-fee: an amount, or a percentage of the amount paid.
const percentMax = '100'

export const feeMaxFormat = `an amount such as 2.50, or a percentage such as 1.5%, at most ${percentMax}%`

export function parseFeeMax(text: string): NonNullable<PriceLimits['feeMax']> | undefined {
  const number = text.replace(/\s*%$/, '')
  if (!amountPattern.test(number)) return undefined
  if (number === text) return {amount: number}
  return new Big(number).gt(percentMax) ? undefined : {percent: number}
}

// The most that both fees together may be, in the source currency.
const computeFeeMax = (feeMax: NonNullable<PriceLimits['feeMax']>, {source}: Pick<PaymentContent, 'source'>): Big =>
  'amount' in feeMax
    ? toDecimal(feeMax.amount, 'The limit')
    : toDecimal(source.sourceAmount, 'The amount').times(toDecimal(feeMax.percent, 'The limit')).div('100')

// Checks what is known without a quote: the developer fee counts towards --max-fee.
export function checkKnownFees({feeMax}: PriceLimits, {source, developerFee}: PaymentContent): void {
  if (!feeMax || !developerFee) return
  const currency = source.sourceCurrency.toUpperCase()
  if (developerFee.developerFeeType !== 'SOURCE_CURRENCY' && developerFee.developerFeeType !== currency) return
  const most = computeFeeMax(feeMax, {source})
  if (toDecimal(developerFee.developerFeeAmount, 'The developer fee').lte(most)) return
  throw new LimitReached(
    `The developer fee of ${developerFee.developerFeeAmount} ${currency} alone is more than the ${most.toFixed()} ${currency} that is allowed`,
  )
}

function checkFeeLimit(
  {feeMax}: PriceLimits,
  {source, developerFee: asked}: PaymentContent,
  {svcFee, developerFee, feeCurrency}: Price,
): void {
  if (!feeMax) return
  const currency = source.sourceCurrency.toUpperCase()
  if (feeCurrency === '') {
    throw new LimitReached('The quote does not name the currency of its fees, so --max-fee cannot be checked')
  }
  if (feeCurrency.toUpperCase() !== currency) {
    throw new LimitReached(`The fees are in ${feeCurrency}, but --max-fee is in ${currency}`)
  }
  // The service may leave out a developer fee that nobody asked for.
  const ownFee = developerFee === '' && !asked ? '0' : developerFee
  const fees = toDecimal(svcFee, 'The service fee').plus(toDecimal(ownFee, 'The developer fee'))
  const most = computeFeeMax(feeMax, {source})
  if (fees.lte(most)) return
  const percent = 'amount' in feeMax ? '' : ` (${feeMax.percent}%)`
  throw new LimitReached(
    `The fees are ${fees.toFixed()} ${currency}, but at most ${most.toFixed()} ${currency}${percent} is allowed`,
  )
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

// Nothing or less, however it is written: also with blanks, a plus or an exponent.
const nothingForm = /^\s*(?:-|\+?(?=\.?0)0*\.?0*(?:e[+-]?\d+)?\s*$)/i

// Checks a quote before it is used: by the limits, and that something arrives unless one of them
// says that nothing need.
export function checkPrice(limits: PriceLimits, content: PaymentContent, price: Price): void {
  checkPriceLimits(limits, content, price)
  const {rateMin, receivedMin} = limits
  const mayBeNothing = [rateMin, receivedMin].some((least) => least !== undefined && isZeroAmount(least))
  if (mayBeNothing || !nothingForm.test(price.received)) return
  const currency = content.destination.destinationCurrency
  throw new LimitReached(
    `The quote says that ${price.received} ${currency} would arrive, which only --min-received 0 allows`,
  )
}

export function checkPriceLimits(limits: PriceLimits, content: PaymentContent, price: Price): void {
  checkFeeLimit(limits, content, price)
  const {rateMin, receivedMin, sentMax} = limits
  const {sourceAmount, sourceCurrency} = content.source
  if (sentMax !== undefined && toDecimal(sourceAmount, 'The amount').gt(sentMax)) {
    throw new LimitReached(
      `${sourceAmount} ${sourceCurrency} would be sent, but at most ${sentMax} ${sourceCurrency} may be`,
    )
  }
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

// The most that a payment may send, as its approvers see it. Empty if it says what is to arrive, and no limit of what is sent.
export const getMostSent = ({content: {source, receive}, limits}: {content: PaymentContent; limits: PriceLimits}) =>
  receive === undefined ? source.sourceAmount : (limits.sentMax ?? '')

// What leaves, as the limits of a profile count it.
export const toOutgoing = ({source, destination}: PaymentContent): OutgoingAmount => ({
  currency: source.sourceCurrency,
  amount: source.sourceAmount,
  destination: destination.destinationPaymentAccountId,
})
