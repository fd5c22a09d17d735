// The results of the rows of a batch, as `svc payouts run` reports them, and the error that they end with.
import {SvcError} from '../../errors.ts'
import {type PayoutResults, createResults} from '../../payouts/run/report-file.ts'
import {describeCounts, failedStates} from '../../payouts/run/row-states.ts'
import {type Batch, countRows, findBatch, walkRows} from './batch.ts'
import {type FleetReader, createRowReporter} from './report-rows.ts'

// Unknown outcomes come first, then failures. Undefined if every row was made or still waits.
export function buildBatchError(batches: readonly Batch[]): SvcError | undefined {
  const unknown = batches.filter((batch) => countRows(batch, ['UNKNOWN']) > 0)
  const failed = batches.filter((batch) => countRows(batch, [...failedStates, 'CANCELLED']) > 0)
  const [first] = unknown.length > 0 ? unknown : failed
  if (!first) return undefined
  const batchesToReport = unknown.length > 0 ? unknown : failed
  const message = batchesToReport.map((batch) => `batch ${batch.id}: ${describeCounts(batch.counts)}`).join('; ')
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
    hint: `See which: \`svc payouts status ${first.id} --rows\``,
  })
}

export async function openBatchResults(fleet: FleetReader, reference: string): Promise<PayoutResults> {
  const {database, serviceId} = fleet
  const {id, state} = await findBatch(database, serviceId, reference)
  const report = await createRowReporter(fleet, id)
  async function* walk() {
    for await (const rows of walkRows(database, id)) yield await report(rows)
  }
  return createResults(walk, {
    name: `the batch ${id}`,
    settle: 'A worker settles them: run `svc payouts work`',
    goOn:
      state === 'PAUSED'
        ? `Go on with it: \`svc payouts resume ${id}\``
        : `Follow it: \`svc payouts status ${id} --watch\``,
  })
}
