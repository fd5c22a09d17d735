// Reads the status of the fleet for `svc payouts status`, once or until a batch has ended.
import type {ServiceTraits} from '../../profiles/service-traits.ts'
import {setTimeout as sleep} from 'node:timers/promises'
import {SvcError} from '../../errors.ts'
import {formatClock} from '../../values/time.ts'
import {startLiveLine} from '../../cli/output/live-line.ts'
import {canShowLiveLine} from '../../cli/output/streams.ts'
import {buildBatchError} from './batch-result.ts'
import {renderProgress} from './batch-view.ts'
import {findBatch, listBatches} from './batch.ts'
import {withFleet} from './open-fleet.ts'
import {readPace} from '../work/pace.ts'
import {
  type BatchStatus,
  type BatchSummary,
  type PaceStatus,
  type WorkerStatus,
  describePace,
  describeWorker,
  readBatchStatus,
  summarizeBatch,
} from './status.ts'
import {listWorkers} from '../work/worker-registry.ts'

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
