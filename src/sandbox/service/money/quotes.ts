// Quotes: a route is checked and priced, and the price is valid for five minutes.
import {secondMs} from '../../../values/time.ts'
import type {Big} from 'big.js'
import type {z} from 'zod'
import {quoteLifetimeMs} from '../../../contract/vocabulary.ts'
import type {Problem} from '../../../contract/problems.ts'
import type {quoteCreate} from '../../../contract/quotes.ts'
import type {EndpointHandler} from '../../http/endpoint-handler.ts'
import {ServiceError, badRequest, throwIfProblems} from '../../http/service-error.ts'
import type {Database} from '../../store/database.ts'
import {createOpaqueId} from '../../store/ids.ts'
import {toTimestamp} from '../../time/clock.ts'
import {getCustomerRow} from '../customers/customer-store.ts'
import type {RequestContext} from '../request-context.ts'
import {Decimal, isTooFine, toCurrencyObject, writeAmount} from './currencies.ts'
import {
  type Fee,
  type PricedCurrency,
  checkBuilderFee,
  computeDeveloperFee,
  computeRate,
  computeServiceFee,
  convertByRate,
  getUsdPrice,
} from './prices.ts'
import {checkRoute} from './route.ts'
import {type QuoteRow, type Terms, type TermsFee} from './quote-store.ts'

export type QuoteRequest = z.infer<typeof quoteCreate>

// The sandbox rejects larger amounts as typing errors.
const amountMax = '1000000000'

const amountPath = 'source.sourceAmount'

function checkAmount(amount: Big, currency: string): Problem[] {
  const message = isTooFine(amount, currency)
    ? `has more decimals than ${currency} has`
    : amount.eq('0')
      ? 'must be more than zero'
      : amount.gt(amountMax) && `must be at most ${Number(amountMax).toLocaleString('en')}`
  return message ? [{path: amountPath, message}] : []
}

function findRoute({database}: RequestContext, {customerId, source, destination}: QuoteRequest) {
  const route = checkRoute(
    database,
    customerId,
    {source, destination},
    {
      describeMissing: (path, accountId) => {
        throw new ServiceError('NOT_FOUND', `${path}: there is no payment account ${accountId}`)
      },
    },
  )
  if ('problems' in route) {
    throwIfProblems(route.problems)
    throw new Error('A route has neither ends nor problems')
  }
  return route
}

const toTermsFee = ({amount, usd}: Fee, label: string): TermsFee => ({amount: writeAmount(amount, label), usd})

function getActiveCustomer(database: Database, customerId: string) {
  const customer = getCustomerRow(database, customerId)
  if (customer.customerStatus === 'ACTIVE') return customer
  throw badRequest({
    path: 'customerId',
    message: `names a customer who is ${customer.customerStatus}: the customer must be ACTIVE`,
  })
}

function readAmounts({source, developerFee}: QuoteRequest, currency: PricedCurrency) {
  const amount = new Decimal(source.sourceAmount)
  const developer = computeDeveloperFee(developerFee, currency)
  throwIfProblems([...checkAmount(amount, currency.label), ...('problem' in developer ? [developer.problem] : [])])
  return {amount, developerFee: (developer as {fee: Fee}).fee}
}

// Validates and prices a request at this instant. Writes nothing.
export function priceQuote(context: RequestContext, request: QuoteRequest): Terms {
  const {database, now} = context
  const {customerId, seq: customerSeq, organizationId} = getActiveCustomer(database, request.customerId)
  const {source: from, destination: to} = findRoute(context, request)
  const label = from.currency
  const currency = {label, price: getUsdPrice(label, now)}
  const {amount, developerFee} = readAmounts(request, currency)
  const svcFee = computeServiceFee(amount, currency, from.method, to.method)
  if (context.behaviours.tier === 'builder') {
    const problem = checkBuilderFee(request.developerFee, developerFee, svcFee, label)
    if (problem) throw badRequest(problem)
  }
  const fees = svcFee.amount.plus(developerFee.amount)
  const rate = computeRate(currency.price, getUsdPrice(to.currency, now))
  const received = convertByRate(amount.minus(fees), rate, to.currency)
  if (received.lte('0')) {
    throw badRequest({path: amountPath, message: `must be more than the fees, ${writeAmount(fees, label)} ${label}`})
  }
  return {
    customerId,
    customerSeq,
    organizationId,
    source: {...from, amount: writeAmount(amount, label)},
    destination: {...to, amount: writeAmount(received, to.currency)},
    rate,
    svcFee: toTermsFee(svcFee, label),
    developerFee: toTermsFee(developerFee, label),
    guaranteed: request.guaranteeQuote ?? false,
  }
}

export function toFees({source: {currency, method}, svcFee, developerFee}: Terms) {
  const toFeeReply = ({amount, usd}: TermsFee) => ({feeAmount: amount, feeUSDAmount: usd})
  return {
    feeCurrency: toCurrencyObject(currency, method),
    svcFee: toFeeReply(svcFee),
    developerFee: toFeeReply(developerFee),
  }
}

export function insertQuote(
  {database, now}: RequestContext,
  terms: Terms,
  quoteId = createOpaqueId(database, 'quote'),
): QuoteRow {
  // Cut to the whole second that replies show, so that the quote is rejected from its published time on.
  const expiresAt = Math.floor((now + quoteLifetimeMs) / secondMs) * secondMs
  const row = {quoteId, createdAt: now, expiresAt, transactionId: null, terms: JSON.stringify(terms)}
  database.insertRow('quotes', row)
  return row
}

export const createQuote: EndpointHandler<'quotes.create'> = (context, {body}) => {
  const terms = priceQuote(context, body)
  const {quoteId, expiresAt} = insertQuote(context, terms)
  return {
    quoteId,
    expiresAt: toTimestamp(expiresAt),
    estimatedExchangeRate: terms.rate,
    destinationAmount: terms.destination.amount,
    fees: toFees(terms),
  }
}
