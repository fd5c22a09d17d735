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
  payRow: (row: BatchRow, job: RowJob) => Promise<RowOutcome>
  // Called at the start, about every half minute, and before an idle end, to repair what was left by others.
  sweep: (batches: readonly Batch[]) => Promise<void>
  onBatchEnded: (batchId: string) => void
}

const pollMs = 500
const refreshEveryMs = 1_000
const sweepEveryMs = 20_000
const errorPauseMs = 1_000
// How many rows may be under way for each that can be paid at once.
const unrecordedFactor = 4

// The batches that can be worked on, read again every second.
interface View {
  readAtMs: number
  batches: readonly Batch[]
  pace: Pace
}

const hasOpenRows = (batch: Batch) => countRows(batch, openRowStates) > 0

// Rows that a worker had taken when their batch was cancelled.
const hasUnfinishedRows = (batch: Batch) => batch.state === 'CANCELLED' && countRows(batch, ['WAITING']) > 0

// Nothing is left to do soon: every open row is unknown.
const isIdle = ({batches}: View) =>
  !batches.some((batch) => hasUnfinishedRows(batch) || (batch.state === 'ACTIVE' && countRows(batch, ['WAITING']) > 0))

// Writes what has become of rows to the database, many at a time, together with what becomes of their jobs.
interface RowRecord {
  job: RowJob
  // Absent if nothing happened to the row.
  change?: RowChange
  // When the row is tried again.
  delayMs?: number | undefined
}

const recordDelayMs = 40
const recordsMax = 200
const retryMs = 1_000

type RecorderSettings = Pick<Worker, 'boss' | 'database' | 'serviceId'> & {log: Pick<WorkLog, 'problem'>}

interface Pending {
  record: RowRecord
  resolve: () => void
}

export class Recorder {
  readonly #worker: RecorderSettings
  #pending: Pending[] = []
  #isRecording = false
  #isClosed = false

  constructor(worker: RecorderSettings) {
    this.#worker = worker
  }

  // Resolves when it is written. It waits for a database that is away.
  add(record: RowRecord): Promise<void> {
    return new Promise((resolve) => {
      this.#pending.push({record, resolve})
      if (!this.#isRecording) void this.#record()
    })
  }

  // Gives up what could not be written; the jobs come back by themselves.
  close(): void {
    this.#isClosed = true
    for (const {resolve} of this.#pending) resolve()
  }

  async #record(): Promise<void> {
    this.#isRecording = true
    await sleep(recordDelayMs)
    while (this.#pending.length > 0 && !this.#isClosed) {
      const batch = this.#pending.slice(0, recordsMax)
      try {
        await this.#write(batch.map(({record}) => record))
        this.#pending = this.#pending.slice(batch.length)
        for (const {resolve} of batch) resolve()
      } catch (error) {
        this.#worker.log.problem('a result could not be written yet', error)
        await sleep(retryMs)
      }
    }
    this.#isRecording = false
  }

  async #write(records: readonly RowRecord[]): Promise<void> {
    const {boss, database} = this.#worker
    const jobs = records.map(({job}) => job)
    const changes = records.flatMap(({change}) => change ?? [])
    const again = records.filter(({delayMs}) => delayMs !== undefined)
    const byQueue = Map.groupBy(again, (record) => this.#chooseQueue(record))
    await database.transact(
      async (query) => {
        await removeJobs(boss, query, jobs)
        await recordChanges(query, changes)
        for (const [queue, own] of byQueue) {
          const delayed = own.map(({job, delayMs}) => ({...job, delayMs: delayMs ?? 0}))
          await addJobs(boss, query, queue, delayed)
        }
      },
      {isRepeatable: true},
    )
  }

  // Unknown rows are in the queue for them; others go back to the queue of their batch. A row that was not tried stays where it was.
  #chooseQueue({change, job}: RowRecord): string {
    if (!change) return job.queue
    return change.state === 'UNKNOWN' ? getSettleQueue(this.#worker.serviceId) : getBatchQueue(job.batchId)
  }
}

interface WorkEnd {
  // Why the worker stopped by itself, if something is wrong with it.
  failure?: SvcError | undefined
}

export const runWorker = (worker: Worker): Promise<WorkEnd> => new WorkLoop(worker).run()

class WorkLoop {
  readonly #worker: Worker
  readonly #recorder: Recorder
  // The jobs that this worker has. Those that are ready have not been begun, and those of other rows are paid or recorded.
  readonly #inFlight = new Map<string, RowJob>()
  #ready: RowJob[] = []
  #paying = 0
  #settleLookedAtMs = Number.NEGATIVE_INFINITY
  #view: View | undefined
  #sweptAtMs = Number.NEGATIVE_INFINITY
  // Whether nothing was taken since the last sweep.
  #isSwept = false
  #turn = 0
  #fatal: SvcError | undefined
  #wake = () => {}

