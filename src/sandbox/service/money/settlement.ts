// Moves transactions from status to status: what each transition posts to the ledger, changes in the reply, and schedules.
import type {Big} from 'big.js'
import {secondMs, minuteMs, hourMs, dayMs} from '../../../values/time.ts'
import {toTimestamp} from '../../time/clock.ts'
import {type Tasks, deleteSteps, enqueue} from '../../time/queue.ts'
import type {TransactionEnd} from '../../time/tasks.ts'
import type {RequestContext} from '../request-context.ts'
import {queueCrossedThresholds} from '../rules/rule-store.ts'
import {createTransferReference} from './accounts.ts'
import {Decimal, type PaymentMethod, methodFacts, writeAmount} from './currencies.ts'
import {type Entry, holders, postEntries} from './ledger.ts'
import {
  type MagicOutcome,
  type Transaction,
  type TransactionStatus,
  findMagicOutcome,
  transitions,
} from './transitions.ts'
import {computeRate, convertByRate, getUsdPrice} from './prices.ts'
import {type QuoteRow, type Terms, findQuoteRow, parseTerms} from './quote-store.ts'
import {type TransactionRow, findTransactionRow, parseReply, updateTransaction} from './transaction-store.ts'

// The money is held immediately; processing starts after this delay.
export const beginsAfterMs = 2 * secondMs

export const magicFundingMs = minuteMs
const magicDeadlineMs = minuteMs
const lingeringMs = 3 * dayMs

export const computeFundingMs = (method: PaymentMethod, sourceAmount: string): number =>
  findMagicOutcome(sourceAmount) === 'expires' ? magicDeadlineMs : methodFacts[method].fundingHours * hourMs

const computeSettlementMs = (method: PaymentMethod, sourceAmount: string): number =>
  findMagicOutcome(sourceAmount) === 'lingers' ? lingeringMs : methodFacts[method].settlementMinutes * minuteMs

const statusByMagicOutcome: Readonly<Partial<Record<MagicOutcome, TransactionStatus>>> = {
  fails: 'FAILED',
  'is cancelled': 'CANCELLED',
}

interface AgreedQuote {
  terms: Terms
  quote: QuoteRow
}

function readAgreedQuote({database}: RequestContext, quoteId: string): AgreedQuote {
  const quote = findQuoteRow(database, quoteId)
  if (!quote) throw new Error(`A transaction has no quote ${quoteId}`)
  return {quote, terms: parseTerms(quote)}
}

const getSourceHolder = ({source}: Terms) =>
  source.accountType === 'SVC_CRYPTO_WALLET' ? holders.wallet(source.accountId) : holders.outside(source.method)

const getDestinationHolder = ({destination}: Terms) =>
  destination.accountType === 'SVC_CRYPTO_WALLET'
    ? holders.wallet(destination.accountId)
    : holders.outside(destination.method)

// Moves the money from the source into transit, or back.
export function createHoldEntries(terms: Terms, direction: 'out' | 'back'): Entry[] {
  const {currency, method, amount: held} = terms.source
  const amount = new Decimal(held).times(direction === 'out' ? '1' : '-1')
  return [
    {holder: getSourceHolder(terms), currency, amount: amount.neg()},
    {holder: holders.transit(method), currency, amount},
  ]
}

const computeNet = ({source, svcFee, developerFee}: Terms) =>
  new Decimal(source.amount).minus(svcFee.amount).minus(developerFee.amount)

// Takes the fees, exchanges the rest in the pool, and pays the result to the destination.
function createSettlementEntries(terms: Terms, arrives: Big): Entry[] {
  const {source, destination, svcFee, developerFee} = terms
  const {currency} = source
  return [
    {holder: holders.transit(source.method), currency, amount: new Decimal(source.amount).neg()},
    {holder: holders.svcFees, currency, amount: new Decimal(svcFee.amount)},
    {holder: holders.developerFees, currency, amount: new Decimal(developerFee.amount)},
    {holder: holders.pool, currency, amount: computeNet(terms)},
    {holder: holders.pool, currency: destination.currency, amount: arrives.neg()},
    {holder: getDestinationHolder(terms), currency: destination.currency, amount: arrives},
  ]
}

// The quoted price applies while the quote is valid, and always if it is guaranteed. Otherwise the current price applies
// (docs/assumptions.md, M8).
function computeFinalPrice({terms, quote}: AgreedQuote, now: number): {rate: string; arrives: Big} {
  const {source, destination, guaranteed} = terms
  if (guaranteed || now < quote.expiresAt) return {rate: terms.rate, arrives: new Decimal(destination.amount)}
  const rate = computeRate(getUsdPrice(source.currency, now), getUsdPrice(destination.currency, now))
  return {rate, arrives: convertByRate(computeNet(terms), rate, destination.currency)}
}

