// A worker of the fleet: takes rows, pays them, and writes what has become of them, until it is stopped or nothing is left.
import {setTimeout as sleep} from 'node:timers/promises'
import type {PgBoss} from 'pg-boss'
import type {SvcError} from '../errors.ts'
import type {Halt} from '../payouts/run/halt.ts'
import {hasTransaction} from '../payouts/run/row-states.ts'
import type {PostgresDatabase} from '../storage/postgres/database.ts'
import {type BatchRow, type OpenBatch, loadRows, recordHeard, reopenBatches} from './batches.ts'
import {type RowDecision, type RowOutcome, decideRow, isFatal, isTemporary} from './pay-job.ts'
import {type RowJob, createQueue, endJobs, putOffJobs, takeJobs, touchEveryMs, touchJobs} from './queue.ts'
import {finishBatches, removeEndedQueues, settleUnsettled} from './sweep.ts'
import {type WorkLog, describeError} from './work-log.ts'

// What a worker counts, for its metrics and its health.
export class WorkStatistics {
  inFlight = 0
  // When the database was last heard of, on the clock of performance.now().
  contactMs = performance.now()
  retries = 0
  readonly endedByState = new Map<string, number>()

  addEnded(state: string): void {
    this.endedByState.set(state, (this.endedByState.get(state) ?? 0) + 1)
  }
}

export interface Worker {
  boss: PgBoss
  database: PostgresDatabase
  serviceId: string
  concurrency: number
  isUntilIdle: boolean
  halt: Halt
  log: WorkLog
  statistics: WorkStatistics
  // Pays one row, or settles it if its batch is not active.
  payRow: (row: BatchRow, job: RowJob) => Promise<RowOutcome>
  onBatchEnded: (batchId: string) => void
}

// What is written of a row: what is kept of it besides its payment, and when it comes back, unless it has ended.
type RowRecord = Pick<RowDecision, 'heard' | 'again'> & {job: RowJob}

const recordDelayMs = 100
const recordsMax = 500
const retryMs = 1_000

// Writes what has become of rows to the database, many at a time, together with what becomes of their jobs.
export class Recorder {
  readonly #worker: Pick<Worker, 'boss' | 'database' | 'log'>
  #pending: Array<{record: RowRecord; resolve: () => void}> = []
  #isRecording = false
  #isClosed = false

  constructor(worker: Pick<Worker, 'boss' | 'database' | 'log'>) {
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
    while (!this.#isClosed) {
      await sleep(recordDelayMs)
      const written = this.#pending.slice(0, recordsMax)
      if (written.length === 0) break
      try {
        await this.#write(written.map(({record}) => record))
        this.#pending = this.#pending.slice(written.length)
        for (const {resolve} of written) resolve()
      } catch (error) {
        this.#worker.log('warn', 'Trying again: a result could not be written yet', describeError(error))
        await sleep(retryMs)
      }
    }
    this.#isRecording = false
  }

  async #write(records: readonly RowRecord[]): Promise<void> {
    const {boss, database} = this.#worker
    const ended = records.filter(({again}) => !again).map(({job}) => job)
    const putOff = records.flatMap(({job, again}) => (again ? [{...job, ...again}] : []))
    const heard = records.flatMap(({job, heard: own}) => (own === undefined ? [] : [{...job, heard: own}]))
    // The queue of a batch that had ended may be gone.
    for (const batchId of new Set(putOff.map((job) => job.batchId))) await createQueue(boss, batchId)
    await database.transact(
      async (query) => {
        await endJobs(boss, query, ended)
        if (heard.length > 0) await recordHeard(query, heard)
        if (putOff.length === 0) return
        await reopenBatches(query, putOff)
        await putOffJobs(boss, query, putOff)
      },
      {isRepeatable: true},
    )
  }
}

const pollMs = 500
const refreshEveryMs = 1_000
const sweepEveryMs = 20_000
const errorPauseMs = 1_000
// How many rows may wait to be recorded for each that can be paid at once.
const unrecordedFactor = 16
// After so many rows in a row that were not sent because the service failed, none is begun for a second, and each further time for
// twice as long, at most for a minute (docs/assumptions.md, P15).
const failuresMax = 6
const restMaxMs = 60_000

