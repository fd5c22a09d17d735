// Creates transactions from quotes, once per idempotency key, and lists them.
import {isUuid} from '../../../contract/uuid.ts'
import {queueCrossedThresholds} from '../rules/thresholds.ts'
import {getCustomerRow} from '../customers/customer-store.ts'
import type {EndpointHandler} from '../../http/endpoint-handler.ts'
import {badRequest, ServiceError} from '../../http/service-error.ts'
import {JsonText, SerializedJson} from '../../http/serialized-json.ts'
import {createUuid} from '../../store/ids.ts'
import {enqueue} from '../../time/queue.ts'
import {toTimestamp} from '../../time/clock.ts'
import type {RequestContext} from '../request-context.ts'
import {toCurrencyObject, toDecimalText} from './currencies.ts'
import {runOncePerKey} from './idempotency.ts'
import {createTransferInstructions} from './transfer-instructions.ts'
import {readBalance, holders, postEntries} from './ledger.ts'
import {type MagicOutcome, findMagicOutcome} from './magic-amounts.ts'
import {findQuoteRow, parseTerms, type QuoteRow, useQuote} from './quote-store.ts'
import type {Terms} from './terms.ts'
import {toFees} from './quotes.ts'
import {createHoldEntries, endTransaction} from './settlement.ts'
import {beginsAfterMs, computeFundingMs, magicFundingMs} from './step-times.ts'
import {readTransactionsText, type TransactionsText} from './transaction-lists.ts'
import {findTransactionRow, insertTransaction} from './transaction-store.ts'
import type {Transaction} from './transitions.ts'
import {secondMs} from '../../../values/time.ts'

const outcomesWithFunding: ReadonlySet<MagicOutcome | undefined> = new Set<MagicOutcome>([
  'fails',
  'is cancelled',
  'is funded',
  'lingers',
])

function checkBalance({database}: RequestContext, {source}: Terms) {
  const held = readBalance(database, holders.wallet(source.accountId), source.currency)
  if (held >= BigInt(source.minor)) return
  const [has, needs] = [held, BigInt(source.minor)].map((minor) => toDecimalText(minor, source.currency))
  throw new ServiceError(
    'INSUFFICIENT_BALANCE',
    `source.sourcePaymentAccountId holds ${has} ${source.currency}, and the transaction needs ${needs}`,
  )
}

const isFromWallet = ({source}: Terms) => source.accountType === 'SVC_CRYPTO_WALLET'

// Throws if the source wallet holds too little. Writes nothing.
export function checkFunds(context: RequestContext, terms: Terms) {
  if (isFromWallet(terms)) checkBalance(context, terms)
}

interface OpeningOptions {
  correlationId?: string | undefined
  transactionId?: string | undefined
  // Whether the next steps are queued. False for demo data, which is created in its final status.
  scheduled?: boolean
}

function buildReply(
  now: number,
  quoteId: string,
  terms: Terms,
  {correlationId}: OpeningOptions,
  transactionId: string,
) {
  const {source, destination} = terms
  const sourceAmount = toDecimalText(BigInt(source.minor), source.currency)
  const awaits = !isFromWallet(terms)
  const expiresAt = awaits ? now + computeFundingMs(source.method, sourceAmount) : now
  const {customerId} = terms
  const createdAt = toTimestamp(now)
  // Fields that may be absent are set by name: a spread of them takes longer than everything else here.
  const reply = {
    transactionId,
    customerId,
    quoteId,
    transactionStatus: awaits ? 'AWAITING_TRANSFER' : 'CREATED',
  } as Transaction
  if (correlationId !== undefined) reply.correlationId = correlationId
  reply.source = {
    sourcePaymentAccountId: source.accountId,
    sourceCurrency: toCurrencyObject(source.currency, source.method),
    sourcePaymentMethod: source.method,
    sourceAmount,
  }
  reply.destination = {
    destinationPaymentAccountId: destination.accountId,
    destinationPaymentMethod: destination.method,
    destinationCurrency: toCurrencyObject(destination.currency, destination.method),
    exchangeRate: terms.rate,
    destinationAmount: toDecimalText(BigInt(destination.minor), destination.currency),
  }
  reply.fees = toFees(terms)
  if (awaits) {
    const amountText = `${sourceAmount} ${source.currency}`
    reply.transferInstructions = createTransferInstructions(source.method, transactionId, amountText)
  }
  reply.createdAt = createdAt
  reply.updatedAt = createdAt
  if (awaits) reply.expiresAt = toTimestamp(expiresAt)
  return {reply, expiresAt, awaits}
}

