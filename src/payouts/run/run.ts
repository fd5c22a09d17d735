// Pays the rows of a file, several at a time and each once under its own key, until all have ended or the run is stopped.
import {allowHeapGrowth} from '../../cli/output/limit-heap-growth.ts'
import type {SvcError} from '../../errors.ts'
import {JournalUnusable} from '../../payments/journal/journal.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import type {FailureBudget} from './failure-budget.ts'
import type {Halt} from './halt.ts'
import {type ChangedRow, type JournalState, isCreated} from './journal-state.ts'
import {type EndedRow, type RowPayer, flushBeforeSend, processRow, reportCreated} from './pay-row.ts'
import {createRowReporter} from './reporter.ts'
import {type PayoutResult, toBaseResult} from './result.ts'
import type {PayoutRow} from '../file/rows.ts'
import {createServiceLists} from './service-lists.ts'
import {toUnrecordedRow} from './unrecorded.ts'

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
  // A row has ended. It is reported later, with onEnd.
  onRowDone?: (row: PayoutRow) => void
  onChanged?: (row: ChangedRow) => void
  onEnd: (result: PayoutResult, failure?: SvcError) => void
}

const chooseJournalReason = (error: unknown) =>
  error instanceof JournalUnusable && error.problem === 'busy' ? 'busyJournal' : 'journal'

// Stops the run on errors that would also fail every other row.
function haltOn(error: SvcError, halt: Halt): void {
  if (error.kind === 'unauthenticated') halt.stop('credential')
  else if (error instanceof JournalUnusable) halt.stop(chooseJournalReason(error))
  else if (error.cause instanceof JournalUnusable) halt.stop(chooseJournalReason(error.cause))
  else if (error.kind === 'bug') halt.stop('fault')
}

// What an earlier run made would stop every later run.
const hasJustEndedBadly = ({state, madeBefore}: PayoutResult) => state === 'ENDED_BADLY' && !madeBefore

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
  const isOnDisk = ({result: {key}}: EndedRow) => context.journal.isFlushed?.(serviceId, key) ?? true
  const reporter = createRowReporter<EndedRow>(context.journal, (ended, flushError) => {
    if (flushError !== undefined) halt.stop(chooseJournalReason(flushError))
    const {result, failure} = flushError === undefined || isOnDisk(ended) ? ended : toUnrecordedRow(ended, flushError)
    onEnd(result, failure)
  })
  const payer: RowPayer = {
    context: batchContext,
    serviceId,
    halt,
    rowWaitMs: rowWaitMaxMs,
    findIfReadable: ({key, content}) => serviceLists.findIfReadable({key, customerId: content.customerId}),
    onChanged: (row, changes) => batch.onChanged?.({...row, changes}),
  }
  const checkHeap = allowHeapGrowth()
  let failures = 0
  let next = 0
  const worker = async () => {
    while (halt.reason === undefined) {
      const row = rows[next++]
      if (!row) return
      batch.onBegin?.(row)
      const {result, failure} = await processRow(payer, row, journalState.known.get(row.key))
      batch.onRowDone?.(row)
      reporter.add({result, failure})
      checkHeap()
      if (failure) haltOn(failure, halt)
      else if (!hasJustEndedBadly(result)) continue
      failures++
      if (stopAfter !== undefined && failures >= stopAfter) halt.stop('failures')
    }
  }
  await Promise.all(Array.from({length: Math.min(concurrency, rows.length)}, worker))
  await reporter.flush()
  for (const row of rows.slice(next)) {
    const isMade = isCreated(row, journalState)
    onEnd(isMade ? await reportCreated(batchContext, serviceId, row, []) : toBaseResult(row, 'NOT_TRIED'))
  }
}
