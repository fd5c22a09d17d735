// A worker of the fleet: takes jobs, pays their rows, and writes what has become of them, until it is stopped or nothing is left.
import {setTimeout as sleep} from 'node:timers/promises'
import type {PgBoss} from 'pg-boss'
import {SvcError} from '../../errors.ts'
import type {Halt} from '../../payouts/run/halt.ts'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {
  type Batch,
  type BatchRow,
  type RowChange,
  countBlockedRows,
  countRows,
  listOpenBatches,
  loadRows,
  openRowStates,
  recordChanges,
} from '../batches/batch.ts'
import {
  type RowJob,
  addJobs,
  getBatchQueue,
  getSettleQueue,
  removeJobs,
  takeJobs,
  touchEveryMs,
  touchJobs,
} from '../batches/queue.ts'
import {type Pace, isLimited, readPace, returnPermission, takePermission} from './pace.ts'
import {type RetryDelays, type RowOutcome, decideRow, isFatal} from './fleet-payer.ts'
import type {WorkLog, WorkStatistics} from './work-log.ts'

interface Worker {
  boss: PgBoss
  database: PostgresDatabase
  serviceId: string
  concurrency: number
  isUntilIdle: boolean
  halt: Halt
  delays: RetryDelays
  log: WorkLog
  statistics: WorkStatistics
  // Pays one row, or settles it if its batch is not active.
  payRow(row: BatchRow, job: RowJob): Promise<RowOutcome>
  // Called about every half minute, to repair what was left by others.
  sweep(batches: readonly Batch[]): Promise<void>
  onBatchEnded(batchId: string): void
}

const pollMs = 500
const refreshEveryMs = 1_000
const sweepEveryMs = 20_000
const errorPauseMs = 1_000

// The batches that can be worked on, read again every second.
interface View {
  readAtMs: number
  batches: readonly Batch[]
  pace: Pace
}

const hasOpenRows = (batch: Batch) => countRows(batch, openRowStates) > 0

// Nothing is left to do soon: every open row is unknown, or waits for one that is.
async function isIdle({batches}: View, database: PostgresDatabase): Promise<boolean> {
  const waiting = batches.filter((batch) => batch.state === 'ACTIVE' && countRows(batch, ['WAITING']) > 0)
  if (waiting.length === 0) return true
  const blocked = await countBlockedRows(
    database,
    waiting.map(({id}) => id),
  )
  return waiting.reduce((sum, batch) => sum + countRows(batch, ['WAITING']), 0) === blocked
}

interface WorkEnd {
  // Why the worker stopped by itself, if something is wrong with it.
  failure?: SvcError | undefined
}