interface TakenRow {
  job: RowJob
  // Absent if the batch has no such row any more.
  row: BatchRow | undefined
}

export class WorkLoop {
  // Those that were open while it worked.
  readonly batchIds = new Set<string>()
  readonly #worker: Worker
  readonly #recorder: Recorder
  // The jobs that this worker has: not begun yet, being paid, or not recorded yet.
  readonly #jobs = new Set<RowJob>()
  #ready: TakenRow[] = []
  #batches: readonly OpenBatch[] = []
  #readAtMs = Number.NEGATIVE_INFINITY
  #sweptAtMs = Number.NEGATIVE_INFINITY
  // Whether nothing was begun since the last sweep.
  #isSwept = false
  #turn = 0
  #failures = 0
  #restMs = 0
  #restUntilMs = 0
  #fatal: SvcError | undefined
  #wake = () => {}

  constructor(worker: Worker) {
    this.#worker = worker
    this.#recorder = new Recorder(worker)
  }

  // Returns why the worker stopped by itself, if something is wrong with it.
  async run(): Promise<SvcError | undefined> {
    const {boss, halt, log} = this.#worker
    const touching = setInterval(() => {
      touchJobs(boss, [...this.#jobs]).catch((error: unknown) =>
        log('warn', 'Trying again: the jobs could not be kept', describeError(error)),
      )
    }, touchEveryMs)
    try {
      while (halt.reason === undefined) {
        try {
          if (await this.#goOn()) break
        } catch (error) {
          log('warn', 'Trying again: the database does not answer as it should', describeError(error))
          await this.#waitForChange(errorPauseMs)
        }
      }
      // What was taken and not begun goes back at once.
      for (const {job} of this.#ready.splice(0)) void this.#putBack(job)
      // #waitForChange() ends at once when the worker is stopped, so calling it here in a loop would leave no time for the rows.
      while (this.#jobs.size > 0) await this.#waitForRow()
      return this.#fatal
    } finally {
      clearInterval(touching)
      this.#recorder.close()
    }
  }

  // Begins as many rows as there is room for. True if nothing is left to do.
  async #goOn(): Promise<boolean> {
    await this.#refresh()
    const free = this.#countFree()
    if (free > this.#ready.length) await this.#takeMore()
    const begun = this.#ready.splice(0, free)
    for (const taken of begun) void this.#begin(taken)
    if (begun.length === 0 && this.#jobs.size === 0 && this.#worker.isUntilIdle && this.#isIdle()) return true
    if (begun.length === 0 || this.#countFree() === 0) await this.#waitForChange(pollMs)
    return false
  }

  // What was paid and is not recorded yet is bounded, too.
  #countFree(): number {
    const {concurrency, statistics} = this.#worker
    const unrecorded = this.#jobs.size - this.#ready.length - statistics.inFlight
    const isHeld = unrecorded >= concurrency * unrecordedFactor || performance.now() < this.#restUntilMs
    return isHeld ? 0 : concurrency - statistics.inFlight
  }

  // The open batches, read again every second. Those without jobs are brought to their end.
  async #refresh(): Promise<void> {
    const {boss, database, serviceId, statistics, onBatchEnded} = this.#worker
    const now = performance.now()
    if (now - this.#readAtMs < refreshEveryMs) return
    if (now - this.#sweptAtMs > sweepEveryMs) {
      await settleUnsettled(boss, database, serviceId)
      await removeEndedQueues(boss, database)
      this.#sweptAtMs = now
      this.#isSwept = true
    }
    const batches = await finishBatches(boss, database, serviceId, this.batchIds)
    for (const {id} of this.#batches) if (!batches.some((batch) => batch.id === id)) onBatchEnded(id)
    // A batch may have been paused or cancelled since its rows were taken.
    const states = new Map(batches.map(({id, state}) => [id, state]))
    for (const {row} of this.#ready) if (row) row.batchState = states.get(row.batchId) ?? row.batchState
    this.#batches = batches
    this.#readAtMs = now
    statistics.contactMs = now
  }

  // What others left is looked for once more before the end, which may give this worker something to do.
  #isIdle(): boolean {
    if (this.#isSwept) return !this.#batches.some(({state, hasUnpaid}) => hasUnpaid && state !== 'PAUSED')
    this.#readAtMs = Number.NEGATIVE_INFINITY
    this.#sweptAtMs = Number.NEGATIVE_INFINITY
    return false
  }

  // As many as can be paid at once, so that the queue is not asked for each row. Each batch has its turn.
  async #takeMore(): Promise<void> {
    const {boss, database, concurrency} = this.#worker
    const batches = this.#batches.filter(({hasJobs}) => hasJobs)
    this.#turn += 1
    for (let index = 0; index < batches.length && this.#ready.length < concurrency; index++) {
      const batch = batches[(this.#turn + index) % batches.length] as OpenBatch
      const jobs = await takeJobs(boss, batch, concurrency - this.#ready.length)
      if (jobs.length === 0) continue
      // Jobs whose rows cannot be read come back by themselves.
      const rows = await loadRows(database, batch.id, jobs)
      for (const job of jobs) {
        this.#jobs.add(job)
        this.#ready.push({job, row: rows.get(job.line)})
      }
    }
  }

  async #begin({job, row}: TakenRow): Promise<void> {
    this.#isSwept = false
    try {
      await (row ? this.#pay(job, row) : this.#record({job}))
    } catch (error) {
      // Its job comes back by itself.
      this.#jobs.delete(job)
      this.#worker.log('warn', 'A row could not be worked on', describeError(error))
    }
  }

  async #pay(job: RowJob, row: BatchRow): Promise<void> {
    const {statistics, payRow, halt, log} = this.#worker
    const beganMs = performance.now()
    statistics.inFlight += 1
    // Its place is free for another row when it was paid, and its job is kept until that is recorded.
    const outcome = await payRow(row, job).finally(() => {
      statistics.inFlight -= 1
      this.#wake()
    })
    this.#rest(outcome)
    if (isFatal(outcome.failure)) {
      this.#fatal ??= outcome.failure
      halt.stop('credential')
      return this.#putBack(job)
    }
    const {state, result, heard, again} = decideRow(row, job, outcome)
    // Nothing was kept of most rows that were made, and nothing is to be removed.
    await this.#record({job, again, heard: heard === null && !row.heard ? undefined : heard})
    if (again) statistics.retries += 1
    else statistics.addEnded(state)
    // One that waits may have been paid by another worker while this was recorded, so no state is said of it.
    const isWaiting = state === 'WAITING'
    log(hasTransaction(state) || isWaiting ? 'debug' : 'warn', 'row', {
      batch: row.batchId,
      line: row.line,
      key: row.key,
      ...(!isWaiting && {state}),
      ...(result.transaction !== undefined && {transaction: result.transaction}),
      ...(result.error && {error: result.error.error}),
      ...(again && {retryInMs: again.delayMs}),
      tookMs: Math.round(performance.now() - beganMs),
    })
  }

  #putBack = (job: RowJob) => this.#record({job, again: {...job, delayMs: 0}})

  async #record(record: RowRecord): Promise<void> {
    await this.#recorder.add(record)
    this.#jobs.delete(record.job)
    this.#wake()
  }

  // A service that keeps failing is left alone for a while, so that the rows do not use up their tries.
  #rest({failure}: RowOutcome): void {
    if (!isTemporary(failure)) {
      this.#failures = 0
      this.#restMs = 0
      return
    }
    this.#failures += 1
    if (this.#failures < failuresMax || performance.now() < this.#restUntilMs) return
    this.#restMs = Math.min(restMaxMs, Math.max(errorPauseMs, this.#restMs * 2))
    this.#restUntilMs = performance.now() + this.#restMs
    this.#worker.log('info', 'The service keeps failing, so no row is begun for a while', {pauseMs: this.#restMs})
  }

  #waitForRow(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve))
  }

  async #waitForChange(ms: number): Promise<void> {
    const pause = sleep(ms, undefined, {signal: this.#worker.halt.signal}).catch(() => {})
    await Promise.race([pause, this.#waitForRow()])
  }
}
