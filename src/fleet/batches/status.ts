// What `svc payouts status` shows: the batches, how far they are, who works, and what needs attention.
import type {PayoutResult} from '../../payouts/run/result.ts'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {type BatchRow, listNotableRows} from './batch-rows.ts'
import {type Batch, type BatchRowState, type BatchState, countRows} from './batch.ts'
import {type Pace, readPace} from '../work/pace.ts'
import {toPayoutResult} from './batch-result.ts'
import {type WorkerInfo, listWorkers} from '../work/worker-registry.ts'

export interface BatchSummary {
  id: string
  name: string
  state: BatchState
  rows: number
  made: number
  waiting: number
  unknown: number
  failed: number
  cancelled: number
  submittedAt: string
  endedAt?: string
}

export interface BatchStatus extends BatchSummary {
  digest: string
  // Rows a second of all workers of the service.
  rowsPerSecond: number
  // Only while rows are being paid.
  secondsLeft?: number
  attention: PayoutResult[]
  workers: WorkerStatus[]
  pace: PaceStatus
}

export interface WorkerStatus {
  host: string
  pid: number
  version: string
  startedAt: string
  inFlight: number
  concurrency: number
  rowsPerSecond: number
  state: 'WORKING' | 'STOPPING'
}

export interface PaceStatus {
  rateMax?: number
  slowedTo?: number
  waitSeconds?: number
}

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

export const describeWorker = (worker: WorkerInfo): WorkerStatus => ({
  host: worker.host,
  pid: worker.pid,
  version: worker.version,
  startedAt: worker.startedAt.toISOString(),
  inFlight: worker.inFlight,
  concurrency: worker.concurrency,
  rowsPerSecond: round(worker.rowsPerSecond),
  state: worker.isStopping ? 'STOPPING' : 'WORKING',
})

export const describePace = ({rateMax, slowRate, waitMs}: Pace): PaceStatus => ({
  ...(rateMax !== undefined && {rateMax}),
  ...(slowRate !== undefined && {slowedTo: round(slowRate)}),
  ...(waitMs > 0 && {waitSeconds: Math.ceil(waitMs / 1000)}),
})

const attentionMax = 20

export async function readBatchStatus(database: PostgresDatabase, batch: Batch): Promise<BatchStatus> {
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