export async function runWorker(worker: Worker): Promise<WorkEnd> {
  const {boss, database, serviceId, concurrency, halt, log, statistics} = worker
  const settleQueue = getSettleQueue(serviceId)
  const inFlight = new Map<string, RowJob>()
  const recorder = createRecorder(boss, database, serviceId, (error) =>
    log.problem('a result could not be written yet', error),
  )
  let view: View | undefined
  let sweptAtMs = 0
  let turn = 0
  let fatal: SvcError | undefined
  let wake = () => {}

  async function refresh(): Promise<View> {
    const now = performance.now()
    if (view && now - view.readAtMs < refreshEveryMs) return view
    const [batches, pace] = [await listOpenBatches(database, serviceId), await readPace(database, serviceId)]
    const ended = view?.batches.filter(({id}) => !batches.some((batch) => batch.id === id)) ?? []
    for (const {id} of ended) worker.onBatchEnded(id)
    view = {readAtMs: now, batches, pace}
    statistics.contactMs = now
    if (now - sweptAtMs > sweepEveryMs) {
      sweptAtMs = now
      await worker.sweep(batches)
    }
    return view
  }

  // What may have been paid comes first. Then each batch has its turn.
  async function takeFrom({batches}: View, count: number): Promise<RowJob[]> {
    const active = batches.filter((batch) => batch.state === 'ACTIVE' && hasOpenRows(batch))
    const queues = active.map((_, index) => getBatchQueue(active[(turn + index) % active.length]?.id ?? ''))
    turn += 1
    const jobs: RowJob[] = []
    for (const queue of [settleQueue, ...queues]) {
      if (jobs.length >= count) break
      jobs.push(...(await takeJobs(boss, queue, count - jobs.length)))
    }
    return jobs
  }

  async function takePaced(current: View, free: number): Promise<{jobs: RowJob[]; waitMs: number}> {
    if (!isLimited(current.pace)) return {jobs: await takeFrom(current, free), waitMs: pollMs}
    const {granted, waitMs} = await takePermission(database, serviceId, free)
    if (granted === 0) return {jobs: [], waitMs: Math.min(Math.max(waitMs, 10), pollMs)}
    const jobs = await takeFrom(current, granted)
    await returnPermission(database, serviceId, granted - jobs.length)
    return {jobs, waitMs: pollMs}
  }

  async function work(job: RowJob, row: BatchRow | undefined): Promise<void> {
    try {
      if (!row || !openRowStates.includes(row.state)) return await recorder.add({job})
      const startedMs = performance.now()
      const outcome = await worker.payRow(row, job)
      if (isFatal(outcome.failure)) {
        fatal ??= outcome.failure
        halt.stop('credential')
        return await recorder.add({job, delayMs: 0})
      }
      const {state, result, delayMs} = decideRow(row, outcome, worker.delays)
      const change = state && {batchId: row.batchId, line: row.line, state, result}
      await recorder.add({job, ...(change && {change}), ...(delayMs !== undefined && {delayMs})})
      if (delayMs === undefined) statistics.addEnded()
      else statistics.addRetry()
      log.row(row, {state: state ?? row.state, result, delayMs, tookMs: performance.now() - startedMs})
    } finally {
      inFlight.delete(job.id)
      wake()
    }
  }

  async function startJobs(jobs: readonly RowJob[]): Promise<void> {
    for (const job of jobs) inFlight.set(job.id, job)
    statistics.inFlight = () => inFlight.size
    const rows = await loadRows(database, jobs).catch((error: unknown) => {
      for (const job of jobs) inFlight.delete(job.id)
      throw error
    })
    for (const job of jobs) {
      const row = rows.find(({batchId, line}) => batchId === job.batchId && line === job.line)
      work(job, row).catch((error: unknown) => log.problem('a row could not be worked on', error))
    }
  }

  const touching = setInterval(() => {
    if (inFlight.size === 0) return
    touchJobs(boss, [...inFlight.values()]).catch((error: unknown) => log.problem('the jobs could not be kept', error))
  }, touchEveryMs)

  const waitForRow = () => new Promise<void>((resolve) => (wake = resolve))

  const waitForChange = (ms: number) =>
    Promise.race([sleep(ms, undefined, {signal: halt.signal}).catch(() => {}), waitForRow()])

  try {
    while (halt.reason === undefined) {
      try {
        const current = await refresh()
        const free = concurrency - inFlight.size
        const {jobs, waitMs} = free > 0 ? await takePaced(current, free) : {jobs: [], waitMs: pollMs}
        if (jobs.length > 0) await startJobs(jobs)
        else if (worker.isUntilIdle && inFlight.size === 0 && (await isIdle(await readAgain(), database))) break
        if (jobs.length === 0 || inFlight.size >= concurrency) await waitForChange(waitMs)
      } catch (error) {
        log.problem('the database does not answer as it should', error)
        await waitForChange(errorPauseMs)
      }
    }
    // waitForChange() ends at once when the worker is stopped, so calling it here in a loop would leave no time for the rows.
    while (inFlight.size > 0) await waitForRow()
    return {failure: fatal}
  } finally {
    clearInterval(touching)
    recorder.close()
  }

  function readAgain(): Promise<View> {
    if (view) view.readAtMs = Number.NEGATIVE_INFINITY
    return refresh()
  }
}

// Writes what has become of rows to the database, many at a time, together with what becomes of their jobs.
interface RowRecord {
  job: RowJob
  // Absent if nothing happened to the row.
  change?: RowChange
  // When the row is tried again.
  delayMs?: number | undefined
}

const flushDelayMs = 40
const recordsMax = 200
const retryMs = 1_000

interface Recorder {
  // Resolves when it is written. It waits for a database that is away.
  add(record: RowRecord): Promise<void>
  // Gives up what could not be written; the jobs come back by themselves.
  close(): void
}

interface Pending {
  record: RowRecord
  resolve: () => void
}

export function createRecorder(
  boss: PgBoss,
  database: PostgresDatabase,
  serviceId: string,
  onError: (error: unknown) => void,
): Recorder {
  let pending: Pending[] = []
  let flushing: Promise<void> | undefined
  const state = {isClosed: false}
  const settleQueue = getSettleQueue(serviceId)

  // Unknown rows are in the queue for them; others go back to the queue of their batch. A row that was not tried stays where it was.
  function chooseQueue({change, job}: RowRecord): string {
    if (!change) return job.queue
    return change.state === 'UNKNOWN' ? settleQueue : getBatchQueue(job.batchId)
  }

  async function write(records: readonly RowRecord[]): Promise<void> {
    await database.transact(
      async (query) => {
        await removeJobs(
          boss,
          query,
          records.map(({job}) => job),
        )
        await recordChanges(
          query,
          records.flatMap(({change}) => change ?? []),
        )
        const again = records.filter(({delayMs}) => delayMs !== undefined)
        for (const [queue, own] of Map.groupBy(again, chooseQueue)) {
          await addJobs(
            boss,
            query,
            queue,
            own.map(({job, delayMs}) => ({...job, delayMs: delayMs ?? 0})),
          )
        }
      },
      {isRepeatable: true},
    )
  }

  async function flush(): Promise<void> {
    await sleep(flushDelayMs)
    while (pending.length > 0 && !state.isClosed) {
      const batch = pending.slice(0, recordsMax)
      try {
        await write(batch.map(({record}) => record))
        pending = pending.slice(batch.length)
        for (const {resolve} of batch) resolve()
      } catch (error) {
        onError(error)
        await sleep(retryMs)
      }
    }
    flushing = undefined
  }

  return {
    add(record) {
      return new Promise((resolve) => {
        pending.push({record, resolve})
        flushing ??= flush()
      })
    },
    close() {
      state.isClosed = true
      for (const {resolve} of pending) resolve()
    },
  }
}
