// Runs a file without paying: adds up, checks the customers and the limits, and requests quotes on demand.
import {readCode} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {LimitReached, checkPriceLimits} from '../../payments/protocol/limits.ts'
import type {Price} from '../../payments/protocol/payment.ts'
import {fetchQuote, readPrice} from '../../payments/protocol/quote.ts'
import {forEachConcurrently} from './for-each-concurrently.ts'
import type {FailureBudget} from './halt.ts'
import {buildRunError} from './report-run.ts'
import {
  NotReady,
  type ReadinessCheck,
  fetchCustomerStatuses,
  readAllAccounts,
  rejectUnready,
} from '../file/readiness.ts'
import {type PayoutResult, type RowStop, toBaseResult, toFailedResult} from './result.ts'
import type {PayoutRow} from '../file/rows.ts'
import {addAmounts} from '../../values/money.ts'
import {isCreated, isOpen} from './journal-state.ts'
import {reportCreated} from './pay-row.ts'

export interface DryRun extends ReadinessCheck {
  context: PaymentContext
  serviceId: string
  // Rows that a run would not pay.
  stops: readonly RowStop[]
  // Present if it would pay none at all because of them.
  refusal?: SvcError | undefined
  failureBudget: FailureBudget
  withQuotes: boolean
  onEnd: (failed: boolean) => void
}

// Checks the price of a row. The other limits were checked for the whole file before.
function checkPrice({limits, content}: Pick<PayoutRow, 'limits' | 'content'>, price: Price): void {
  try {
    checkPriceLimits(limits, content, price)
  } catch (error) {
    throw error instanceof LimitReached ? createLimitError(error.message) : error
  }
}

const createLimitError = (why: string) =>
  new SvcError({error: 'LIMIT_REACHED', kind: 'limit', message: `A limit would stop it: ${why}`})

const toStopError = ({error: {error, message}}: RowStop) =>
  error === 'LIMIT_REACHED' ? createLimitError(message) : new SvcError({error, kind: 'limit', message})

export interface DryRunResult {
  results: PayoutResult[]
  failure: SvcError | undefined
  // The customers of rows that are ready although the customer is not ACTIVE, each with its status.
  unverified: string[]
}

const outcomeUnknown = {
  error: 'OUTCOME_UNKNOWN',
  message: 'The outcome of an earlier run is unknown: a run settles it first',
}

async function checkRow(
  dryRun: DryRun,
  row: PayoutRow,
  customer: Pick<PayoutResult, 'customerStatus'>,
  stop: RowStop | undefined,
): Promise<PayoutResult> {
  const {context, serviceId, journalState, failureBudget, withQuotes} = dryRun
  if (isCreated(row, journalState)) return {...(await reportCreated(context, serviceId, row, [])), ...customer}
  if (!isOpen(row, journalState)) return {...toBaseResult(row, 'UNKNOWN'), error: outcomeUnknown, ...customer}
  if (stop) throw toStopError(stop)
  await rejectUnready(dryRun, row, customer.customerStatus)
  if (!withQuotes) return {...toBaseResult(row, 'READY'), ...customer}
  const quoting = {...context, service: failureBudget.wrap(context.service)}
  return {...(await priceRow(quoting, row)), ...customer}
}

// A row that is ready, with its price as it is now. Throws if the service gives none, or the limits of the row would stop it.
export async function priceRow(context: PaymentContext, row: PayoutRow): Promise<PayoutResult> {
  const price = readPrice(await fetchQuote(context, row.content, row.isGuaranteed))
  checkPrice(row, price)
  const fee = addAmounts([price.svcFee, price.developerFee || '0'])
  return {
    ...toBaseResult(row, 'READY'),
    ...(fee !== undefined && {fee}),
    ...(price.received && {received: price.received, guaranteed: row.isGuaranteed}),
  }
}

export async function runDry(dryRun: DryRun): Promise<DryRunResult> {
  const {rows, stops, refusal, concurrency, withQuotes, onEnd} = dryRun
  const statuses = await fetchCustomerStatuses(dryRun)
  const stopsByKey = new Map(stops.map((stop) => [stop.row.key, stop]))
  const resultsByKey = new Map<string, PayoutResult>()
  let firstFailure: SvcError | undefined
  await readAllAccounts(dryRun, statuses)
  await forEachConcurrently(rows, withQuotes ? concurrency : 1, async (row) => {
    const customerStatus = statuses.get(row.content.customerId)
    const customer = customerStatus ? {customerStatus} : {}
    try {
      resultsByKey.set(row.key, await checkRow(dryRun, row, customer, stopsByKey.get(row.key)))
      onEnd(false)
    } catch (error) {
      if (!(error instanceof SvcError) || error.kind === 'unauthenticated') throw error
      firstFailure ??= error
      const state = error instanceof NotReady ? {state: 'NOT_READY' as const} : {}
      resultsByKey.set(row.key, {...toFailedResult(row, error), ...state, ...customer})
      onEnd(true)
    }
  })
  const results = rows.flatMap(({key}) => resultsByKey.get(key) ?? [])
  return {
    results,
    failure: refusal ?? buildRunError({results, firstFailure, isDryRun: true}),
    unverified: describeUnverified(results, rows),
  }
}

function describeUnverified(results: readonly PayoutResult[], rows: readonly PayoutRow[]): string[] {
  const byCustomer = new Map<string, string>()
  for (const [index, {customerStatus, state}] of results.entries()) {
    const customerId = rows[index]?.content.customerId
    if (state !== 'NOT_READY' && customerId && customerStatus !== undefined && readCode(customerStatus) !== 'ACTIVE') {
      byCustomer.set(customerId, customerStatus)
    }
  }
  return [...byCustomer].map(([customerId, status]) => `${customerId} is ${status}`)
}
