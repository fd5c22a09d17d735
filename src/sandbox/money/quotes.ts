// Quotes: a route is checked and priced, and the price is kept for five minutes.
import type {z} from 'zod'
import {limits} from '../../contract/limits.ts'
import type {Problem} from '../../contract/problems.ts'
import type {quoteCreate} from '../../contract/quotes.ts'
import {readBehaviours} from '../faults/behaviours.ts'
import {getCustomerRow} from '../customers/customer-store.ts'
import type {EndpointHandler} from '../http/endpoint-handler.ts'
import {badRequest} from '../http/refusal.ts'
import {nextOpaqueId} from '../store/ids.ts'
import type {Database} from '../store/database.ts'
import {toTimestamp} from '../time/clock.ts'
import type {RequestContext} from '../request-context.ts'
import {accountRow, type AccountRow, type AccountType} from './account-store.ts'
import {amountOf, currencyObject, decimalOf, minorOf, type PaymentMethod, roundedMinor} from './currencies.ts'
import {builderProblem, developerFeeOf, type Fee, svcFeeOf} from './fees.ts'
import {rateBetween, rateText} from './prices.ts'
import {endProblems, routeProblems} from './routes.ts'
import {Decimal} from './decimal.ts'

export type QuoteRequest = z.infer<typeof quoteCreate>

interface TermsEnd {
  accountId: string
  accountType: AccountType
  method: PaymentMethod
  currency: string
  // Whole minor units, as text.
  minor: string
}

interface TermsFee {
  minor: string
  usd: string
}

// Everything that was agreed: what a transaction needs to be carried out.
export interface Terms {
  customerId: string
  organizationId: string
  source: TermsEnd
  destination: TermsEnd
  rate: string
  svcFee: TermsFee
  developerFee: TermsFee
  guaranteed: boolean
}

export interface QuoteRow {
  quoteId: string
  createdAt: number
  expiresAt: number
  transactionId: string | null
  terms: string
}

const quoteLifetimeMs = limits.quoteLifetimeSeconds * 1_000

// Larger sums are a slip of the hand, and nobody has a price for them.
const amountMax = 1_000_000_000
const amountMaxText = '1,000,000,000'

const amountPath = 'source.sourceAmount'

// The amount in minor units, or what is wrong with it.
function amountProblem(minor: bigint | null, currency: string): Problem | undefined {
  if (minor === null) return {path: amountPath, message: `has more decimals than ${currency} has`}
  if (minor === 0n) return {path: amountPath, message: 'must be more than zero'}
  if (minor > (minorOf(String(amountMax), currency) ?? 0n)) {
    return {path: amountPath, message: `must be at most ${amountMaxText}`}
  }
  return undefined
}

const refuse = ([first, ...others]: readonly Problem[]) => {
  if (first) throw badRequest(first, ...others)
}

// What is left after the fees, converted; the customer receives whole units, rounded down.
export function received(netMinor: bigint, source: string, rate: string, destination: string): bigint {
  return roundedMinor(amountOf(netMinor, source).times(new Decimal(rate)), destination, 'down')
}

// The account by its own spelling, whatever the case of the id that was sent.
function atAccount<T extends {accountId: string}>(database: Database, end: T) {
  const {accountId, paymentAccountType} = accountRow(database, end.accountId) as AccountRow
  return {...end, accountId, accountType: paymentAccountType}
}

function checkedRoute({database}: RequestContext, {customerId, source, destination}: QuoteRequest) {
  const from = {
    accountId: source.sourcePaymentAccountId,
    method: source.sourcePaymentMethod,
    currency: source.sourceCurrency,
  }
  const to = {
    accountId: destination.destinationPaymentAccountId,
    method: destination.destinationPaymentMethod,
    currency: destination.destinationCurrency,
  }
  refuse([
    ...endProblems(database, 'source', from, customerId),
    ...endProblems(database, 'destination', to, customerId),
    ...routeProblems(from, to),
  ])
  return {from: atAccount(database, from), to: atAccount(database, to)}
}

