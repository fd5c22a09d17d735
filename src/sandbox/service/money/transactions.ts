// Creates transactions from quotes, once per idempotency key, and lists them.
import {secondMs, minuteMs} from '../../../values/time.ts'
import type {ServiceErrorCode} from '../../../contract/service-errors.ts'
import {isUuid} from '../../../contract/ids.ts'
import {queueCrossedThresholds} from '../rules/rule-store.ts'
import {getCustomerRow} from '../customers/customer-store.ts'
import type {EndpointHandler} from '../../http/endpoint-handler.ts'
import {StoredList} from '../../http/reply.ts'
import {ServiceError, badRequest} from '../../http/service-error.ts'
import {type CommittingError, parseStored} from '../../store/database.ts'
import {createUuid, deriveDigest} from '../../store/ids.ts'
import {toTimestamp} from '../../time/clock.ts'
import {enqueue} from '../../time/queue.ts'
import type {Behaviours} from '../faults/behaviour-table.ts'
import type {RequestContext} from '../request-context.ts'
import {createChainAddress} from './accounts.ts'
import {type FiatMethod, type PaymentMethod, isFiat, toCurrencyObject, writeAmount} from './currencies.ts'
import {holders, postEntries, readBalance} from './ledger.ts'
import {type MagicOutcome, type Transaction, findMagicOutcome} from './transitions.ts'
import {type QuoteRow, type Terms, findQuoteRow, parseTerms, useQuote} from './quote-store.ts'
import {toFees} from './quotes.ts'
import {beginsAfterMs, computeFundingMs, createHoldEntries, endTransaction, magicFundingMs} from './settlement.ts'
import {findTransaction, insertTransaction, readTransactionPage} from './transaction-store.ts'

const outcomesWithFunding: ReadonlySet<MagicOutcome | undefined> = new Set<MagicOutcome>([
  'fails',
  'is cancelled',
  'is funded',
  'lingers',
])

const isFromWallet = ({source}: Terms) => source.accountType === 'SVC_CRYPTO_WALLET'

// Throws if the source wallet holds too little. Writes nothing.
export function checkFunds({database}: RequestContext, terms: Terms) {
  if (!isFromWallet(terms)) return
  const {accountId, currency, amount} = terms.source
  const held = readBalance(database, holders.wallet(accountId), currency)
  if (held.gte(amount)) return
  throw new ServiceError(
    'INSUFFICIENT_BALANCE',
    `source.sourcePaymentAccountId holds ${writeAmount(held, currency)} ${currency}, and the transaction needs ${amount}`,
  )
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
  const sourceAmount = source.amount
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
    destinationAmount: destination.amount,
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
  insertTransaction(database, terms, now, reply)
  useQuote(database, quote.quoteId, transactionId)
  if (scheduled) scheduleNextStep(context, reply, expiresAt)
  const changes = awaits
    ? []
    : postEntries(context, `transaction ${transactionId} CREATED`, createHoldEntries(terms, 'out'))
  for (const change of changes) queueCrossedThresholds(context, change)
  return scheduled ? applyChosenOutcome(context, reply) : reply
}

const toStatus = <Outcome extends string>(outcome: Outcome) => outcome.toUpperCase() as Uppercase<Outcome>

