// What `svc payouts status` shows: the batches, how far they are, and what needs attention.
import fs from 'node:fs'
import {setTimeout as sleep} from 'node:timers/promises'
import {SvcError, badUsage} from '../errors.ts'
import {type ProgressSettings, showProgress} from '../payouts/run/progress.ts'
import {buildRowsError} from '../payouts/run/report-run.ts'
import type {ServiceTraits} from '../profiles/service.ts'
import {isDatabase} from '../storage/journal-address.ts'
import type {PostgresDatabase} from '../storage/postgres/database.ts'
import {svc} from '../values/text.ts'
import type {FleetState} from '../web/console/source.ts'
import {type PayoutStatus, renderProgress} from './batch-view.ts'
import {
  type Batch,
  type BatchSummary,
  type Counted,
  countRows,
  findBatch,
  listBatches,
  listBatchesById,
  listOpenBatches,
  readBatch,
  readNotable,
  summarizeBatch,
} from './batches.ts'
import {withFleet} from './open-fleet.ts'

type FleetTraits = Pick<ServiceTraits, 'serviceId' | 'journal'>

export const listStatus = ({journal, serviceId}: FleetTraits, limit: number): Promise<BatchSummary[]> =>
  withFleet(journal, async (database) => {
    const counted = await countRows(database, await listBatches(database, serviceId, limit))
    return counted.map(summarizeBatch)
  })

// For those who look in the morning: what waits, and whether anybody works. Undefined if nothing is open.
export const readFleetState = ({journal, serviceId}: FleetTraits): Promise<FleetState | undefined> =>
  withFleet(journal, async (database) => {
    const counted = await countRows(database, await listOpenBatches(database, serviceId))
    const batches = counted.map(summarizeBatch)
    if (batches.length === 0) return undefined
    const isWaiting = ({state, waiting}: BatchSummary) => state === 'ACTIVE' && waiting > 0
    return {
      waiting: batches.filter(isWaiting).reduce((total, {waiting}) => total + waiting, 0),
      inFlight: batches.reduce((total, {inFlight}) => total + inFlight, 0),
      paused: batches
        .filter(({state}) => state === 'PAUSED')
        .map(({id, name, waiting, submittedAt}) => ({id, name, waiting, submittedAt})),
      oldestAt: batches.find(isWaiting)?.submittedAt,
    }
  })

const isFile = (reference: string) => fs.statSync(reference, {throwIfNoEntry: false})?.isFile() ?? false

// Calls `work` with the batch that a person means, and returns undefined if it is a payout file of this machine. A batch is called
// like its file, and knows more of it than the journal does.
export async function withBatch<T>(
  {journal, serviceId}: FleetTraits,
  file: string,
  name: string,
  work: (database: PostgresDatabase, batch: Batch) => Promise<T>,
): Promise<T | undefined> {
  if (!isDatabase(journal)) {
    if (isFile(file)) return undefined
    const hint = 'Name a payout file; batches are those of a fleet, which needs a journal on PostgreSQL'
    throw badUsage(`There is no file ${file}`, hint)
  }
  return withFleet(journal, async (database) => {
    const batch = await findBatch(database, serviceId, name).catch((error: unknown) => {
      if (error instanceof SvcError && error.kind === 'notFound' && isFile(file)) return undefined
      throw error
    })
    return batch && work(database, batch)
  })
}

// The sentence and the hint about a batch whose rows have not all been made.
export function describeBatch({id, state, refusal}: Batch) {
  const resume = svc`payouts resume ${id}`
  const approve = refusal === 'NOT_APPROVED' ? `Have it approved with ${svc`approve ${id}`}, then go on` : 'Go on'
  return {
    name: `batch ${id}`,
    settle: `A worker settles them when their time has come: run ${svc`payouts work`} again`,
    retry: `See which: ${svc`payouts status ${id} --rows`}; ${svc`payouts resume ${id} --failed`} tries again what was not made`,
    goOn: state === 'PAUSED' ? `${approve} with it: ${resume}` : `Follow it: ${svc`payouts status ${id} --watch`}`,
    refusal,
  }
}

// What has become of the batches that a worker worked on.
export async function findBatchError(database: PostgresDatabase, serviceId: string, batchIds: readonly string[]) {
  const batches = await listBatchesById(database, serviceId, batchIds)
  return buildBatchError(await countRows(database, batches))
}

const buildBatchError = (batches: ReadonlyArray<Counted<Batch>>): SvcError | undefined =>
  buildRowsError(batches.map((batch) => ({...describeBatch(batch), counts: batch.counts})))

interface ShownStatus {
  status: PayoutStatus
  failure?: SvcError | undefined
}

// As it is now.
export async function readStatus(database: PostgresDatabase, batch: Batch): Promise<ShownStatus> {
  const counted = await readBatch(database, batch)
  const attention = await readNotable(database, counted)
  const status = {...summarizeBatch(counted), digest: batch.digest, attention}
  return {status, failure: buildBatchError([counted])}
}

const watchEveryMs = 1_000

const stillPending = (id: string) =>
  new SvcError({
    error: 'PENDING',
    kind: 'pending',
    message: `The batch ${id} has not ended within --timeout`,
    hint: `Go on watching: ${svc`payouts status ${id} --watch`}`,
  })

export interface WatchSettings extends ProgressSettings {
  timeoutMs: number | undefined
}

// Follows a batch until all of its rows have ended.
export async function watchStatus(
  database: PostgresDatabase,
  batch: Batch,
  settings: WatchSettings,
): Promise<ShownStatus> {
  const endsAt = performance.now() + (settings.timeoutMs ?? Number.POSITIVE_INFINITY)
  let status: PayoutStatus | undefined
  const countEnded = () => (status ? status.made + status.failed + status.cancelled : 0)
  const endProgress = showProgress(settings, batch.rows, countEnded, () =>
    status ? `${status.state}: ${renderProgress(status)}` : 'Reading the batch',
  )
  try {
    for (;;) {
      const beganMs = performance.now()
      const shown = await readStatus(database, batch)
      ;({status} = shown)
      if (status.endedAt !== undefined) return shown
      if (performance.now() >= endsAt) return {status, failure: stillPending(batch.id)}
      // A long batch, which takes seconds to count, is looked at less often.
      const pauseMs = Math.max(watchEveryMs, 5 * (performance.now() - beganMs))
      await sleep(Math.min(pauseMs, Math.max(0, endsAt - performance.now())))
    }
  } finally {
    endProgress()
  }
}
