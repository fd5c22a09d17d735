// How a transaction goes from state to state: what each move does to the ledger and to the reply, and what follows it.
import {queueCrossedThresholds} from '../rules/thresholds.ts'
import {enqueue} from '../time/queue.ts'
import {toTimestamp} from '../time/clock.ts'
import type {RequestContext} from '../request-context.ts'
import {referenceOf} from './addresses.ts'
import {decimalOf, type PaymentMethod} from './currencies.ts'
import {type Entry, holders, post} from './ledger.ts'
import {type Fate, fateOf} from './magic.ts'
import {rateBetween, rateText} from './prices.ts'
import {type QuoteRow, quoteRow, received, type Terms} from './quotes.ts'
import {rewriteTransaction, transactionRow, type TransactionRow} from './transaction-store.ts'
import {moves, type Transaction, type TransactionStatus} from './transitions.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

// How long a transfer is under way, by the rail or network on which it arrives.
const settlementMinutes: Readonly<Record<PaymentMethod, number>> = {
  ACH: 30,
  WIRE: 15,
  SEPA: 10,
  CA_INTERAC: 5,
  IN_NEFT_RTGS_IMPS: 5,
  ARBITRUM: 1,
  BASE: 1,
  ETHEREUM: 3,
  OPTIMISM: 1,
  POLYGON: 2,
  SOLANA: 1,
}

export const magicFundingMs = minuteMs
export const magicDeadlineMs = minuteMs
const lingeringMs = 3 * dayMs

const outcomeOf: Readonly<Partial<Record<Fate, TransactionStatus>>> = {fails: 'FAILED', 'is cancelled': 'CANCELLED'}

interface Agreed {
  terms: Terms
  quote: QuoteRow
}

function agreedIn({database}: RequestContext, quoteId: string): Agreed {
  const quote = quoteRow(database, quoteId)
  if (!quote) throw new Error(`A transaction has no quote ${quoteId}`)
  return {quote, terms: JSON.parse(quote.terms) as Terms}
}

const sourceHolder = ({source}: Terms) =>
  source.accountType === 'SVC_CRYPTO_WALLET' ? holders.wallet(source.accountId) : holders.world(source.method)

const destinationHolder = ({destination}: Terms) =>
  destination.accountType === 'SVC_CRYPTO_WALLET'
    ? holders.wallet(destination.accountId)
    : holders.world(destination.method)

// From where the money is to where it is under way, or back again.
export function heldEntries(terms: Terms, direction: 'out' | 'back'): Entry[] {
  const {currency, method, minor} = terms.source
  const amount = direction === 'out' ? BigInt(minor) : -BigInt(minor)
  return [
    {holder: sourceHolder(terms), currency, amount: -amount},
    {holder: holders.transit(method), currency, amount},
  ]
}

// The fees are taken, the rest goes into the pool, and what it was exchanged for goes to its destination.
function settledEntries(terms: Terms, arrives: bigint): Entry[] {
  const {source, destination, svcFee, developerFee} = terms
  const net = BigInt(source.minor) - BigInt(svcFee.minor) - BigInt(developerFee.minor)
  return [
    {holder: holders.transit(source.method), currency: source.currency, amount: -BigInt(source.minor)},
    {holder: holders.svcFees, currency: source.currency, amount: BigInt(svcFee.minor)},
    {holder: holders.developerFees, currency: source.currency, amount: BigInt(developerFee.minor)},
    {holder: holders.pool, currency: source.currency, amount: net},
    {holder: holders.pool, currency: destination.currency, amount: -arrives},
    {holder: destinationHolder(terms), currency: destination.currency, amount: arrives},
  ]
}

// The quoted price holds for as long as the quote, or to the end if it is guaranteed; after that, the price of the
// moment counts (docs/assumptions.md, M8).
function finalPrice({terms, quote}: Agreed, now: number): {rate: string; arrives: bigint} {
  const {source, destination, rate, guaranteed, svcFee, developerFee} = terms
  if (guaranteed || now <= quote.expiresAt) return {rate, arrives: BigInt(destination.minor)}
  const current = rateText(rateBetween(source.currency, destination.currency, now))
  const net = BigInt(source.minor) - BigInt(svcFee.minor) - BigInt(developerFee.minor)
  return {rate: current, arrives: received(net, source.currency, current, destination.currency)}
}

