// Rehearses a run without paying: adds up, checks the customers and the limits, and requests quotes on demand.
import {Big} from 'big.js'
import type {Client} from '../client/client.ts'
import {SvcError} from '../errors.ts'
import {LimitReached, checkDailyLimit, checkPaymentLimits, checkPriceLimits} from '../payments/limits.ts'
import {type Payment, type Price, getLastAttempt, spendingStates, unsettledStates} from '../payments/payment.ts'
import {readPrice, fetchQuote} from '../payments/fetch-quote.ts'
import type {FailureBudget} from './failure-budget.ts'
import {buildRunError} from './run-error.ts'
import {type PayoutResult, toBaseResult, toFailedResult} from './result.ts'
import type {PayoutRow} from './rows.ts'
import {addAmounts} from '../validation/money.ts'
import type {JournalState} from './journal-state.ts'
import type {PaymentContext} from '../payments/context.ts'

const dayMs = 86_400_000

export interface Rehearsal {
  context: PaymentContext
  client: Client
  serviceId: string
  rows: readonly PayoutRow[]
  journalState: JournalState
  failureBudget: FailureBudget
  concurrency: number
  withQuotes: boolean
  onEnd: (failed: boolean) => void
}

// Runs several at a time, in order, until one of them fails.
async function forEachConcurrently<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) {
      await work(item).catch((error: unknown) => {
        next = items.length
        throw error
      })
    }
  }
  await Promise.all(Array.from({length: Math.min(concurrency, items.length)}, worker))
}

type Statuses = ReadonlyMap<string, string>

// A customer that does not exist is reported as NOT_FOUND. Any other failure ends the rehearsal.
async function fetchCustomerStatuses({client, rows, concurrency}: Rehearsal): Promise<Statuses> {
  const statuses = new Map<string, string>()
  const ids = [...new Set(rows.map(({content}) => content.customerId))]
  await forEachConcurrently(ids, concurrency, async (customerId) => {
    try {
      const {customerStatus} = await client.customers.get({customerId})
      statuses.set(customerId, typeof customerStatus === 'string' ? customerStatus : '')
    } catch (error) {
      if (!(error instanceof SvcError) || error.kind !== 'notFound') throw error
      statuses.set(customerId, 'NOT_FOUND')
    }
  })
  return statuses
}

// Adds up what payments outside of this file have spent today.
function sumSpentToday({context, serviceId, rows}: Rehearsal): Map<string, Big> {
  const spent = new Map<string, Big>()
  if (!context.spending.dayMax) return spent
  const own = new Set(rows.map(({key}) => key))
  const now = context.clock.latest()
  const isOfToday = (payment: Payment) =>
    (getLastAttempt(payment)?.armedAt ?? payment.madeAt ?? 0) >= now - (now % dayMs)
  for (const payment of context.journal.list({serviceId, states: spendingStates})) {
    if (own.has(payment.key) || !isOfToday(payment)) continue
    addAmount(spent, payment.content.source)
  }
  return spent
}

function addAmount(spent: Map<string, Big>, {sourceCurrency, sourceAmount}: PayoutRow['content']['source']): void {
  const currency = sourceCurrency.toUpperCase()
  spent.set(currency, (spent.get(currency) ?? new Big(0)).plus(sourceAmount))
}

const createLimitError = (why: string) =>
  new SvcError({error: 'LIMIT_REACHED', kind: 'limit', message: `A limit would stop it: ${why}`})

// Checks the limits in the order of a real run. Rows that pass count towards the daily limit.
function checkLimits({context}: Rehearsal, row: PayoutRow, price: Price | undefined, spent: Map<string, Big>): void {
  const {content, limits} = row
  try {
    if (price) checkPriceLimits(limits, content, price)
    checkPaymentLimits(context.spending, content)
    checkDailyLimit(context.spending, content, context.clock.latest(), ({currency}) => [
      (spent.get(currency.toUpperCase()) ?? new Big(0)).toFixed(),
    ])
    addAmount(spent, content.source)
  } catch (error) {
    throw error instanceof LimitReached ? createLimitError(error.message) : error
  }
}

export interface RehearsalResult {
  results: PayoutResult[]
  failure: SvcError | undefined
  // The customers that are not ACTIVE, each with its status.
  unverified: string[]
}

const outcomeUnknown = {
  error: 'OUTCOME_UNKNOWN',
  message: 'The outcome of an earlier run is unknown: a run settles it first',
}

async function rehearseRow(
  rehearsal: Rehearsal,
  row: PayoutRow,
  customer: Pick<PayoutResult, 'customerStatus'>,
  spent: Map<string, Big>,
): Promise<PayoutResult> {
  const {context, journalState, failureBudget, withQuotes} = rehearsal
  const state = journalState.known.get(row.key)?.state
  if (state === 'CREATED') {
    addAmount(spent, row.content.source)
    return {...toBaseResult(row, 'CREATED'), madeBefore: true, ...customer}
  }
  if (state !== undefined && unsettledStates.includes(state)) {
    addAmount(spent, row.content.source)
    return {...toBaseResult(row, 'UNKNOWN'), error: outcomeUnknown, ...customer}
  }
  const quoting = {...context, service: failureBudget.wrap(context.service)}
  const price = withQuotes ? readPrice(await fetchQuote(quoting, row.content, row.isGuaranteed)) : undefined
  checkLimits(rehearsal, row, price, spent)
  const fee = price && addAmounts([price.svcFee, price.developerFee || '0'])
  return {
    ...toBaseResult(row, 'READY'),
    ...customer,
    ...(fee !== undefined && {fee}),
    ...(price?.received && {received: price.received}),
  }
}

export async function rehearse(rehearsal: Rehearsal): Promise<RehearsalResult> {
  const {rows, concurrency, withQuotes, onEnd} = rehearsal
  const statuses = await fetchCustomerStatuses(rehearsal)
  const spent = sumSpentToday(rehearsal)
  const resultsByKey = new Map<string, PayoutResult>()
  let firstFailure: SvcError | undefined
  await forEachConcurrently(rows, withQuotes ? concurrency : 1, async (row) => {
    const customerStatus = statuses.get(row.content.customerId)
    const customer = customerStatus ? {customerStatus} : {}
    try {
      resultsByKey.set(row.key, await rehearseRow(rehearsal, row, customer, spent))
      onEnd(false)
    } catch (error) {
      if (!(error instanceof SvcError) || error.kind === 'unauthenticated') throw error
      firstFailure ??= error
      resultsByKey.set(row.key, {...toFailedResult(row, error), ...customer})
      onEnd(true)
    }
  })
  const results = rows.flatMap(({key}) => resultsByKey.get(key) ?? [])
  return {
    results,
    failure: buildRunError({results, firstFailure, isRehearsal: true}),
    unverified: describeUnverified(results, rows),
  }
}

function describeUnverified(results: readonly PayoutResult[], rows: readonly PayoutRow[]): string[] {
  const byCustomer = new Map<string, string>()
  for (const [index, {customerStatus}] of results.entries()) {
    const customerId = rows[index]?.content.customerId
    if (customerId && customerStatus !== undefined && customerStatus !== 'ACTIVE') {
      byCustomer.set(customerId, customerStatus)
    }
  }
  return [...byCustomer].map(([customerId, status]) => `${customerId} is ${status}`)
}
