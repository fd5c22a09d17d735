// The figures of a payment that was completed: what left, what arrived, the fees and the rate, as
// exact decimals of the service.
import {Big} from 'big.js'
import type {Parties} from '../accounts/parties.ts'
import type {LooseTransaction} from '../contract/loose.ts'
import {type Payment, readContent, readTransactionPrice} from '../payments/protocol/payment.ts'
import {findCurrencyDecimals} from '../values/currencies.ts'
import {parsePositiveDecimal} from '../values/money.ts'
import {readText} from '../values/records.ts'

// An end of a payment. The amount is decimal text.
interface Leg {
  accountId: string
  currency: string
  method: string
  amount: string
  // The name of the transfer at the bank or in the network, if the service says it.
  referenceId?: string | undefined
  // Whether payments of the journal were made from this account. Absent for a source.
  isOwn?: boolean
}

// Ids and amounts alone. Names are read when the books are written, for those who read them.
export interface CompletedPayment {
  key: string
  // The remark of the person who paid.
  note?: string | undefined
  transactionId: string
  quoteId: string
  customerId: string
  completedAt: string
  source: Leg
  destination: Leg
  svcFee: string
  developerFee: string
  // The factor from the source to the destination currency.
  rate: string
}

// Describes a payee, such as Zoë Ångström, Example Bank ****6789. Empty if it is not known.
export const describePayee = ({customerId, destination}: CompletedPayment, parties: Parties | undefined): string =>
  parties?.describeAccount(customerId, destination.accountId) ?? ''

const toLabel = (text: string) => text.trim().toUpperCase()

// `completedAt` is ISO text. Returns the reason if a figure is missing or is no decimal.
export function readFigures(
  {key, note}: Payment,
  transaction: LooseTransaction,
  completedAt: string,
): CompletedPayment | {problem: string} {
  const {customerId, source, destination} = readContent(transaction)
  const {received, rate, svcFee, developerFee, feeCurrency} = readTransactionPrice(transaction)

  const figures: CompletedPayment = {
    key,
    ...(note !== undefined && {note}),
    transactionId: readText(transaction.transactionId),
    quoteId: readText(transaction.quoteId),
    customerId,
    completedAt,
    source: {
      accountId: source.sourcePaymentAccountId,
      currency: toLabel(source.sourceCurrency),
      method: source.sourcePaymentMethod,
      amount: source.sourceAmount,
      referenceId: readText(transaction.source?.sourceReferenceId) || undefined,
    },
    destination: {
      accountId: destination.destinationPaymentAccountId,
      currency: toLabel(destination.destinationCurrency),
      method: destination.destinationPaymentMethod,
      amount: received,
      referenceId: readText(transaction.destination?.destinationReferenceId) || undefined,
    },
    svcFee,
    // The service may leave out a developer fee that nobody asked for.
    developerFee: developerFee || '0',
    rate,
  }

  const problem = findProblem(figures, toLabel(feeCurrency) || figures.source.currency)
  return problem === undefined ? figures : {problem}
}

function findProblem(figures: CompletedPayment, feeCurrency: string): string | undefined {
  const {source, destination, svcFee, developerFee, rate} = figures
  const decimals = {
    sourceAmount: source.amount,
    destinationAmount: destination.amount,
    svcFee,
    developerFee,
    exchangeRate: rate,
  }
  const wrong = Object.entries(decimals).find(([, text]) => !parsePositiveDecimal(text))
  if (wrong) return `${wrong[0]} is ${wrong[1] === '' ? 'missing' : 'not a decimal'}`

  const nameless = Object.entries({
    sourceCurrency: source.currency,
    destinationCurrency: destination.currency,
    sourcePaymentAccountId: source.accountId,
    destinationPaymentAccountId: destination.accountId,
  }).find(([, text]) => text === '')
  if (nameless) return `${nameless[0]} is missing`

  const fees = new Big(svcFee).plus(developerFee)
  if (fees.gt('0') && feeCurrency !== source.currency)
    return `the fees are in ${feeCurrency}, not in ${source.currency}`
  return fees.gt(source.amount) ? 'the fees are more than the amount' : undefined
}

// Writes figures as the books have them: with all decimals of the currency, and never fewer than
// the figure has.
const decimalsUnknown = 2

export const getBookDecimals = (currency: string): number => findCurrencyDecimals(currency) ?? decimalsUnknown

export function formatFigure(amount: Big, currency: string): string {
  const exact = amount.toFixed()
  const decimals = (exact.split('.')[1] ?? '').length
  return amount.toFixed(Math.max(decimals, getBookDecimals(currency)))
}

const toPercent = (character: string) =>
  [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')

// Text for a place in which some characters are not allowed. They are written as in an address, so
// that the text can be read back.
export const encodeText = (text: string, notAllowed: RegExp): string =>
  text.toWellFormed().replace(notAllowed, toPercent)

const dayLength = 'YYYY-MM-DD'.length

// The day in UTC.
export const toDay = (iso: string) => iso.slice(0, dayLength)
