// Pays the rows of a file, several at a time and each once under its own key, until all have ended or the run is stopped.
import {SvcError} from '../errors.ts'
import {type Journal, JournalUnusable} from '../payments/journal/journal.ts'
import {pickSingleMatch} from '../payments/find-transaction.ts'
import {wasSettledManually} from '../payments/manual-settlement.ts'
import {type PaymentOrder, payOnce} from '../payments/pay.ts'
import {type Payment, unsettledStates} from '../payments/payment.ts'
import {readText} from '../payments/read-text.ts'
import type {LooseTransaction} from '../contract/loose.ts'
import type {Service} from '../payments/service.ts'
import type {PaymentContext} from '../payments/context.ts'
import {type FailureBudget, pauseUnlessHalted} from './failure-budget.ts'
import type {Halt} from './halt.ts'
import {noteBadEndingIfPossible} from './note-bad-ending.ts'
import {createServiceLists} from './service-lists.ts'
import {type PayoutResult, toBaseResult, toFailedResult, toCreatedResult} from './result.ts'
import type {PayoutRow} from './rows.ts'
import {type ChangedRow, type JournalState, countSends, isCreated} from './journal-state.ts'
import {createRowReporter} from './reporter.ts'

// How long one row may wait for another process, or to be settled, while the other rows go on.
const rowWaitMaxMs = 60_000

export interface Batch {
  context: PaymentContext
  serviceId: string
  rows: readonly PayoutRow[]
  journalState: JournalState
  halt: Halt
  failureBudget: FailureBudget
  concurrency: number
  // The run stops after this many failed rows.
  stopAfter?: number | undefined
  onBegin?: (row: PayoutRow) => void
  onChanged?: (row: ChangedRow) => void
  onEnd: (result: PayoutResult, failure?: SvcError) => void
}

const rowCutShort = () =>
  new SvcError({
    error: 'NOT_TRIED',
    kind: 'unreachable',
    message: 'The service did not answer, and the run ended before the next try',
    hint: 'Nothing was paid for this row; run the file again',
  })

// The context of one row: nothing waits longer than one row may, and nothing waits once the run is stopping.
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

// The life of the quote is checked before the flush, so the flush must not take longer than this.
const flushMaxMs = 5_000

const journalTooSlow = () =>
  new SvcError({
    error: 'JOURNAL_SLOW',
    kind: 'unreachable',
    message: `Writing the journal to disk took more than ${flushMaxMs / 1000} s, so nothing was sent`,
    hint: 'Run the file again',
  })

// An armed payment is on disk before its first byte is sent. One flush serves all rows that were armed in the meantime.
function flushBeforeSend(service: Service, journal: Journal): Service {
  return {
    ...service,
    async send(bytes, idempotencyKey) {
      const startedMs = performance.now()
      await journal.flush()
      if (performance.now() - startedMs > flushMaxMs) throw journalTooSlow()
      return service.send(bytes, idempotencyKey)
    },
  }
}

const bugError = (cause: unknown) =>
  new SvcError({
    error: 'FAULT',
    kind: 'bug',
    message: `svc failed unexpectedly (${String(cause)})`,
    hint: 'Run the file again to settle what is left, and report this with SVC_DEBUG=1',
    cause,
  })

// Stops the run on errors that would also fail every other row.
function haltOn(error: SvcError, halt: Halt): void {
  if (error.kind === 'unauthenticated') halt.stop('credential')
  else if (error instanceof JournalUnusable) halt.stop(error.isBusy ? 'busyJournal' : 'journal')
  else if (error.cause instanceof JournalUnusable) halt.stop(error.cause.isBusy ? 'busyJournal' : 'journal')
  else if (error.kind === 'bug') halt.stop('fault')
}

// What an earlier run made would stop every later run.
const hasJustEndedBadly = ({state, madeBefore}: PayoutResult) => state === 'ENDED_BADLY' && !madeBefore

interface EndedRow {
  result: PayoutResult
  failure?: SvcError | undefined
}

