// Compares the transaction that the service made with what was meant: the content, the quote and the limits of the payment.
import {Big} from 'big.js'
import type {LooseTransaction} from '../../contract/loose.ts'
import {normalizeAmount, parsePositiveDecimal} from '../../values/money.ts'
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

// Why the rate and the amount received of an estimate may change: docs/assumptions.md, P17.
const estimateSlackPercent = '1'

const identity = (text: string) => text
const toLower = (text: string) => text.toLowerCase()
const toUpper = (text: string) => text.toUpperCase()

// The fields of the content: their name, how they are read, and how two spellings of a value become one.
const contentFields: ReadonlyArray<
  readonly [name: string, read: (content: PaymentContent) => string, normalize: (text: string) => string]
> = [
  ['customer', ({customerId}) => customerId, toLower],
  ['source account', ({source}) => source.sourcePaymentAccountId, identity],
  ['source method', ({source}) => source.sourcePaymentMethod, toUpper],
  ['source currency', ({source}) => source.sourceCurrency, toUpper],
  ['destination account', ({destination}) => destination.destinationPaymentAccountId, identity],
  ['destination method', ({destination}) => destination.destinationPaymentMethod, toUpper],
  ['destination currency', ({destination}) => destination.destinationCurrency, toUpper],
]

const withCurrency = (amount: string, currency: string) => [amount, currency].filter(Boolean).join(' ')

// Compares decimals. A value that either side leaves out is no difference.
const isDifferent = (actual: string, meant: string) =>
  actual !== meant && actual !== '' && meant !== '' && normalizeAmount(actual) !== normalizeAmount(meant)

// Who is paid what decides whether a transaction is another payment than the one that was meant.
const decisiveFields = new Set(['customer', 'source currency', 'destination account', 'destination currency'])

// Another journal may have found another amount to send for what is to arrive, so what arrives is compared then.
function hasOtherAmount({source, receive}: PaymentContent, transaction: LooseTransaction): boolean {
  if (receive === undefined) return isDifferent(readContent(transaction).source.sourceAmount, source.sourceAmount)
  const {received} = readTransactionPrice(transaction)
  return received !== '' && (isBelowEstimate(received, receive) || isBelowEstimate(receive, received))
}

export function isOtherPayment(content: PaymentContent, transaction: LooseTransaction): boolean {
  if (!isContentKnown(content)) return false
  const made = readContent(transaction)
  const hasOtherField = contentFields.some(
    ([name, read, normalize]) =>
      decisiveFields.has(name) && read(made) !== '' && normalize(read(made)) !== normalize(read(content)),
  )
  return hasOtherField || hasOtherAmount(content, transaction)
}

export const hasOtherDestination = (content: PaymentContent, made: PaymentContent): boolean =>
  made.destination.destinationPaymentAccountId !== content.destination.destinationPaymentAccountId

// The content of a transaction. What the service leaves out is taken from what was meant.
export function readMadeContent(content: PaymentContent, transaction: LooseTransaction): PaymentContent {
  const made = readContent(transaction)
  const fill = <T extends object>(values: T, others: T): T => ({
    ...others,
    ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')),
  })
  return {
    customerId: made.customerId || content.customerId,
    source: fill(made.source, content.source),
    destination: fill(made.destination, content.destination),
  }
}

function compareContent(content: PaymentContent, made: PaymentContent): string[] {
  const fields = contentFields.flatMap(([name, read, normalize]) => {
    const [actual, meant] = [read(made), read(content)]
    if (actual === meant || actual === '' || meant === '' || normalize(actual) === normalize(meant)) return []
    return [`the service has the ${name} ${actual}, the payment asked for ${meant}`]
  })
  const [actual, meant] = [made.source.sourceAmount, content.source.sourceAmount]
  if (!isDifferent(actual, meant)) return fields
  const currency = content.source.sourceCurrency.toUpperCase()
  const actualText = withCurrency(actual, made.source.sourceCurrency.toUpperCase() || currency)
  return [
    ...fields,
    `the service has a source amount of ${actualText}, the payment asked for ${withCurrency(meant, currency)}`,
  ]
}

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

function isBelowEstimate(actual: string, quoted: string): boolean {
  const [made, estimate] = [parsePositiveDecimal(actual), parsePositiveDecimal(quoted)]
  // Text that is no number cannot be an estimate that moved.
  if (!made || !estimate) return isDifferent(actual, quoted)
  return made.lt(estimate.times(new Big('100').minus(estimateSlackPercent)).div('100'))
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
  const differences = compareContent(content, readContent(transaction))
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