// Adds to the reply what the transition changes besides the status. Returns what it posts to the ledger.
function applyTransition(now: number, agreedQuote: AgreedQuote, reply: Transaction, to: TransactionStatus): Entry[] {
  const {terms} = agreedQuote
  const from = reply.transactionStatus
  if (to === 'PROCESSING') {
    reply.source.sourceReferenceId = createTransferReference(terms.source.method, reply.transactionId, 'source')
    return from === 'AWAITING_TRANSFER' ? createHoldEntries(terms, 'out') : []
  }
  if (to === 'COMPLETED') {
    const {destination} = reply
    const {rate, arrives} = computeFinalPrice(agreedQuote, now)
    destination.exchangeRate = rate
    destination.destinationAmount = writeAmount(arrives, terms.destination.currency)
    const reference = createTransferReference(terms.destination.method, reply.transactionId, 'destination')
    destination.destinationReferenceId = reference
    return createSettlementEntries(terms, arrives)
  }
  return from === 'AWAITING_TRANSFER' ? [] : createHoldEntries(terms, 'back')
}

const isFinal = (status: TransactionStatus) => transitions[status].length === 0

// Only a transaction that awaits a transfer has one.
function removeDeadline(reply: Transaction): Transaction {
  if (reply.expiresAt === undefined) return reply
  const {expiresAt: _, ...rest} = reply
  return rest
}

// Makes one transition. Changed balances can trigger rules, so they are passed on last.
export function moveTransaction(
  context: RequestContext,
  row: TransactionRow,
  to: TransactionStatus,
  {scheduled = true, isForced = false, isMadeUp = false} = {},
) {
  const found = parseReply(row)
  const from = found.transactionStatus
  if (!isForced && !transitions[from].includes(to)) throw new Error(`A transaction cannot move from ${from} to ${to}`)
  const reply = removeDeadline(found)
  const agreedQuote = readAgreedQuote(context, reply.quoteId)
  const entries = applyTransition(context.now, agreedQuote, reply, to)
  reply.transactionStatus = to
  reply.updatedAt = toTimestamp(context.now)
  updateTransaction(context.database, row, reply, {
    changedAt: context.now,
    fromStatus: from,
    note: isMadeUp ? {isMadeUp: true} : {},
  })
  if (from === 'AWAITING_TRANSFER') deleteSteps(context.database, row.transactionId)
  if (to === 'PROCESSING' && scheduled) scheduleSettlement(context, agreedQuote.terms, reply)
  const cause = `transaction ${row.transactionId} ${to}`
  const balances = entries.length > 0 ? postEntries(context, cause, entries) : []
  for (const change of balances) queueCrossedThresholds(context, change)
}

// Ends a transaction that has not ended yet, from whichever status. The money is returned.
export function endTransaction(context: RequestContext, {transactionId, as}: TransactionEnd) {
  const row = findTransactionRow(context.database, transactionId)
  if (!row || isFinal(row.transactionStatus)) return
  moveTransaction(context, row, as, {isForced: true})
  deleteSteps(context.database, row.transactionId)
}

function scheduleSettlement(context: RequestContext, {destination}: Terms, {transactionId, source}: Transaction) {
  const takes = computeSettlementMs(destination.method, source.sourceAmount)
  enqueue(context, 'transaction.settle', {transactionId}, context.now + takes)
}

// Does nothing if the transaction has left the expected status meanwhile.
function moveIf(
  context: RequestContext,
  {transactionId}: {transactionId: string},
  from: TransactionStatus,
  to: TransactionStatus,
) {
  const row = findTransactionRow(context.database, transactionId)
  if (row?.transactionStatus === from) moveTransaction(context, row, to)
}

export const moneyTasks: Pick<Tasks, `transaction.${'process' | 'fund' | 'expire' | 'settle' | 'end'}`> = {
  'transaction.process': (context, task) => moveIf(context, task, 'CREATED', 'PROCESSING'),
  'transaction.fund': (context, task) => moveIf(context, task, 'AWAITING_TRANSFER', 'PROCESSING'),
  'transaction.expire': (context, task) => moveIf(context, task, 'AWAITING_TRANSFER', 'EXPIRED'),
  'transaction.settle': (context, {transactionId}) => {
    const row = findTransactionRow(context.database, transactionId)
    if (row?.transactionStatus !== 'PROCESSING') return
    const outcome = findMagicOutcome(parseReply(row).source.sourceAmount)
    moveTransaction(context, row, (outcome && statusByMagicOutcome[outcome]) ?? 'COMPLETED')
  },
  'transaction.end': endTransaction,
}