export async function runBatch(batch: Batch): Promise<void> {
  const {context, serviceId, rows, journalState, halt, failureBudget, concurrency, stopAfter, onEnd} = batch
  const service = flushBeforeSend(failureBudget.wrap(context.service), context.journal)
  const serviceLists = createServiceLists({...context, service}, serviceId, rows, journalState)
  const batchContext: PaymentContext = {
    ...context,
    service,
    findListed: ({key, content}) => serviceLists.find({key, customerId: content.customerId}),
    lookAgain: ({key, content}) => serviceLists.findAgain({key, customerId: content.customerId}),
  }
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
      batch.onBegin?.(row)
      const {result, failure} = await processRow(row)
      reporter.add({result, failure})
      if (failure) haltOn(failure, halt)
      else if (!hasJustEndedBadly(result)) continue
      failures++
      if (stopAfter !== undefined && failures >= stopAfter) halt.stop('failures')
    }
  }
  const processRow = async (row: PayoutRow): Promise<EndedRow> => {
    let changed: Pick<PayoutResult, 'changes'> = {}
    const onContentChanged: PaymentContext['onContentChanged'] = (_, changes) => {
      changed = {changes}
      batch.onChanged?.({...row, changes})
    }
    try {
      if (isCreated(row, journalState)) {
        const transactions = await serviceLists.findIfReadable({key: row.key, customerId: row.content.customerId})
        return {result: await reportCreated(batchContext, serviceId, row, transactions)}
      }
      const rowContext = {...createRowContext(batchContext, halt), onContentChanged}
      const result = await payRow(rowContext, serviceId, row, journalState)
      return {result: {...result, ...changed}}
    } catch (thrown) {
      const failure = thrown instanceof SvcError ? thrown : bugError(thrown)
      return {result: {...(await reportFailed(batchContext, serviceId, row, failure)), ...changed}, failure}
    }
  }
  await Promise.all(Array.from({length: Math.min(concurrency, rows.length)}, worker))
  await reporter.flush()
  for (const row of rows.slice(next)) {
    const isMade = isCreated(row, journalState)
    onEnd(isMade ? await reportCreated(batchContext, serviceId, row, []) : toBaseResult(row, 'NOT_TRIED'))
  }
}

async function payRow(
  context: PaymentContext,
  serviceId: string,
  row: PayoutRow,
  {known}: JournalState,
): Promise<PayoutResult> {
  const {key, content, limits, isGuaranteed} = row
  const order: PaymentOrder = {intent: {serviceId, key, content}, limits, isGuaranteed}
  const {payment, transaction, wasMadeBefore} = await payOnce(context, order)
  // This run sent nothing for it: an interrupted one did, and it was found at the service.
  const wasFound = countSends(payment) === known.get(key)?.sends
  return toCreatedResult(row, payment, transaction, wasMadeBefore || wasFound || wasMadeElsewhere(payment, transaction))
}

// Another host made it if its quote is none of this journal's, or if this journal sent nothing.
function wasMadeElsewhere({attempts}: Payment, transaction: LooseTransaction | undefined): boolean {
  const quoteId = readText(transaction?.quoteId)
  return quoteId === '' ? attempts.every(({sends}) => sends === 0) : attempts.every((own) => own.quoteId !== quoteId)
}

// A created payment is reported from the journal even if the service cannot be read. Several transactions of one key are a
// matter for a person, unless one has decided already.
export async function reportCreated(
  context: PaymentContext,
  serviceId: string,
  row: PayoutRow,
  transactions: readonly LooseTransaction[],
): Promise<PayoutResult> {
  const payment = await context.journal.find(serviceId, row.key)
  if (!payment) throw new Error(`the payment ${row.key} is no longer in the journal`)
  if (transactions.length > 1 && !(await wasSettledManually(payment, context.journal))) {
    pickSingleMatch(payment, transactions)
  }
  const transaction = transactions.find(({transactionId}) => transactionId === payment.transactionId)
  return toCreatedResult(row, await noteBadEndingIfPossible(context, payment, transaction), transaction, true)
}

// A bug of svc during a payment may leave it unknown, whatever the error says.
async function reportFailed(
  {journal}: PaymentContext,
  serviceId: string,
  row: PayoutRow,
  failure: SvcError,
): Promise<PayoutResult> {
  const result = toFailedResult(row, failure)
  if (failure.kind !== 'bug') return result
  const state = (await journal.find(serviceId, row.key))?.state
  return state !== undefined && unsettledStates.includes(state) ? {...result, state: 'UNKNOWN'} : result
}
