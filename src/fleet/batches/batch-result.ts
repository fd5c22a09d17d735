// The results of the rows of a batch, as `svc payouts run` reports them, and the error that they end with.
import {createCsvWriter} from '../../cli/output/formats.ts'
import {SvcError} from '../../errors.ts'
import {type PayoutResult, toBaseResult} from '../../payouts/run/result.ts'
import {payoutResultColumns} from '../../payouts/run/view.ts'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {writeWholeFile} from '../../storage/write-whole-file.ts'
import {type Batch, type BatchRow, countRows, findBatch, openRowStates, walkRows} from './batch.ts'
import type {FleetDatabase} from './open-fleet.ts'

const cancelled = {error: 'CANCELLED', message: 'The batch was cancelled before this row was paid'}

// A row that was not paid yet may have a reason why its last try failed.
export function toPayoutResult(row: BatchRow): PayoutResult {
  if (row.state === 'CANCELLED') return {...toBaseResult(row, 'NOT_TRIED'), error: cancelled}
  if (row.state !== 'WAITING') return row.result ?? toBaseResult(row, row.state)
  const {error} = row.result ?? {}
  return {...toBaseResult(row, 'NOT_TRIED'), ...(error && {error})}
}

async function* walkResults(database: PostgresDatabase, batchId: string): AsyncGenerator<PayoutResult[]> {
  for await (const rows of walkRows(database, batchId)) yield rows.map(toPayoutResult)
}

const labels: ReadonlyArray<readonly [string, Parameters<typeof countRows>[1]]> = [
  ['made', ['CREATED']],
  ['ended badly', ['ENDED_BADLY']],
  ['stopped by a limit', ['STOPPED']],
  ['rejected', ['REJECTED']],
  ['failed', ['FAILED']],
  ['unknown', ['UNKNOWN']],
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
  return new SvcError({
    error: 'PARTLY_DONE',
    kind: 'partial',
    message: `Some rows were not paid (${message})`,
    hint: `See which: svc payouts result ${first.id}`,
  })
}

// Reads the results of a batch some rows at a time, and writes them as a private file.
export interface BatchResults {
  openCount: number
  // Closes the database after the last page.
  pages: () => AsyncGenerator<{items: PayoutResult[]; envelope: {payouts: PayoutResult[]}}>
}

export async function openBatchResults(
  {database}: FleetDatabase,
  serviceId: string,
  reference: string,
): Promise<BatchResults> {
  const batch = await findBatch(database, serviceId, reference).catch(async (error: unknown) => {
    await database.close()
    throw error
  })
  return {
    openCount: countRows(batch, openRowStates),
    async *pages() {
      try {
        for await (const items of walkResults(database, batch.id)) yield {items, envelope: {payouts: items}}
      } finally {
        await database.close()
      }
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
