// The results of the rows of a batch, as `svc payouts run` reports them, and the error that they end with.
import {createCsvWriter} from '../../cli/output/formats.ts'
import {SvcError} from '../../errors.ts'
import type {PayoutResult} from '../../payouts/run/result.ts'
import {payoutResultColumns} from '../../payouts/run/view.ts'
import {writeWholeFile} from '../../storage/write-whole-file.ts'
import {type Batch, countRows, findBatch, walkRows} from './batch.ts'
import {type FleetReader, createRowReporter} from './report-rows.ts'

const labels: ReadonlyArray<readonly [string, Parameters<typeof countRows>[1]]> = [
  ['made', ['CREATED']],
  ['ended badly', ['ENDED_BADLY']],
  ['stopped by a limit', ['STOPPED']],
  ['rejected', ['REJECTED']],
  ['failed', ['FAILED']],
  ['unknown', ['UNKNOWN']],
  ['in flight', ['IN_PROGRESS']],
  ['cancelled', ['CANCELLED']],
  ['waiting', ['WAITING']],
]

function describeCounts(batch: Batch): string {
  const parts = labels
    .map(([label, states]) => ({label, count: countRows(batch, states)}))
    .filter(({count}) => count > 0)
    .map(({label, count}) => `${count} ${label}`)
  return `Of ${batch.rowCount} ${batch.rowCount === 1 ? 'row' : 'rows'}, ${parts.join(', ')}`
}

const failedStates = ['ENDED_BADLY', 'STOPPED', 'REJECTED', 'FAILED', 'CANCELLED'] as const

// Unknown outcomes come first, then failures. Undefined if every row was made or still waits.
export function buildBatchError(batches: readonly Batch[]): SvcError | undefined {
  const unknown = batches.filter((batch) => countRows(batch, ['UNKNOWN']) > 0)
  const failed = batches.filter((batch) => countRows(batch, failedStates) > 0)
  const [first] = unknown.length > 0 ? unknown : failed
  if (!first) return undefined
  const batchesToReport = unknown.length > 0 ? unknown : failed
  const message = batchesToReport.map((batch) => `batch ${batch.id}: ${describeCounts(batch)}`).join('; ')
  if (unknown.length > 0) {
    return new SvcError({
      error: 'OUTCOME_UNKNOWN',
      kind: 'unknownOutcome',
      message: `The outcome of some rows is unknown (${message})`,
      hint: 'A worker settles them when their time has come: run `svc payouts work` again; nothing is paid twice',
    })
  }
  // Not "not paid": the service may have made what it refused, and another batch may have paid what failed here.
  return new SvcError({
    error: 'PARTLY_DONE',
    kind: 'partial',
    message: `Not all rows ended well (${message})`,
    hint: `See which: svc payouts result ${first.id}`,
  })
}

// Reads the results of a batch some rows at a time, and writes them as a private file.
export interface BatchResults {
  pages: () => AsyncGenerator<{items: PayoutResult[]; envelope: {payouts: PayoutResult[]}}>
  // After the last page: why not all has ended. Undefined if every row has.
  findError: () => SvcError | undefined
  // After the last page: what the rows in a file are, as a sentence says it.
  describeFile: (file: string) => string
}

const createUnknownError = ({id}: Batch, unknown: number, open: number) =>
  new SvcError({
    error: 'OUTCOME_UNKNOWN',
    kind: 'unknownOutcome',
    message: `${unknown === 1 ? 'One row' : `${unknown} rows`} of the batch ${id} may have been paid, and ${unknown === 1 ? 'its outcome is' : 'their outcomes are'} not known yet${open > 0 ? `; ${open} more ${open === 1 ? 'has' : 'have'} not ended` : ''}`,
    hint: 'A worker settles them: run `svc payouts work`; nothing is paid twice',
  })

const createOpenError = ({id, state}: Batch, open: number) =>
  new SvcError({
    error: 'PENDING',
    kind: 'pending',
    message: `${open} ${open === 1 ? 'row' : 'rows'} of the batch ${id} ${open === 1 ? 'has' : 'have'} not ended yet`,
    hint:
      state === 'PAUSED' ? `Go on with it: svc payouts resume ${id}` : `Follow it: svc payouts status ${id} --watch`,
  })

export async function openBatchResults(fleet: FleetReader, reference: string): Promise<BatchResults> {
  const {database, serviceId} = fleet
  const batch = await findBatch(database, serviceId, reference)
  const report = await createRowReporter(fleet, batch.id)
  let unknown = 0
  let open = 0
  let refused = 0
  return {
    async *pages() {
      for await (const rows of walkRows(database, batch.id)) {
        const items = await report(rows)
        refused += items.filter(({state}) => state === 'REJECTED').length
        unknown += items.filter(({state}) => state === 'UNKNOWN').length
        open += items.filter(
          ({state, error}) => state === 'IN_PROGRESS' || (state === 'NOT_TRIED' && error?.error !== 'CANCELLED'),
        ).length
        yield {items, envelope: {payouts: items}}
      }
    },
    findError() {
      if (unknown > 0) return createUnknownError(batch, unknown, open)
      return open > 0 ? createOpenError(batch, open) : undefined
    },
    describeFile(file) {
      const isKnown = unknown === 0 && open === 0 && refused === 0
      const later = refused === 0 ? '' : '; `svc reconcile` shows later whether the service made what it refused'
      return `${isKnown ? 'The outcome' : 'What is known'} of every row is in ${file}${later}.`
    },
  }
}

export async function writeBatchResults({pages}: BatchResults, file: string): Promise<void> {
  const csv = await createCsvWriter(payoutResultColumns)
  async function* write() {
    yield csv.header()
    for await (const {items} of pages()) yield csv.rows(items)
  }
  await writeWholeFile(file, write())
}
