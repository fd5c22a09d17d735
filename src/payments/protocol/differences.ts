// Says how the transaction that the service made differs from what was meant: the content, the quote and the limits of the payment.
import type {LooseTransaction} from '../../contract/loose.ts'
import {parsePositiveDecimal} from '../../values/money.ts'
import {compareMade, isBelowEstimate, isDifferent, withCurrency} from './compare.ts'
import {
  type Attempt,
  type Payment,
  type PaymentContent,
  type Price,
  isContentKnown,
  readBadEnding,
  readContent,
} from './payment.ts'
import {computeFeeMax} from './limits.ts'
import {readTransactionPrice} from './fetch-quote.ts'
import {readAmount, readText} from '../../values/records.ts'

// The price of the transaction, and what it is compared with.
interface PriceComparison {
  content: PaymentContent
  actual: Price
  // The quote that was executed. Absent if another host or an earlier journal requested it.
  attempt?: Attempt | undefined
}

function compareFees({actual, attempt}: PriceComparison): string[] {
  if (!attempt) return []
  const {price} = attempt
  const compareFee = (name: string, actualFee: string, quotedFee: string) =>
    isDifferent(actualFee, quotedFee)
      ? [
          `the service has a ${name} of ${withCurrency(actualFee, actual.feeCurrency || price.feeCurrency)}, the quote said ${withCurrency(quotedFee, price.feeCurrency)}`,
        ]
      : []
  const [currency, quotedCurrency] = [actual.feeCurrency.toUpperCase(), price.feeCurrency.toUpperCase()]
  return [
    ...(currency !== '' && quotedCurrency !== '' && currency !== quotedCurrency
      ? [`the service has fees in ${currency}, the quote said ${quotedCurrency}`]
      : []),
    ...compareFee('service fee', actual.svcFee, price.svcFee),
    ...compareFee('developer fee', actual.developerFee, price.developerFee),
  ]
}

// Without a quote of this journal, the developer fee is compared with the content, in the currency that it was given in.
function compareRequestedFee(content: PaymentContent, transaction: LooseTransaction): string[] {
  const {developerFeeType: type, developerFeeAmount: meant = '0'} = content.developerFee ?? {}
  const {feeAmount, feeUSDAmount} = transaction.fees?.developerFee ?? {}
  const actual = readAmount(type === 'USD' ? feeUSDAmount : feeAmount)
  if (!isDifferent(actual, meant)) return []
  const currency = type === 'USD' ? 'USD' : content.source.sourceCurrency.toUpperCase()
  return [
    `the service has a developer fee of ${withCurrency(actual, currency)}, the payment asked for ${withCurrency(meant, currency)}`,
  ]
}

// A guaranteed price must be exact. An estimate may change until the transaction is completed.
function comparePrice({content, actual, attempt}: PriceComparison): string[] {
  if (!attempt) return []
  const {price, isGuaranteed = false} = attempt
  const currency = content.destination.destinationCurrency.toUpperCase()
  const compare = (name: string, actualText: string, quoted: string, unit: string) => {
    if (!isDifferent(actualText, quoted) || (!isGuaranteed && !isBelowEstimate(actualText, quoted))) return []
    const said = isGuaranteed ? 'the guaranteed quote said' : 'the quote estimated'
    return [`the service has ${name} of ${withCurrency(actualText, unit)}, ${said} ${withCurrency(quoted, unit)}`]
  }
  return [
    ...compare('a rate', actual.rate, price.rate, ''),
    ...compare('a received amount', actual.received, price.received, currency),
  ]
}

// Compares with the limits of the run that paid. A figure that the service leaves out was checked in the quote.
function compareLimits({content, actual, attempt}: PriceComparison, limits: Attempt['limits'] = {}): string[] {
  const {feeMax, rateMin, receivedMin} = limits
  // Text that is no amount does not reach a limit.
  const isBelow = (text: string, min: string | undefined) =>
    text !== '' && min !== undefined && !parsePositiveDecimal(text)?.gte(min)
  const currency = content.destination.destinationCurrency.toUpperCase()
  return [
    ...(feeMax ? compareFeeLimit(content, actual, attempt, feeMax) : []),
    ...(isBelow(actual.rate, rateMin)
      ? [`the service has a rate of ${actual.rate}, the limit was at least ${rateMin}`]
      : []),
    ...(isBelow(actual.received, receivedMin)
      ? [
          `the service has a received amount of ${withCurrency(actual.received, currency)}, the limit was at least ${withCurrency(receivedMin ?? '', currency)}`,
        ]
      : []),
  ]
}

function compareFeeLimit(
  content: PaymentContent,
  actual: Price,
  attempt: Attempt | undefined,
  feeMax: NonNullable<NonNullable<Attempt['limits']>['feeMax']>,
): string[] {
  if (actual.svcFee === '' && actual.developerFee === '') return []
  const currency = content.source.sourceCurrency.toUpperCase()
  // Fees in another currency cannot be added up against the limit.
  if (actual.feeCurrency !== '' && actual.feeCurrency.toUpperCase() !== currency) return []
  const feeTexts = [
    actual.svcFee || attempt?.price.svcFee || '0',
    actual.developerFee || attempt?.price.developerFee || '0',
  ]
  const [svcFee, developerFee] = feeTexts.map(parsePositiveDecimal)
  const most = computeFeeMax(feeMax, content)
  if (!svcFee || !developerFee) {
    return [
      `the service has fees of ${feeTexts.join(' and ')}, which cannot be held against the limit of ${most.toFixed()} ${currency}`,
    ]
  }
  const fees = svcFee.plus(developerFee)
  if (fees.lte(most)) return []
  return [`the service has fees of ${fees.toFixed()} ${currency}, the limit was ${most.toFixed()} ${currency}`]
}

// The attempt whose quote was executed. A service that leaves the quote out can only have used one that was sent.
function findExecutedAttempt({attempts}: Payment, {quoteId}: LooseTransaction): Attempt | undefined {
  const executedQuoteId = readText(quoteId)
  return executedQuoteId === ''
    ? attempts.findLast(({sends}) => sends > 0)
    : attempts.findLast((attempt) => attempt.quoteId === executedQuoteId)
}

// One line for each difference. A difference is reported; it is never a reason to pay again.
export function describeDifferences(payment: Payment, transaction: LooseTransaction): string[] {
  const {content} = payment
  if (!isContentKnown(content)) return []
  const differences = compareMade(content, readContent(transaction))
  // The price of a transaction that ended badly says nothing: no money was received.
  if (readBadEnding(transaction)) return differences
  const attempt = findExecutedAttempt(payment, transaction)
  const comparison: PriceComparison = {content, actual: readTransactionPrice(transaction), attempt}
  return [
    ...differences,
    ...compareFees(comparison),
    ...(attempt ? [] : compareRequestedFee(content, transaction)),
    ...comparePrice(comparison),
    ...compareLimits(comparison, attempt?.limits ?? payment.limits),
  ]
}

// For places that have room for one text.
export const joinDifferences = (differences: readonly string[]): string | undefined =>
  differences.length === 0 ? undefined : differences.join('; ')