const kept = ({minor, usd}: Fee): TermsFee => ({minor: String(minor), usd})

// Checks a request in every respect and prices it at this instant; writes nothing.
export function priced(turn: RequestContext, request: QuoteRequest): Terms {
  const {database, now} = turn
  const customer = getCustomerRow(database, request.customerId)
  if (customer.customerStatus !== 'ACTIVE') {
    refuse([{path: 'customerId', message: `names a customer who is ${customer.customerStatus}: it must be ACTIVE`}])
  }
  const {from, to} = checkedRoute(turn, request)
  const minor = minorOf(request.source.sourceAmount, from.currency)
  const wrong = amountProblem(minor, from.currency)
  const own = developerFeeOf(request.developerFee, from.currency, now)
  refuse([...(wrong ? [wrong] : []), ...('problem' in own ? [own.problem] : [])])
  const amount = minor as bigint
  const {fee} = own as {fee: Fee}
  const svcFee = svcFeeOf(
    {sourceMethod: from.method, destinationMethod: to.method, currency: from.currency, minor: amount},
    now,
  )
  const tier = readBehaviours(database).tier
  const tooLow = tier === 'builder' ? builderProblem(request.developerFee, fee, svcFee, from.currency) : undefined
  if (tooLow) refuse([tooLow])
  const fees = svcFee.minor + fee.minor
  const rate = rateText(rateBetween(from.currency, to.currency, now))
  const arrives = fees < amount ? received(amount - fees, from.currency, rate, to.currency) : 0n
  if (arrives === 0n) {
    const sum = `${decimalOf(fees, from.currency)} ${from.currency}`
    refuse([{path: amountPath, message: `must be more than the fees, ${sum}, so that something arrives`}])
  }
  return {
    customerId: customer.customerId,
    organizationId: customer.organizationId,
    source: {...from, minor: String(amount)},
    destination: {...to, minor: String(arrives)},
    rate,
    svcFee: kept(svcFee),
    developerFee: kept(fee),
    guaranteed: request.guaranteeQuote ?? false,
  }
}

export function feesOf({source: {currency, method}, svcFee, developerFee}: Terms) {
  const shown = ({minor, usd}: TermsFee) => ({feeAmount: decimalOf(BigInt(minor), currency), feeUSDAmount: usd})
  return {
    feeCurrency: currencyObject(currency, method),
    svcFee: shown(svcFee),
    developerFee: shown(developerFee),
  }
}

export function insertQuote(
  {database, now}: RequestContext,
  terms: Terms,
  quoteId = nextOpaqueId(database, 'quote'),
): QuoteRow {
  const row = {
    quoteId,
    createdAt: now,
    expiresAt: now + quoteLifetimeMs,
    transactionId: null,
    terms: JSON.stringify(terms),
  }
  database.run(
    'insert into quotes (quoteId, customerId, createdAt, expiresAt, terms) values (?, ?, ?, ?, ?)',
    quoteId,
    terms.customerId,
    row.createdAt,
    row.expiresAt,
    row.terms,
  )
  return row
}

export const quoteRow = (database: Database, quoteId: string): QuoteRow | undefined =>
  database.one<QuoteRow>(
    'select quoteId, createdAt, expiresAt, transactionId, terms from quotes where quoteId = ?',
    quoteId,
  )

export const createQuote: EndpointHandler<'quotes.create'> = (turn, {body}) => {
  const terms = priced(turn, body)
  const {quoteId, expiresAt} = insertQuote(turn, terms)
  return {
    quoteId,
    expiresAt: toTimestamp(expiresAt),
    estimatedExchangeRate: terms.rate,
    destinationAmount: decimalOf(BigInt(terms.destination.minor), terms.destination.currency),
    fees: feesOf(terms),
  }
}