// Ends the transaction as `svc sandbox faults set --transaction-outcome` chose, immediately or later.
function applyChosenOutcome(context: RequestContext, reply: Transaction): Transaction {
  const {transactionOutcome, outcomeAfterSeconds} = context.behaviours
  if (transactionOutcome === 'completed') return reply
  const end = {transactionId: reply.transactionId, as: toStatus(transactionOutcome)}
  if (outcomeAfterSeconds > 0) {
    enqueue(context, 'transaction.end', end, context.now + outcomeAfterSeconds * secondMs)
    return reply
  }
  endTransaction(context, end)
  return findTransaction(context.database, reply.transactionId) ?? reply
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

function checkQuoted(context: RequestContext, quoteId: string) {
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
    () => checkQuoted(context, body.quoteId),
    ({quote, terms}) => openTransaction(context, quote, terms, {correlationId: body.correlationId}),
  )

// The interface types this filter as a UUID, and account ids elsewhere as text. The client therefore sends any id
// (docs/assumptions.md, M19).
export const listTransactions: EndpointHandler<'transactions.list'> = (context, {query}) => {
  const {paymentAccountId} = query
  if (paymentAccountId !== undefined && !isUuid(paymentAccountId)) {
    throw badRequest({path: 'paymentAccountId', message: 'must be a UUID'})
  }
  const {rows, ...rest} = readTransactionPage(context, query)
  return {transactions: new StoredList(rows.map(({reply}) => reply)), ...rest}
}

// Idempotency keys: how a repeated request with the same key is answered, for every behaviour of `svc sandbox faults set`.
interface KeyRow {
  bodyDigest: string
  answeredAt: number
  answer: string
}

// The first answer for a key: a transaction or an error.
type StoredAnswer = {transaction: Transaction} | {error: ServiceErrorCode; message: string}

// An error that is stored for its key, so the database transaction is committed despite it.
class StoredError extends ServiceError implements CommittingError {
  readonly commitsTransaction = true
}

const forgetAfterPattern = /^forget-after-(\d+)m$/

// Keys are stored forever, except with forget-after-Nm.
function getLifetimeMs(idempotency: Behaviours['idempotency']): number {
  const minutes = forgetAfterPattern.exec(idempotency)?.[1]
  return minutes === undefined ? Number.POSITIVE_INFINITY : Number(minutes) * minuteMs
}

const digestBody = ({quoteId, correlationId}: {quoteId: string; correlationId?: string | undefined}) =>
  deriveDigest('body', JSON.stringify([quoteId, correlationId ?? null]))

const selectOfKey = 'select bodyDigest, answeredAt, answer from idempotencyKeys where idempotencyKey = ?'
const selectLatest = `${selectOfKey} order by seq desc limit 1`
const selectOfBody = `${selectOfKey} and bodyDigest = ?`

function findStoredAnswer(
  {database, now}: RequestContext,
  key: string,
  bodyDigest: string,
  idempotency: Behaviours['idempotency'],
) {
  const row =
    idempotency === 'per-body'
      ? database.one<KeyRow>(selectOfBody, key, bodyDigest)
      : database.one<KeyRow>(selectLatest, key)
  if (!row || now - row.answeredAt >= getLifetimeMs(idempotency)) return undefined
  const answer = parseStored<StoredAnswer>(row.answer)
  if (idempotency === 'replay-successes' && 'error' in answer) return undefined
  return {bodyDigest: row.bodyDigest, answer}
}

function storeAnswer({database, now}: RequestContext, key: string, bodyDigest: string, answer: StoredAnswer) {
  database.run(
    'insert or replace into idempotencyKeys (idempotencyKey, bodyDigest, answeredAt, answer) values (?, ?, ?, ?)',
    key,
    bodyDigest,
    now,
    JSON.stringify(answer),
  )
}

const createConflict = (sentence: string) => new ServiceError('CONFLICT', `x-idempotency-key ${sentence}`)

function replayAnswer(answer: StoredAnswer): Transaction {
  if ('transaction' in answer) return answer.transaction
  throw new ServiceError(answer.error, answer.message)
}

// Runs the check and then the work, unless the key was used before. Only the check can reject the request, and it writes
// nothing, so a rejection stores nothing but the key. The surrounding transaction serializes requests.
function runOncePerKey<Checked>(
  context: RequestContext,
  key: string,
  body: {quoteId: string; correlationId?: string | undefined},
  check: () => Checked,
  work: (checked: Checked) => Transaction,
): Transaction {
  const {idempotency} = context.behaviours
  if (idempotency === 'ignore') return work(check())
  const bodyDigest = digestBody(body)
  const before = findStoredAnswer(context, key, bodyDigest, idempotency)
  if (before && idempotency === 'refuse') throw createConflict('has already been used')
  if (before && before.bodyDigest === bodyDigest) return replayAnswer(before.answer)
  if (before && idempotency === 'replay-any-body') return replayAnswer(before.answer)
  if (before && idempotency === 'refuse-other-body') {
    throw new ServiceError('IDEMPOTENCY_KEY_REUSED', 'x-idempotency-key has been used with another body')
  }
  // A key that was only rejected has created nothing, so another body may still use it.
  if (before && 'transaction' in before.answer) throw createConflict('has been used with another body')
  const checked = storeIfRejected(check, ({error, message}) => storeAnswer(context, key, bodyDigest, {error, message}))
  const transaction = work(checked)
  storeAnswer(context, key, bodyDigest, {transaction})
  return transaction
}

function storeIfRejected<T>(check: () => T, store: (error: ServiceError) => void): T {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    store(error)
    throw new StoredError(error.error, error.message, error.headers)
  }
}