  constructor(worker: Worker) {
    this.#worker = worker
    this.#recorder = new Recorder(worker)
  }

  async run(): Promise<WorkEnd> {
    const {boss, halt, log} = this.#worker
    const touching = setInterval(() => {
      if (this.#inFlight.size === 0) return
      touchJobs(boss, [...this.#inFlight.values()]).catch((error: unknown) =>
        log.problem('the jobs could not be kept', error),
      )
    }, touchEveryMs)
    try {
      while (halt.reason === undefined) {
        try {
          if (await this.#goOn()) break
        } catch (error) {
          log.problem('the database does not answer as it should', error)
          await this.#waitForChange(errorPauseMs)
        }
      }
      this.#giveBackReady()
      // #waitForChange() ends at once when the worker is stopped, so calling it here in a loop would leave no time for the rows.
      while (this.#inFlight.size > 0) await this.#waitForRow()
      return {failure: this.#fatal}
    } finally {
      clearInterval(touching)
      this.#recorder.close()
    }
  }

  // Starts as many rows as there is room for. True if nothing is left to do.
  async #goOn(): Promise<boolean> {
    const {concurrency, isUntilIdle} = this.#worker
    const current = await this.#refresh()
    // What was paid and is not recorded yet is bounded, too.
    const isBehind = this.#inFlight.size - this.#ready.length >= concurrency * unrecordedFactor
    const free = isBehind ? 0 : concurrency - this.#paying
    const waitMs = free > this.#ready.length ? await this.#takeMore(current, free) : pollMs
    const jobs = this.#ready.splice(0, free)
    if (jobs.length > 0) {
      this.#isSwept = false
      await this.#startJobs(jobs)
    } else if (isUntilIdle && this.#inFlight.size === 0) {
      const end = await this.#checkIdle()
      if (end !== 'busy') return end === 'idle'
    }
    if (jobs.length === 0 || isBehind || this.#paying >= concurrency) await this.#waitForChange(waitMs)
    return false
  }

  // As many as can be paid at once, so that the queue is not asked for each row, unless the pace is limited. Returns when to ask again.
  async #takeMore(current: View, free: number): Promise<number> {
    const {jobs, waitMs} = await this.#takePaced(current, isLimited(current.pace) ? free : this.#worker.concurrency)
    for (const job of jobs) this.#inFlight.set(job.id, job)
    this.#ready.push(...jobs)
    return waitMs
  }

  // What was taken and not begun goes back at once.
  #giveBackReady(): void {
    for (const job of this.#ready.splice(0)) {
      void this.#recorder.add({job, delayMs: 0}).finally(() => {
        this.#inFlight.delete(job.id)
        this.#wake()
      })
    }
  }

  // What others left is looked for once more before the end, which may give this worker something to do.
  async #checkIdle(): Promise<'busy' | 'swept' | 'idle'> {
    if (!isIdle(await this.#readAgain())) return 'busy'
    if (this.#isSwept) return 'idle'
    this.#sweptAtMs = Number.NEGATIVE_INFINITY
    await this.#readAgain()
    return 'swept'
  }

  async #refresh(): Promise<View> {
    const {database, serviceId, statistics, onBatchEnded, sweep} = this.#worker
    const before = this.#view
    const now = performance.now()
    if (before && now - before.readAtMs < refreshEveryMs) return before
    const [batches, pace] = [await listOpenBatches(database, serviceId), await readPace(database, serviceId)]
    const ended = before?.batches.filter(({id}) => !batches.some((batch) => batch.id === id)) ?? []
    for (const {id} of ended) onBatchEnded(id)
    const view = {readAtMs: now, batches, pace}
    this.#view = view
    statistics.contactMs = now
    if (now - this.#sweptAtMs > sweepEveryMs) {
      this.#sweptAtMs = now
      await sweep(batches)
      this.#isSwept = true
      // A batch that had ended may be open again.
      view.readAtMs = Number.NEGATIVE_INFINITY
    }
    return view
  }

  #readAgain(): Promise<View> {
    if (this.#view) this.#view.readAtMs = Number.NEGATIVE_INFINITY
    return this.#refresh()
  }

  async #takePaced(current: View, free: number): Promise<{jobs: RowJob[]; waitMs: number}> {
    const {database, serviceId} = this.#worker
    if (!isLimited(current.pace)) return {jobs: await this.#takeFrom(current, free), waitMs: pollMs}
    const {granted, waitMs} = await takePermission(database, serviceId, free)
    if (granted === 0) return {jobs: [], waitMs: Math.min(Math.max(waitMs, 10), pollMs)}
    const jobs = await this.#takeFrom(current, granted)
    await returnPermission(database, serviceId, granted - jobs.length)
    return {jobs, waitMs: pollMs}
  }

  // What may have been paid comes first. Then each batch has its turn.
  async #takeFrom({batches}: View, count: number): Promise<RowJob[]> {
    const active = batches.filter(
      (batch) => (batch.state === 'ACTIVE' && hasOpenRows(batch)) || hasUnfinishedRows(batch),
    )
    const queues = active.map((_, index) => getBatchQueue(active[(this.#turn + index) % active.length]?.id ?? ''))
    this.#turn += 1
    const jobs: RowJob[] = []
    for (const queue of [...this.#listSettleQueues(), ...queues]) {
      if (jobs.length >= count) break
      jobs.push(...(await takeJobs(this.#worker.boss, queue, count - jobs.length)))
    }
    return jobs
  }

  #listSettleQueues(): string[] {
    const now = performance.now()
    if (now - this.#settleLookedAtMs < pollMs) return []
    this.#settleLookedAtMs = now
    return [getSettleQueue(this.#worker.serviceId)]
  }

  async #startJobs(jobs: readonly RowJob[]): Promise<void> {
    const {database, statistics, log} = this.#worker
    statistics.inFlight = () => this.#paying
    const rows = await loadRows(database, jobs).catch((error: unknown) => {
      for (const job of jobs) this.#inFlight.delete(job.id)
      throw error
    })
    for (const job of jobs) {
      const row = rows.find(({batchId, line}) => batchId === job.batchId && line === job.line)
      this.#paying += 1
      this.#work(job, row).catch((error: unknown) => log.problem('a row could not be worked on', error))
    }
  }

  async #work(job: RowJob, row: BatchRow | undefined): Promise<void> {
    try {
      if (!row || !openRowStates.includes(row.state)) {
        this.#leavePlace()
        return await this.#recorder.add({job})
      }
      const startedMs = performance.now()
      // Its place is free for another row when it was paid, and its job is kept until that is recorded.
      const outcome = await this.#worker.payRow(row, job).finally(() => this.#leavePlace())
      await this.#record(job, row, outcome, startedMs)
    } finally {
      this.#inFlight.delete(job.id)
      this.#wake()
    }
  }

  #leavePlace(): void {
    this.#paying -= 1
    this.#wake()
  }

  async #record(job: RowJob, row: BatchRow, outcome: RowOutcome, startedMs: number): Promise<void> {
    const {halt, delays, statistics, log} = this.#worker
    if (isFatal(outcome.failure)) {
      this.#fatal ??= outcome.failure
      halt.stop('credential')
      return this.#recorder.add({job, delayMs: 0})
    }
    const {state, result, delayMs} = decideRow(row, outcome, delays)
    const tookMs = performance.now() - startedMs
    const change = state && {batchId: row.batchId, line: row.line, state, result}
    await this.#recorder.add({job, ...(change && {change}), ...(delayMs !== undefined && {delayMs})})
    if (delayMs === undefined) statistics.addEnded()
    else statistics.addRetry()
    log.row(row, {state: state ?? row.state, result, delayMs, tookMs})
  }

  #waitForRow(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve))
  }

  async #waitForChange(ms: number): Promise<void> {
    const pause = sleep(ms, undefined, {signal: this.#worker.halt.signal}).catch(() => {})
    await Promise.race([pause, this.#waitForRow()])
  }
}
