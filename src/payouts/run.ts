// Pays the rows of a file, some at a time, each once under its own key, until all are done or something says stop.
import {SvcError} from '../errors.ts'
import {type Journal, JournalUnusable} from '../payments/journal/journal.ts'
import {type PaymentOrder, payOnce} from '../payments/pay.ts'
import {unsettledStates} from '../payments/payment.ts'
import type {LooseTransaction} from '../contract/loose.ts'
import type {Service} from '../payments/service.ts'
import type {PaymentContext} from '../payments/context.ts'
import {type FailureBudget, pauseUnlessHalted} from './failure-budget.ts'
import type {Halt} from './halt.ts'
import {createServiceLists} from './service-lists.ts'
import {type PayoutResult, toBaseResult, toFailedResult, toCreatedResult} from './result.ts'
import type {PayoutRow} from './rows.ts'
import type {JournalState} from './journal-state.ts'
import {createRowReporter} from './reporter.ts'

// How long one row may take to settle, or wait for another process, while others go on.
const rowWaitMaxMs = 60_000

export interface Batch {
  context: PaymentContext
  serviceId: string
  rows: readonly PayoutRow[]
  journalState: JournalState
  halt: Halt
  failureBudget: FailureBudget
  concurrency: number
  // So many rows that fail end the run.
  stopAfter?: number | undefined
  onBegin?: (row: PayoutRow) => void
  onEnd: (result: PayoutResult, failure?: SvcError) => void
}

const rowCutShort = () =>
  new SvcError({
    error: 'NOT_TRIED',
    kind: 'unreachable',
    message: 'The service did not answer, and the run ended before it was asked again',
    hint: 'Nothing was paid for this row; run the file again',
  })

// The world of one row: nothing waits for longer than the row may take, and nothing waits once the run is to end.
function createRowContext(context: PaymentContext, halt: Halt): PaymentContext {
  const endsAt = performance.now() + rowWaitMaxMs
  return {
    ...context,
    remainingMs: () => (halt.reason === undefined ? Math.max(0, endsAt - performance.now()) : 0),
    async pause(ms) {
      if (halt.reason !== undefined) throw rowCutShort()
      await pauseUnlessHalted(ms, halt)
    },
  }
}

// With less than this between the last look at the quote and the first byte, the quote has life left.
const flushMaxMs = 5_000

const journalTooSlow = () =>
  new SvcError({
    error: 'JOURNAL_SLOW',
    kind: 'unreachable',
    message: `The disk of the journal took more than ${flushMaxMs / 1000} s, so nothing was sent`,
    hint: 'Run the file again',
  })

// What is armed is on the disk before its first byte leaves, together with what others have armed in the meantime.
function flushBeforeSend(service: Service, journal: Journal): Service {
  return {
    ...service,
    async send(bytes, idempotencyKey) {
      const begunMs = performance.now()
      await journal.flush()
      if (performance.now() - begunMs > flushMaxMs) throw journalTooSlow()
      return service.send(bytes, idempotencyKey)
    },
  }
}

const bugError = (cause: unknown) =>
  new SvcError({
    error: 'FAULT',
    kind: 'bug',
    message: `svc failed unexpectedly (${String(cause)})`,
    hint: 'Run the file again: it settles what is open; report it with SVC_DEBUG=1',
    cause,
  })

// What ends the run, since every row after it would fail in the same way.
function haltOn(error: SvcError, halt: Halt): void {
  if (error.kind === 'unauthenticated') halt.stop('credential')
  else if (error instanceof JournalUnusable || error.cause instanceof JournalUnusable) halt.stop('journal')
  else if (error.kind === 'bug') halt.stop('fault')
}

interface EndedRow {
  result: PayoutResult
  failure?: SvcError | undefined
}

export async function runBatch(batch: Batch): Promise<void> {
  const {context, serviceId, rows, journalState, halt, failureBudget, concurrency, stopAfter, onBegin, onEnd} = batch
  const service = flushBeforeSend(failureBudget.wrap(context.service), context.journal)
  const listing = createServiceLists(service, serviceId, rows, journalState)
  const shared: PaymentContext = {
    ...context,
    service,
    findListed: ({key, content}) => listing.find({key, customerId: content.customerId}),
  }
  const isMade = ({key}: PayoutRow) => journalState.known.get(key)?.state === 'CREATED'
  const reporter = createRowReporter<EndedRow>(
    context.journal,
    ({result, failure}) => onEnd(result, failure),
    () => halt.stop('journal'),
  )
  let failures = 0
  let next = 0
  const worker = async () => {
    while (halt.reason === undefined) {
      const row = rows[next++]
      if (!row) return
      onBegin?.(row)
      const {result, failure} = await processRow(row)
      reporter.add({result, failure})
      if (!failure) continue
      haltOn(failure, halt)
      failures++
      if (stopAfter !== undefined && failures >= stopAfter) halt.stop('failures')
    }
  }
  const processRow = async (row: PayoutRow): Promise<EndedRow> => {
    try {
      if (!isMade(row)) return {result: await payRow(createRowContext(shared, halt), serviceId, row)}
      const listed = await listing.findIfReadable({key: row.key, customerId: row.content.customerId})
      return {result: reportCreated(shared, serviceId, row, listed)}
    } catch (thrown) {
      const failure = thrown instanceof SvcError ? thrown : bugError(thrown)
      return {result: reportFailed(shared, serviceId, row, failure), failure}
    }
  }
  await Promise.all(Array.from({length: Math.min(concurrency, rows.length)}, worker))
  await reporter.finish()
  for (const row of rows.slice(next)) {
    onEnd(isMade(row) ? reportCreated(shared, serviceId, row, []) : toBaseResult(row, 'NOT_TRIED'))
  }
}

async function payRow(context: PaymentContext, serviceId: string, row: PayoutRow): Promise<PayoutResult> {
  const {key, content, limits, isGuaranteed} = row
  const order: PaymentOrder = {intent: {serviceId, key, content}, limits, isGuaranteed}
  const {payment, transaction, wasMadeBefore: wasMade} = await payOnce(context, order)
  // What was found before anything was sent from here is not this run's doing either.
  return toCreatedResult(row, payment, transaction, wasMade || payment.attempts.length === 0)
}

// What was made is told from the journal, whether or not the service can be asked.
function reportCreated(
  {journal}: PaymentContext,
  serviceId: string,
  row: PayoutRow,
  listed: readonly LooseTransaction[],
): PayoutResult {
  const payment = journal.find(serviceId, row.key)
  if (!payment) throw new Error(`the payment ${row.key} has left the journal`)
  const transaction = listed.find(({transactionId}) => transactionId === payment.transactionId)
  return toCreatedResult(row, payment, transaction, true)
}

// A fault in the middle of a payment leaves it unknown, whatever the error says.
function reportFailed({journal}: PaymentContext, serviceId: string, row: PayoutRow, failure: SvcError): PayoutResult {
  const result = toFailedResult(row, failure)
  if (failure.kind !== 'bug') return result
  const state = journal.find(serviceId, row.key)?.state
  return state !== undefined && unsettledStates.includes(state) ? {...result, state: 'UNKNOWN'} : result
}
