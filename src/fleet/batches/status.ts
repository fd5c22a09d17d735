// What `svc payouts status` shows: the batches, how far they are, who works, and what needs attention.
import {setTimeout as sleep} from 'node:timers/promises'
import {formatClock} from '../../values/time.ts'
import {startLiveLine} from '../../cli/output/live-line.ts'
import {canShowLiveLine} from '../../cli/output/streams.ts'
import {SvcError} from '../../errors.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {type Pace, readPace} from '../work/pace.ts'
import {type WorkerInfo, listWorkers} from '../work/worker-registry.ts'
import {buildBatchError, toPayoutResult} from './batch-result.ts'
import {type BatchStatus, type BatchSummary, type PaceStatus, type WorkerStatus, renderProgress} from './batch-view.ts'
import {
  type Batch,
  type BatchRow,
  type BatchRowState,
  countRows,
  findBatch,
  listBatches,
  listNotableRows,
} from './batch.ts'
import {withFleet} from './open-fleet.ts'

const failedStates: readonly BatchRowState[] = ['ENDED_BADLY', 'STOPPED', 'REJECTED', 'FAILED']

export const summarizeBatch = (batch: Batch): BatchSummary => ({
  id: batch.id,
  name: batch.name,
  state: batch.state,
  rows: batch.rowCount,
  made: countRows(batch, ['CREATED']),
  waiting: countRows(batch, ['WAITING']),
  unknown: countRows(batch, ['UNKNOWN']),
  failed: countRows(batch, failedStates),
  cancelled: countRows(batch, ['CANCELLED']),
  submittedAt: batch.createdAt.toISOString(),
  ...(batch.endedAt && {endedAt: batch.endedAt.toISOString()}),
})

const round = (value: number) => Math.round(value * 10) / 10

const describeWorker = (worker: WorkerInfo): WorkerStatus => ({
  host: worker.host,
  pid: worker.pid,
  version: worker.version,
  startedAt: worker.startedAt.toISOString(),
  inFlight: worker.inFlight,
  concurrency: worker.concurrency,
  rowsPerSecond: round(worker.rowsPerSecond),
  state: worker.isStopping ? 'STOPPING' : 'WORKING',
})

const describePace = ({rateMax, slowRate, waitMs}: Pace): PaceStatus => ({
  ...(rateMax !== undefined && {rateMax}),
  ...(slowRate !== undefined && {slowedTo: round(slowRate)}),
  ...(waitMs > 0 && {waitSeconds: Math.ceil(waitMs / 1000)}),
})

const attentionMax = 20

async function readBatchStatus(database: PostgresDatabase, batch: Batch): Promise<BatchStatus> {
  const [notable, workers, pace] = await Promise.all([
    listNotableRows(database, batch.id, attentionMax),
    listWorkers(database, batch.serviceId),
    readPace(database, batch.serviceId),
  ])
  const summary = summarizeBatch(batch)
  const rowsPerSecond = round(workers.reduce((sum, worker) => sum + worker.rowsPerSecond, 0))
  const isPaying = batch.state === 'ACTIVE' && summary.waiting > 0 && rowsPerSecond > 0
  return {
    ...summary,
    digest: batch.digest,
    rowsPerSecond,
    ...(isPaying && {secondsLeft: Math.ceil(summary.waiting / rowsPerSecond)}),
    attention: notable.map((row: BatchRow) => toPayoutResult(row)),
    workers: workers.map(describeWorker),
    pace: describePace(pace),
  }
}

export interface FleetStatus {
  batches: BatchSummary[]
  workers: WorkerStatus[]
  pace: PaceStatus
}

export const listStatus = ({serviceId, journal}: ServiceTraits, limit: number): Promise<FleetStatus> =>
  withFleet(journal, async ({database}) => {
    const [batches, workers, pace] = await Promise.all([
      listBatches(database, serviceId, limit),
      listWorkers(database, serviceId),
      readPace(database, serviceId),
    ])
    return {batches: batches.map(summarizeBatch), workers: workers.map(describeWorker), pace: describePace(pace)}
  })

export interface ShownStatus {
  status: BatchStatus
  failure?: SvcError | undefined
}

export const showStatus = ({serviceId, journal}: ServiceTraits, reference: string): Promise<ShownStatus> =>
  withFleet(journal, async ({database}) => ({
    status: await readBatchStatus(database, await findBatch(database, serviceId, reference)),
  }))

export interface WatchSettings {
  timeoutMs: number | undefined
  isQuiet: boolean
  notice(text: string): void
}

const watchEveryMs = 1_000
const lineEveryMs = 30_000

function describeProgress(status: BatchStatus | undefined): string {
  if (!status) return 'Reading the batch'
  const {rowsPerSecond, secondsLeft, state} = status
  const left = secondsLeft === undefined ? '' : `, ${formatClock(secondsLeft * 1000)} left`
  return `${state === 'ACTIVE' ? '' : `${state}: `}${renderProgress(status)}, ${rowsPerSecond}/s${left}`
}

const stillPending = ({id}: BatchStatus) =>
  new SvcError({
    error: 'PENDING',
    kind: 'pending',
    message: `The batch ${id} has not ended within --timeout`,
    hint: `Go on watching: svc payouts status ${id} --watch`,
  })

export const watchStatus = (
  {serviceId, journal}: ServiceTraits,
  reference: string,
  settings: WatchSettings,
): Promise<ShownStatus> =>
  withFleet(journal, async ({database}) => {
    const endsAt = performance.now() + (settings.timeoutMs ?? Number.POSITIVE_INFINITY)
    const {id} = await findBatch(database, serviceId, reference)
    let status: BatchStatus | undefined
    const live = canShowLiveLine() && !settings.isQuiet ? startLiveLine(() => describeProgress(status)) : undefined
    let saidMs = performance.now()
    try {
      for (;;) {
        const batch = await findBatch(database, serviceId, id)
        status = await readBatchStatus(database, batch)
        if (batch.endedAt) return {status, failure: buildBatchError([batch])}
        if (performance.now() >= endsAt) return {status, failure: stillPending(status)}
        live?.refresh()
        if (!live && performance.now() - saidMs >= lineEveryMs) {
          saidMs = performance.now()
          settings.notice(`${describeProgress(status)}.`)
        }
        await sleep(Math.min(watchEveryMs, Math.max(0, endsAt - performance.now())))
      }
    } finally {
      live?.end()
    }
  })
