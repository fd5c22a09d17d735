// The figures of a payment that was completed: what left, what arrived, the fees and the rate, as exact decimals. The service's
// own come first. What it leaves out is taken from the quote in the journal, and said.
import {Big} from 'big.js'
import type {PartyNames} from '../accounts/account-names.ts'
import type {LooseTransaction} from '../contract/loose.ts'
import {type Payment, getLastAttempt, readContent} from '../payments/protocol/payment.ts'
import {readTransactionPrice} from '../payments/protocol/quote.ts'
import {findCurrencyDecimals} from '../values/currencies.ts'
import {parsePositiveDecimal} from '../values/money.ts'
import {readText} from '../values/records.ts'

// One end of a payment. The amount is decimal text.
interface Leg {
  accountId: string
  currency: string
  method: string
  amount: string
  // What the bank or the network calls the transfer, if the service says it.
  referenceId?: string | undefined
  // Of a destination: whether payments of the journal were made from this account.
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
  // The factor from the source to the destination currency. Absent if neither the service nor the quote says it.
  rate?: string | undefined
  // The figures that the service left out and the quote gave.
  fromQuote: string[]
}

// Such as: Zoë Ångström, Example Bank ****6789. Empty if it is not known.
export const describePayee = ({customerId, destination}: CompletedPayment, parties: PartyNames | undefined): string =>
  parties?.describeAccount(customerId, destination.accountId) ?? ''

interface Unreadable {
  problem: string
}

// The attempt whose quote was executed, as far as it can be told.
function findQuote(payment: Payment, quoteId: string) {
  return payment.attempts.findLast((attempt) => attempt.quoteId === quoteId) ?? getLastAttempt(payment)
}

const toLabel = (text: string) => text.trim().toUpperCase()

// `completedAt` is ISO text. Returns the reason if a figure is missing or is no decimal.
export function readFigures(
  payment: Payment,
  transaction: LooseTransaction,
  completedAt: string,
): CompletedPayment | Unreadable {
  const made = readContent(transaction)
  const meant = payment.content
  const actual = readTransactionPrice(transaction)
  const quoteId = readText(transaction.quoteId)
  const quotePrice = findQuote(payment, quoteId)?.price
  const fromQuote: string[] = []
  const pick = (name: string, own: string, other: string | undefined) => {
    if (own !== '' || other === undefined || other === '') return own
    fromQuote.push(name)
    return other
  }
  const source = {
    accountId: made.source.sourcePaymentAccountId || meant.source.sourcePaymentAccountId,
    currency: toLabel(made.source.sourceCurrency || meant.source.sourceCurrency),
    method: made.source.sourcePaymentMethod || meant.source.sourcePaymentMethod,
    amount: pick('sourceAmount', made.source.sourceAmount, meant.source.sourceAmount),
    referenceId: readText(transaction.source?.sourceReferenceId) || undefined,
  }
  const destination = {
    accountId: made.destination.destinationPaymentAccountId || meant.destination.destinationPaymentAccountId,
    currency: toLabel(made.destination.destinationCurrency || meant.destination.destinationCurrency),
    method: made.destination.destinationPaymentMethod || meant.destination.destinationPaymentMethod,
    amount: pick('destinationAmount', actual.received, quotePrice?.received),
    referenceId: readText(transaction.destination?.destinationReferenceId) || undefined,
  }
  const figures: CompletedPayment = {
    key: payment.key,
    ...(payment.note !== undefined && {note: payment.note}),
    transactionId: readText(transaction.transactionId),
    quoteId,
    customerId: made.customerId || meant.customerId,
    completedAt,
    source,
    destination,
    svcFee: pick('svcFee', actual.svcFee, quotePrice?.svcFee) || '0',
    developerFee: pick('developerFee', actual.developerFee, quotePrice?.developerFee) || '0',
    rate: pick('exchangeRate', actual.rate, quotePrice?.rate) || undefined,
    fromQuote,
  }
  const feeCurrency = toLabel(actual.feeCurrency || quotePrice?.feeCurrency || source.currency)
  const problem = findProblem(figures, feeCurrency)
  return problem === undefined ? figures : {problem}
}

function findProblem(figures: CompletedPayment, feeCurrency: string): string | undefined {
  const {source, destination, svcFee, developerFee, rate} = figures
  const decimals = {
    sourceAmount: source.amount,
    destinationAmount: destination.amount,
    svcFee,
    developerFee,
    exchangeRate: rate ?? '1',
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

// Writes figures as the books have them: with all decimals of the currency, and never fewer than the figure has.
const decimalsUnknown = 2

export const getBookDecimals = (currency: string): number => findCurrencyDecimals(currency) ?? decimalsUnknown

export function formatFigure(amount: Big, currency: string): string {
  const exact = amount.toFixed()
  const decimals = (exact.split('.')[1] ?? '').length
  return amount.toFixed(Math.max(decimals, getBookDecimals(currency)))
}

const toPercent = (character: string) =>
  [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')

// Text for a place in which some characters are not allowed. These are written as in an address, so that the text can be read
// back.
export const encodeText = (text: string, notAllowed: RegExp): string =>
  text.toWellFormed().replace(notAllowed, toPercent)

const dayLength = 'YYYY-MM-DD'.length

// The day in UTC.
export const toDay = (iso: string) => iso.slice(0, dayLength)
