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
import {type AccountRow, type AccountType, findAccountRow} from './accounts.ts'
import {
  type PaymentMethod,
  isFiat,
  listCurrencies,
  listRails,
  toCurrencyObject,
  toDecimalText,
  toMinorUnits,
} from './currencies.ts'
import {
  type Fee,
  checkBuilderFee,
  computeDeveloperFee,
  computeRate,
  computeServiceFee,
  convertByRate,
} from './prices.ts'
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

// Uses the stored spelling of the account id, because ids are compared without regard to case.
const withAccount = <T extends object>(end: T, {accountId, paymentAccountType}: AccountRow) => ({
  ...end,
  accountId,
  accountType: paymentAccountType,
})

function checkRoute({database}: RequestContext, {customerId, ...request}: QuoteRequest) {
  const from = {
    accountId: request.source.sourcePaymentAccountId,
    method: request.source.sourcePaymentMethod,
    currency: request.source.sourceCurrency,
  }
  const to = {
    accountId: request.destination.destinationPaymentAccountId,
    method: request.destination.destinationPaymentMethod,
    currency: request.destination.destinationCurrency,
  }
  const source = getRouteAccount(database, 'source', from)
  const destination = getRouteAccount(database, 'destination', to)
  throwIfProblems([
    ...checkRouteEnd('source', from, source, customerId),
    ...checkRouteEnd('destination', to, destination, customerId),
    ...checkRouteBetween(from, to),
  ])
  return {from: withAccount(from, source), to: withAccount(to, destination)}
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
  const {from, to} = checkRoute(context, request)
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

// Checks that account, method and currency match at both ends of a route, and that the route is offered.
type Side = 'source' | 'destination'

interface RouteEnd {
  accountId: string
  method: string
  currency: string
}

const accountTypeNames: Readonly<Record<AccountType, string>> = {
  EXTERNAL_BANK_ACCOUNT: 'an external bank account',
  SVC_AUTO_FIAT_ACCOUNT: 'an automatic fiat account',
  EXTERNAL_CRYPTO_WALLET: 'an external wallet',
  SVC_CRYPTO_WALLET: 'a service-managed wallet',
}

// For example source.sourcePaymentMethod.
const getFieldPath = (side: Side, field: 'PaymentAccountId' | 'PaymentMethod' | 'Currency') => `${side}.${side}${field}`

// An automatic fiat account accepts every rail of its currency, any other account only its own rail or chain.
const listMethods = ({method, currency}: AccountRow): string[] =>
  method === null ? listRails(currency ?? '') : [method]

function listAccountCurrencies({currency}: AccountRow, method: string): string[] {
  return currency === null ? listCurrencies(method as PaymentMethod) : [currency]
}

const joinWithOr = (values: readonly string[]) => values.join(' or ')

function checkAccount(side: Side, account: AccountRow, customerId: string): string | undefined {
  if (account.customerId.toLowerCase() !== customerId.toLowerCase()) return 'belongs to another customer'
  if (account.paymentAccountStatus !== 'ACTIVE') return `is ${account.paymentAccountStatus}: it must be ACTIVE`
  if (side === 'destination' && account.paymentAccountType === 'SVC_AUTO_FIAT_ACCOUNT') {
    return 'is an automatic fiat account, which can only be a source'
  }
  return undefined
}

// Throws NOT_FOUND if the account does not exist.
function getRouteAccount(database: Database, side: Side, {accountId}: RouteEnd): AccountRow {
  const account = findAccountRow(database, accountId)
  if (account) return account
  const path = getFieldPath(side, 'PaymentAccountId')
  throw new ServiceError('NOT_FOUND', `${path}: there is no payment account ${accountId}`)
}

// Lists the problems of one end of a route.
function checkRouteEnd(side: Side, end: RouteEnd, account: AccountRow, customerId: string): Problem[] {
  const path = getFieldPath(side, 'PaymentAccountId')
  const message = checkAccount(side, account, customerId)
  if (message) return [{path, message}]
  const methods = listMethods(account)
  const problems: Problem[] = []
  if (!methods.includes(end.method)) {
    const what = accountTypeNames[account.paymentAccountType]
    problems.push({
      path: getFieldPath(side, 'PaymentMethod'),
      message: `must be ${joinWithOr(methods)}: the account is ${what}`,
    })
  }
  const currencies = listAccountCurrencies(account, methods[0] ?? '')
  if (!currencies.includes(end.currency)) {
    problems.push({path: getFieldPath(side, 'Currency'), message: `must be ${joinWithOr(currencies)} for this account`})
  }
  return problems
}

// Routes go from fiat to crypto, from crypto to fiat, or from crypto to crypto, and never from an account to itself.
function checkRouteBetween(source: RouteEnd, destination: RouteEnd): Problem[] {
  if (source.accountId.toLowerCase() === destination.accountId.toLowerCase()) {
    return [{path: getFieldPath('destination', 'PaymentAccountId'), message: 'must not be the source account'}]
  }
  if (isFiat(source.method) && isFiat(destination.method)) {
    return [
      {
        path: getFieldPath('destination', 'PaymentMethod'),
        message: 'must be a crypto network: a route from fiat to fiat is not offered',
      },
    ]
  }
  return []
}