// Creates the transaction. Money in a wallet is held immediately; an external transfer is awaited.
export function openTransaction(
  context: RequestContext,
  quote: QuoteRow,
  terms: Terms,
  opening: OpeningOptions = {},
): Transaction {
  const {database, now} = context
  const {transactionId = createUuid(database, 'transaction'), scheduled = true} = opening
  const {reply, expiresAt, awaits} = buildReply(now, quote.quoteId, terms, opening, transactionId)
  insertTransaction(database, {organizationId: terms.organizationId, createdAt: now, reply})
  useQuote(database, quote.quoteId, transactionId)
  if (scheduled) scheduleNextStep(context, reply, expiresAt)
  const changes = awaits
    ? []
    : postEntries(context, `transaction ${transactionId} CREATED`, createHoldEntries(terms, 'out'))
  for (const change of changes) queueCrossedThresholds(context, change)
  return scheduled ? applyChosenOutcome(context, reply) : reply
}

const statusByOutcome = {failed: 'FAILED', cancelled: 'CANCELLED', expired: 'EXPIRED'} as const

// Ends the transaction as `svc sandbox faults set --transaction-outcome` chose, immediately or later.
function applyChosenOutcome(context: RequestContext, reply: Transaction): Transaction {
  const {transactionOutcome, outcomeAfterSeconds} = context.behaviours
  if (transactionOutcome === 'completed') return reply
  const end = {transactionId: reply.transactionId, as: statusByOutcome[transactionOutcome]}
  if (outcomeAfterSeconds > 0) {
    enqueue(context, 'transaction.end', end, context.now + outcomeAfterSeconds * secondMs)
    return reply
  }
  endTransaction(context, end)
  return JSON.parse(findTransactionRow(context.database, reply.transactionId)?.reply ?? '{}') as Transaction
}

function scheduleNextStep(
  context: RequestContext,
  {transactionId, transactionStatus, source}: Transaction,
  expiresAt: number,
) {
  if (transactionStatus === 'CREATED') {
    enqueue(context, 'transaction.process', {transactionId}, context.now + beginsAfterMs)
    return
  }
  if (outcomesWithFunding.has(findMagicOutcome(source.sourceAmount))) {
    enqueue(context, 'transaction.fund', {transactionId}, context.now + magicFundingMs)
  }
  enqueue(context, 'transaction.expire', {transactionId}, expiresAt)
}

function getUsableQuote(context: RequestContext, quoteId: string): QuoteRow {
  const {database, now, behaviours} = context
  const {quoteUse, expiredQuotes} = behaviours
  const quote = findQuoteRow(database, quoteId)
  if (!quote) throw new ServiceError('NOT_FOUND', `quoteId: there is no quote ${quoteId}`)
  if (quote.transactionId !== null && quoteUse === 'single') {
    throw new ServiceError('CONFLICT', `quoteId has already been used: it created transaction ${quote.transactionId}`)
  }
  if (now >= quote.expiresAt && expiredQuotes === 'refused') {
    throw badRequest({path: 'quoteId', message: `expired at ${toTimestamp(quote.expiresAt)}: request a new quote`})
  }
  return quote
}

function checkOrder(context: RequestContext, quoteId: string) {
  const quote = getUsableQuote(context, quoteId)
  const terms = parseTerms(quote)
  const {customerStatus} = getCustomerRow(context.database, terms.customerId)
  if (customerStatus !== 'ACTIVE') {
    throw badRequest({
      path: 'quoteId',
      message: `belongs to a customer who is ${customerStatus}: the customer must be ACTIVE`,
    })
  }
  checkFunds(context, terms)
  return {quote, terms}
}

export const createTransaction: EndpointHandler<'transactions.create'> = (context, {headers, body}) =>
  runOncePerKey(
    context,
    headers['x-idempotency-key'],
    body,
    () => checkOrder(context, body.quoteId),
    ({quote, terms}) => openTransaction(context, quote, terms, {correlationId: body.correlationId}),
  )

// The request log shows the first item of a list in full.
function toListReply({count, text, first, ...rest}: TransactionsText): SerializedJson {
  const transactions = Array<unknown>(count).fill(null)
  if (first !== undefined) transactions[0] = new JsonText(first)
  return new SerializedJson(text, {transactions, ...rest})
}

// The interface types this filter as a UUID, and account ids elsewhere as text. The client therefore sends any id
// (docs/assumptions.md, M19).
export const listTransactions: EndpointHandler<'transactions.list'> = (context, {query}) => {
  const {paymentAccountId} = query
  if (paymentAccountId !== undefined && !isUuid(paymentAccountId)) {
    throw badRequest({path: 'paymentAccountId', message: 'must be a UUID'})
  }
  return toListReply(readTransactionsText(context, query))
}
