// Quotes: a route is checked and priced, and the price is valid for five minutes.
import {secondMs} from '../../../values/time.ts'
import type {z} from 'zod'
import {limits} from '../../../contract/vocabulary.ts'
import type {Problem} from '../../../contract/problems.ts'
import type {quoteCreate} from '../../../contract/quotes.ts'
import type {EndpointHandler} from '../../http/endpoint-handler.ts'
import {ServiceError, badRequest, throwIfProblems} from '../../http/service-error.ts'
import type {Database} from '../../store/database.ts'
import {createOpaqueId} from '../../store/ids.ts'
import {toTimestamp} from '../../time/clock.ts'
import {getCustomerRow} from '../customers/customer-store.ts'
import type {RequestContext} from '../request-context.ts'
import {toCurrencyObject, toDecimalText, toMinorUnits} from './currencies.ts'
import {
  type Fee,
  checkBuilderFee,
  computeDeveloperFee,
  computeRate,
  computeServiceFee,
  convertByRate,
} from './prices.ts'
import {checkRoute} from './route.ts'
import {type QuoteRow, type Terms, type TermsFee, addQuoteRow} from './quote-store.ts'

export type QuoteRequest = z.infer<typeof quoteCreate>

const quoteLifetimeMs = limits.quoteLifetimeSeconds * secondMs

// The sandbox rejects larger amounts as typing errors.
const amountMax = 1_000_000_000
const amountMaxText = '1,000,000,000'

const amountPath = 'source.sourceAmount'

function checkAmount(minor: bigint | null, currency: string): Problem | undefined {
  if (minor === null) return {path: amountPath, message: `has more decimals than ${currency} has`}
  if (minor === 0n) return {path: amountPath, message: 'must be more than zero'}
  if (minor > (toMinorUnits(String(amountMax), currency) ?? 0n)) {
    return {path: amountPath, message: `must be at most ${amountMaxText}`}
  }
  return undefined
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

const toTermsFee = ({minor, usd}: Fee): TermsFee => ({minor: String(minor), usd})

function getActiveCustomer(database: Database, customerId: string) {
  const customer = getCustomerRow(database, customerId)
  if (customer.customerStatus === 'ACTIVE') return customer
  throw badRequest({
    path: 'customerId',
    message: `names a customer who is ${customer.customerStatus}: the customer must be ACTIVE`,
  })
}

function readAmounts({source, developerFee}: QuoteRequest, currency: string, now: number) {
  const amount = toMinorUnits(source.sourceAmount, currency)
  const amountProblem = checkAmount(amount, currency)
  const developer = computeDeveloperFee(developerFee, currency, now)
  throwIfProblems([...(amountProblem ? [amountProblem] : []), ...('problem' in developer ? [developer.problem] : [])])
  return {amount: amount as bigint, developerFee: (developer as {fee: Fee}).fee}
}

// Validates and prices a request at this instant. Writes nothing.
export function priceQuote(context: RequestContext, request: QuoteRequest): Terms {
  const {database, now} = context
  const {customerId, organizationId} = getActiveCustomer(database, request.customerId)
  const {source: from, destination: to} = findRoute(context, request)
  const {amount, developerFee} = readAmounts(request, from.currency, now)
  const svcFee = computeServiceFee(
    {sourceMethod: from.method, destinationMethod: to.method, currency: from.currency, minor: amount},
    now,
  )
  if (context.behaviours.tier === 'builder') {
    const problem = checkBuilderFee(request.developerFee, developerFee, svcFee, from.currency)
    if (problem) throw badRequest(problem)
  }
  const fees = svcFee.minor + developerFee.minor
  const rate = computeRate(from.currency, to.currency, now)
  const received = fees < amount ? convertByRate(amount - fees, from.currency, rate, to.currency) : 0n
  if (received === 0n) {
    const sum = `${toDecimalText(fees, from.currency)} ${from.currency}`
    throw badRequest({path: amountPath, message: `must be more than the fees, ${sum}`})
  }
  return {
    customerId,
    organizationId,
    source: {...from, minor: String(amount)},
    destination: {...to, minor: String(received)},
    rate,
    svcFee: toTermsFee(svcFee),
    developerFee: toTermsFee(developerFee),
    guaranteed: request.guaranteeQuote ?? false,
  }
}

export function toFees({source: {currency, method}, svcFee, developerFee}: Terms) {
  const toFeeReply = ({minor, usd}: TermsFee) => ({
    feeAmount: toDecimalText(BigInt(minor), currency),
    feeUSDAmount: usd,
  })
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
  return addQuoteRow(database, {quoteId, createdAt: now, expiresAt, transactionId: null}, terms)
}

export const createQuote: EndpointHandler<'quotes.create'> = (context, {body}) => {
  const terms = priceQuote(context, body)
  const {quoteId, expiresAt} = insertQuote(context, terms)
  return {
    quoteId,
    expiresAt: toTimestamp(expiresAt),
    estimatedExchangeRate: terms.rate,
    destinationAmount: toDecimalText(BigInt(terms.destination.minor), terms.destination.currency),
    fees: toFees(terms),
  }
}