// Transfer instructions: where a customer sends money, by rail or network.
type Instructions = NonNullable<Transaction['transferInstructions']>

const beneficiary = 'Svc Sandbox Settlement'

// Invented banks. The numbers are from ranges that are not assigned.
const byRail: Readonly<Record<FiatMethod, Omit<Instructions, 'type'>>> = {
  ACH: {
    transferBankName: 'First Harbour Bank',
    transferRoutingNumber: '990000012',
  },
  WIRE: {
    transferBankName: 'First Harbour Bank',
    transferBankAddress: '1 Quay Street, Springfield, IL 62701, US',
    transferRoutingNumber: '990000012',
    transferBicSwift: 'FHRBUS00XXX',
  },
  SEPA: {
    transferBankName: 'Nordhafen Bank AG',
    transferBankAddress: 'Kaistrasse 1, 20000 Hamburg, DE',
    transferIban: 'DE75512108001245126199',
    transferBicSwift: 'NOHADE00XXX',
  },
  CA_INTERAC: {},
  IN_NEFT_RTGS_IMPS: {
    transferBankName: 'Sahyadri Co-operative Bank',
    transferIfscCode: 'SAHY0000001',
  },
}

// Rails on which each transaction has its own account number.
const accountDigits: Readonly<Partial<Record<FiatMethod, number>>> = {ACH: 10, WIRE: 10, IN_NEFT_RTGS_IMPS: 12}

const interacPage = 'https://interac.sandbox.invalid/deposits'

function createAccountNumber(digest: string, digits: number): string {
  return String(BigInt(`0x${digest}`)).slice(-digits)
}

function createFiatInstructions(method: FiatMethod, digest: string): Instructions {
  const digits = accountDigits[method]
  return {
    type: 'fiat',
    transferPaymentMethod: method,
    transferMessage: `SVC${digest.slice(0, 10).toUpperCase()}`,
    ...byRail[method],
    transferBankBeneficiaryName: beneficiary,
    ...(digits !== undefined && {transferBankAccountNumber: createAccountNumber(digest, digits)}),
    ...(method === 'CA_INTERAC' && {transferPaymentLink: `${interacPage}/${digest.slice(0, 24)}`}),
  }
}

// The interface does not show the fields of a crypto transfer. An address to send to is assumed.
function createTransferInstructions(method: PaymentMethod, transactionId: string, sum: string): Instructions {
  const digest = deriveDigest('instructions', transactionId)
  if (isFiat(method)) return createFiatInstructions(method, digest)
  return {
    type: 'crypto',
    transferPaymentMethod: method,
    transferMessage: `Send exactly ${sum} on ${method}`,
    transferAddress: createChainAddress(method, digest),
  }
}
