// What `svc payouts status` shows: the batches, how far they are, who works, and what needs attention.
import {setTimeout as sleep} from 'node:timers/promises'
import {formatClock} from '../../values/time.ts'
import {startLiveLine} from '../../cli/output/live-line.ts'
import {canShowLiveLine} from '../../cli/output/streams.ts'
import {SvcError} from '../../errors.ts'
import {failedStates} from '../../payouts/run/row-states.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import type {FleetState} from '../../web/console/source.ts'
import {type Pace, readPace} from '../work/pace.ts'
import {type WorkerInfo, listWorkers} from '../work/worker-registry.ts'
import {buildBatchError} from './batch-result.ts'
import {type BatchStatus, type BatchSummary, type PaceStatus, type WorkerStatus, renderProgress} from './batch-view.ts'
import {type Batch, countRows, findBatch, listBatches, listNotableRows, listOpenBatches} from './batch.ts'
import {
  type FleetReader,
  correctCounts,
  createRowReporter,
  readCounts,
  reportBatch,
  reportBatches,
  withFleetReader,
} from './report-rows.ts'

export const summarizeBatch = (batch: Batch): BatchSummary => ({
  id: batch.id,
  name: batch.name,
  state: batch.state,
  rows: batch.rowCount,
  made: countRows(batch, ['CREATED']),
  waiting: countRows(batch, ['WAITING']),
  inFlight: countRows(batch, ['IN_PROGRESS']),
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

async function readBatchStatus(fleet: FleetReader, batch: Batch): Promise<BatchStatus> {
  const {database} = fleet
  const [notable, workers, pace, {countsByBatch, corrections}, report] = await Promise.all([
    listNotableRows(database, batch.id, attentionMax),
    listWorkers(database, batch.serviceId),
    readPace(database, batch.serviceId),
    readCounts(fleet, [batch.id]),
    createRowReporter(fleet, batch.id),
  ])
  const counts = correctCounts(countsByBatch.get(batch.id) ?? batch.counts, corrections)
  const summary = summarizeBatch({...batch, counts})
  const corrected = corrections.map(({result}) => result).filter(({state}) => state !== 'IN_PROGRESS')
  const correctedKeys = new Set(corrected.map(({key}) => key))
  const written = (await report(notable)).filter(({key}) => !correctedKeys.has(key))
  const attention = [...written, ...corrected].filter(({state}) => state !== 'CREATED').slice(0, attentionMax)
  const rowsPerSecond = round(workers.reduce((sum, worker) => sum + worker.rowsPerSecond, 0))
  const isPaying = batch.state === 'ACTIVE' && summary.waiting > 0 && rowsPerSecond > 0
  return {
    ...summary,
    digest: batch.digest,
    rowsPerSecond,
    ...(isPaying && {secondsLeft: Math.ceil(summary.waiting / rowsPerSecond)}),
    attention: attention.toSorted((one, other) => one.line - other.line),
    workers: workers.map(describeWorker),
    pace: describePace(pace),
  }
}

export interface FleetStatus {
  batches: BatchSummary[]
  workers: WorkerStatus[]
  pace: PaceStatus
}

export const listStatus = (traits: ServiceTraits, limit: number): Promise<FleetStatus> =>
  withFleetReader(traits, async (fleet) => {
    const {database, serviceId} = fleet
    const [batches, workers, pace] = await Promise.all([
      listBatches(database, serviceId, limit).then((written) => reportBatches(fleet, written)),
      listWorkers(database, serviceId),
      readPace(database, serviceId),
    ])
    return {batches: batches.map(summarizeBatch), workers: workers.map(describeWorker), pace: describePace(pace)}
  })

// For those who look in the morning: whether anybody works, and what waits. Undefined if nobody works and nothing waits.
export const readFleetState = (traits: Pick<ServiceTraits, 'serviceId' | 'journal'>): Promise<FleetState | undefined> =>
  withFleetReader(traits, async (fleet) => {
    const {database, serviceId} = fleet
    const [open, workers] = await Promise.all([
      listOpenBatches(database, serviceId).then((written) => reportBatches(fleet, written)),
      listWorkers(database, serviceId),
    ])
    if (open.length === 0 && workers.length === 0) return undefined
    const batches = open.map(summarizeBatch)
    const isWaiting = ({state, waiting}: BatchSummary) => state === 'ACTIVE' && waiting > 0
    const sum = (name: 'inFlight' | 'unknown') => batches.reduce((total, batch) => total + batch[name], 0)
    return {
      workers: workers.length,
      waiting: batches.filter(isWaiting).reduce((total, {waiting}) => total + waiting, 0),
      inFlight: sum('inFlight'),
      unknown: sum('unknown'),
      paused: batches
        .filter(({state}) => state === 'PAUSED')
        .map(({id, name, waiting, submittedAt}) => ({id, name, waiting, submittedAt})),
      oldestAt: batches.find(isWaiting)?.submittedAt,
    }
  })

export interface ShownStatus {
  status: BatchStatus
  failure?: SvcError | undefined
}

export const showStatus = (traits: ServiceTraits, reference: string): Promise<ShownStatus> =>
  withFleetReader(traits, async (fleet) => ({
    status: await readBatchStatus(fleet, await findBatch(fleet.database, traits.serviceId, reference)),
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
    hint: `Go on watching: \`svc payouts status ${id} --watch\``,
  })

export const watchStatus = (traits: ServiceTraits, reference: string, settings: WatchSettings): Promise<ShownStatus> =>
  withFleetReader(traits, async (fleet) => {
    const {database, serviceId} = fleet
    const endsAt = performance.now() + (settings.timeoutMs ?? Number.POSITIVE_INFINITY)
    const {id} = await findBatch(database, serviceId, reference)
    let status: BatchStatus | undefined
    const live = canShowLiveLine() && !settings.isQuiet ? startLiveLine(() => describeProgress(status)) : undefined
    let saidMs = performance.now()
    try {
      for (;;) {
        const batch = await findBatch(database, serviceId, id)
        status = await readBatchStatus(fleet, batch)
        if (batch.endedAt) return {status, failure: buildBatchError([await reportBatch(fleet, batch)])}
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