interface Step {
  entries: Entry[]
  changes?: Pick<Transaction, 'source'> | Pick<Transaction, 'destination'>
}

function stepOf(now: number, agreed: Agreed, reply: Transaction, to: TransactionStatus): Step {
  const {terms} = agreed
  const from = reply.transactionStatus
  if (to === 'PROCESSING') {
    const sourceReferenceId = referenceOf(terms.source.method, reply.transactionId, 'source')
    return {
      entries: from === 'AWAITING_TRANSFER' ? heldEntries(terms, 'out') : [],
      changes: {source: {...reply.source, sourceReferenceId}},
    }
  }
  if (to === 'COMPLETED') {
    const {rate, arrives} = finalPrice(agreed, now)
    const destination = {
      ...reply.destination,
      exchangeRate: rate,
      destinationAmount: decimalOf(arrives, terms.destination.currency),
      destinationReferenceId: referenceOf(terms.destination.method, reply.transactionId, 'destination'),
    }
    return {entries: settledEntries(terms, arrives), changes: {destination}}
  }
  return {entries: from === 'AWAITING_TRANSFER' ? [] : heldEntries(terms, 'back')}
}

// What waited for this transaction does not wait any more.
export function forgetTasks({database}: RequestContext, transactionId: string) {
  database.run(
    "delete from queue where kind like 'transaction.%' and payload = ?",
    JSON.stringify({transactionId} satisfies {transactionId: string}),
  )
}

// Makes one move. Whoever hears of the changed balances may make further transactions, so that comes last.
export function moveTransaction(
  turn: RequestContext,
  row: TransactionRow,
  to: TransactionStatus,
  {scheduled = true} = {},
) {
  const {expiresAt: _, ...before} = JSON.parse(row.reply) as Transaction
  const from = before.transactionStatus
  if (!moves[from].includes(to)) throw new Error(`A transaction cannot move from ${from} to ${to}`)
  const agreed = agreedIn(turn, row.quoteId)
  const {entries, changes} = stepOf(turn.now, agreed, before, to)
  const reply = {...before, ...changes, transactionStatus: to, updatedAt: toTimestamp(turn.now)}
  rewriteTransaction(turn.database, reply)
  if (from === 'AWAITING_TRANSFER') forgetTasks(turn, row.transactionId)
  if (to === 'PROCESSING' && scheduled) scheduleSettlement(turn, agreed.terms, reply)
  const cause = `transaction ${row.transactionId} ${to}`
  const balances = entries.length > 0 ? post(turn, cause, entries) : []
  for (const change of balances) queueCrossedThresholds(turn, change)
}

function scheduleSettlement(turn: RequestContext, {destination}: Terms, {transactionId, source}: Transaction) {
  const lingers = fateOf(source.sourceAmount) === 'lingers'
  const takes = lingers ? lingeringMs : settlementMinutes[destination.method] * minuteMs
  enqueue(turn, 'transaction.settle', {transactionId}, turn.now + takes)
}

interface Waiting {
  transactionId: string
}

// A task that comes too late, after somebody else moved the transaction, does nothing.
function moveIf(turn: RequestContext, {transactionId}: Waiting, from: TransactionStatus, to: TransactionStatus) {
  const row = transactionRow(turn.database, transactionId)
  if (row?.transactionStatus === from) moveTransaction(turn, row, to)
}

export interface SettlementTasks {
  'transaction.process': Waiting
  'transaction.fund': Waiting
  'transaction.expire': Waiting
  'transaction.settle': Waiting
}

export const settlementTasks: {[K in keyof SettlementTasks]: (turn: RequestContext, payload: Waiting) => void} = {
  'transaction.process': (turn, waiting) => moveIf(turn, waiting, 'CREATED', 'PROCESSING'),
  'transaction.fund': (turn, waiting) => moveIf(turn, waiting, 'AWAITING_TRANSFER', 'PROCESSING'),
  'transaction.expire': (turn, waiting) => moveIf(turn, waiting, 'AWAITING_TRANSFER', 'EXPIRED'),
  'transaction.settle': (turn, waiting) => {
    const row = transactionRow(turn.database, waiting.transactionId)
    const fate = row && fateOf((JSON.parse(row.reply) as Transaction).source.sourceAmount)
    moveIf(turn, waiting, 'PROCESSING', (fate && outcomeOf[fate]) ?? 'COMPLETED')
  },
}
