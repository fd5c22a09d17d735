// A run rehearsed: what it would come to, whose customers are not verified, which limits would stop it. Nothing is paid.
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

// A few at a time, in their order, until one of them fails.
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

// One that the service does not know is told as such; any other failure ends the rehearsal.
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

// What is spent today by payments that are not in this file.
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

const limitError = (why: string) =>
  new SvcError({error: 'LIMIT_REACHED', kind: 'limit', message: `A limit would stop it: ${why}`})

// The limits in the order of a real run. Rows that pass are counted towards the day.
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
    throw error instanceof LimitReached ? limitError(error.message) : error
  }
}

export interface RehearsalResult {
  results: PayoutResult[]
  ending: SvcError | undefined
  // The customers that may not pay yet, in words.
  unverified: string[]
}

const unsettled = {
  error: 'OUTCOME_UNKNOWN',
  message: 'Whether an earlier run has made it is not known: a run settles that first',
}

export async function rehearse(rehearsal: Rehearsal): Promise<RehearsalResult> {
  const {context, rows, journalState, failureBudget, concurrency, withQuotes, onEnd} = rehearsal
  const quoting = {...context, service: failureBudget.wrap(context.service)}
  const statuses = await fetchCustomerStatuses(rehearsal)
  const spent = sumSpentToday(rehearsal)
  const ended = new Map<string, PayoutResult>()
  let first: SvcError | undefined
  const getStatus = ({content}: PayoutRow) => {
    const customerStatus = statuses.get(content.customerId)
    return customerStatus ? {customerStatus} : {}
  }
  // What is made counts towards the day as it did when it was made.
  const isMade = ({key}: PayoutRow) => journalState.known.get(key)?.state === 'CREATED'
  const isUnsettled = ({key}: PayoutRow) => unsettledStates.includes(journalState.known.get(key)?.state ?? 'INTENDED')
  await forEachConcurrently(rows, withQuotes ? concurrency : 1, async (row) => {
    try {
      if (isMade(row) || isUnsettled(row)) {
        addAmount(spent, row.content.source)
        const known = isMade(row)
          ? {...toBaseResult(row, 'CREATED'), madeBefore: true as const}
          : {...toBaseResult(row, 'UNKNOWN'), error: unsettled}
        ended.set(row.key, {...known, ...getStatus(row)})
        return
      }
      const price = withQuotes ? readPrice(await fetchQuote(quoting, row.content, row.isGuaranteed)) : undefined
      checkLimits(rehearsal, row, price, spent)
      const fee = price && addAmounts([price.svcFee, price.developerFee || '0'])
      ended.set(row.key, {
        ...toBaseResult(row, 'READY'),
        ...getStatus(row),
        ...(fee !== undefined && {fee}),
        ...(price?.received && {received: price.received}),
      })
    } catch (error) {
      if (!(error instanceof SvcError) || error.kind === 'unauthenticated') throw error
      first ??= error
      ended.set(row.key, {...toFailedResult(row, error), ...getStatus(row)})
    } finally {
      onEnd(ended.get(row.key)?.state !== 'READY' && !isMade(row) && !isUnsettled(row))
    }
  })
  const results = rows.flatMap(({key}) => ended.get(key) ?? [])
  return {
    results,
    ending: buildRunError({results, first, isRehearsal: true}),
    unverified: describeUnverified(results, rows),
  }
}

// The customers that may not pay yet, as far as their status says.
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
