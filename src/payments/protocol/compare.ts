// Compares the content of payments, field by field: a payment with what another run asks for, and with what the service made.
import {Big} from 'big.js'
import type {LooseTransaction} from '../../contract/loose.ts'
import {normalizeAmount, parsePositiveDecimal} from '../../values/money.ts'
import {readTransactionPrice} from './fetch-quote.ts'
import {type PaymentContent, isContentKnown, listUnknownFields, readContent, toComparableText} from './payment.ts'

const toLower = (text: string) => text.toLowerCase()
const toUpper = (text: string) => text.toUpperCase()

const keep = (text: string) => text

interface ContentField {
  label: string
  read: (content: PaymentContent) => string
  // Makes one of two spellings of a value.
  normalize: (text: string) => string
  // Who is paid in what decides whether a transaction is another payment than the one that was meant.
  isDecisive: boolean
}

const createField = (
  label: string,
  read: ContentField['read'],
  {normalize = keep, isDecisive = false}: Partial<Pick<ContentField, 'normalize' | 'isDecisive'>> = {},
): ContentField => ({label, read, normalize, isDecisive})

const contentFields: readonly ContentField[] = [
  createField('customer', ({customerId}) => customerId, {normalize: toLower, isDecisive: true}),
  createField('source account', ({source}) => source.sourcePaymentAccountId),
  createField('source method', ({source}) => source.sourcePaymentMethod, {normalize: toUpper}),
  createField('source currency', ({source}) => source.sourceCurrency, {normalize: toUpper, isDecisive: true}),
  createField('destination account', ({destination}) => destination.destinationPaymentAccountId, {isDecisive: true}),
  createField('destination method', ({destination}) => destination.destinationPaymentMethod, {normalize: toUpper}),
  createField('destination currency', ({destination}) => destination.destinationCurrency, {
    normalize: toUpper,
    isDecisive: true,
  }),
]

// The content by the names of the flags.
function describeContent(content: PaymentContent): Record<string, string> {
  const {customerId, source, destination, developerFee, receive} = content
  const unknownFields = Object.entries(listUnknownFields(content))
  const currency = destination.destinationCurrency.toUpperCase()
  return {
    customer: customerId.toLowerCase(),
    amount:
      source.sourceAmount === ''
        ? 'not known yet'
        : `${normalizeAmount(source.sourceAmount)} ${source.sourceCurrency.toUpperCase()}`,
    ...(receive !== undefined && {receive: `${normalizeAmount(receive)} ${currency}`}),
    from: source.sourcePaymentAccountId,
    'from-method': source.sourcePaymentMethod,
    to: destination.destinationPaymentAccountId,
    'to-method': destination.destinationPaymentMethod,
    'to-currency': currency,
    'developer-fee': developerFee
      ? `${normalizeAmount(developerFee.developerFeeAmount)} ${developerFee.developerFeeType}`
      : 'none',
    ...Object.fromEntries(unknownFields.map(([path, value]) => [path, toComparableText(value)])),
  }
}

interface ContentChange {
  // The name of the flag.
  name: string
  from: string
  to: string
}

export function compareContent(before: PaymentContent, after: PaymentContent): ContentChange[] {
  const [fieldsBefore, fieldsAfter] = [describeContent(before), describeContent(after)]
  return [...new Set([...Object.keys(fieldsBefore), ...Object.keys(fieldsAfter)])]
    .filter((name) => fieldsAfter[name] !== fieldsBefore[name])
    .map((name) => ({name, from: fieldsBefore[name] ?? 'none', to: fieldsAfter[name] ?? 'none'}))
}

// Lists what differs, by the name of the flag: "amount 10 USDC → 12 USDC".
export const listContentChanges = (before: PaymentContent, after: PaymentContent): string[] =>
  compareContent(before, after).map(({name, from, to}) => `${name} ${from} → ${to}`)

export const withCurrency = (amount: string, currency: string) => [amount, currency].filter(Boolean).join(' ')

// Compares decimals. A value that either side leaves out is no difference.
export const isDifferent = (actual: string, meant: string) =>
  actual !== meant && actual !== '' && meant !== '' && normalizeAmount(actual) !== normalizeAmount(meant)

// Why the rate and the amount received of an estimate may change: docs/assumptions.md, P17.
const estimateSlackPercent = '1'

export function isBelowEstimate(actual: string, quoted: string): boolean {
  const [made, estimate] = [parsePositiveDecimal(actual), parsePositiveDecimal(quoted)]
  // Text that is no number cannot be an estimate that moved.
  if (!made || !estimate) return isDifferent(actual, quoted)
  return made.lt(estimate.times(new Big('100').minus(estimateSlackPercent)).div('100'))
}

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
    ({isDecisive, read, normalize}) =>
      isDecisive && read(made) !== '' && normalize(read(made)) !== normalize(read(content)),
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

// One line for each field of the transaction that is another one. What either side leaves out is no difference.
export function compareMade(content: PaymentContent, made: PaymentContent): string[] {
  const fields = contentFields.flatMap(({label, read, normalize}) => {
    const [actual, meant] = [read(made), read(content)]
    if (actual === '' || meant === '' || normalize(actual) === normalize(meant)) return []
    return [`the service has the ${label} ${actual}, the payment asked for ${meant}`]
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
