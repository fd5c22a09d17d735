// A worker of the fleet: takes rows, pays them, and writes what has become of them, until it is stopped or nothing is left.
import {setTimeout as sleep} from 'node:timers/promises'
import type {PgBoss} from 'pg-boss'
import type {SvcError} from '../errors.ts'
import type {Halt} from '../payouts/run/halt.ts'
import {hasTransaction} from '../payouts/run/row-states.ts'
import type {PostgresDatabase} from '../storage/postgres/database.ts'
import {type BatchRow, type OpenBatch, loadRows, recordHeard, reopenBatches} from './batches.ts'
import {type RowDecision, type RowOutcome, type RowWorker, decideRow, isFatal, isTemporary} from './pay-job.ts'
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
  rows: Pick<RowWorker, 'payRow' | 'forgetBatch'>
}

// What is written of a row: what is kept of it besides its payment, and when it comes back, unless it has ended.
type RowRecord = Pick<RowDecision, 'heard' | 'again'> & {job: RowJob}

// Writes what has become of rows, together with what becomes of their jobs.
export async function recordRows(
  {boss, database}: Pick<Worker, 'boss' | 'database'>,
  records: readonly RowRecord[],
): Promise<void> {
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

const pollMs = 500
// Rows that end within this time are recorded together, while others are paid.
const recordEveryMs = 250
const refreshEveryMs = 1_000
const sweepEveryMs = 20_000
const errorPauseMs = 1_000
// How many rows may wait to be recorded for each that can be paid at once.
const unrecordedFactor = 16
// After so many rows in a row that were not sent because the service failed, none is begun for a second, and each further time for
// twice as long, at most for a minute (docs/assumptions.md, P15).
const failuresMax = 6
const restMaxMs = 60_000

// Is told when it is written.
type EndedRow = RowRecord & {tell?: () => void}

interface TakenRow {
  job: RowJob
  // Absent if the batch has no such row any more.
  row: BatchRow | undefined
}

export class WorkLoop {
  // Those that were open while it worked.
  readonly batchIds = new Set<string>()
  readonly #worker: Worker
  // The jobs that this worker has: not begun yet, being paid, or not recorded yet.
  readonly #jobs = new Set<RowJob>()
  #ready: TakenRow[] = []
  #unrecorded: EndedRow[] = []
  #recordedAtMs = 0
  #batches: readonly OpenBatch[] = []
  #readAtMs = Number.NEGATIVE_INFINITY
  #sweptAtMs = Number.NEGATIVE_INFINITY
  // Whether nothing was recorded since the last sweep.
  #isSwept = false
  #turn = 0
  #failures = 0
  #restMs = 0
  #restUntilMs = 0
  #fatal: SvcError | undefined
  #hasChanged = false
  #wake = () => {}

  constructor(worker: Worker) {
    this.#worker = worker
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
      while (halt.reason === undefined && !(await this.#try(() => this.#goOn()))) {
        const pause = sleep(this.#unrecorded.length > 0 ? recordEveryMs : pollMs, undefined, {signal: halt.signal})
        await Promise.race([pause.catch(() => {}), this.#waitForChange()])
      }
      // What was taken and not begun goes back at once.
      for (const {job} of this.#ready.splice(0)) this.#putBack(job)
      while (this.#jobs.size > 0) {
        await (this.#unrecorded.length > 0 ? this.#try(() => this.#record()) : this.#waitForChange())
      }
      return this.#fatal
    } finally {
      clearInterval(touching)
    }
  }

  async #try<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      this.#worker.log('warn', 'Trying again: the database does not answer as it should', describeError(error))
      await sleep(errorPauseMs)
      return undefined
    }
  }

  // Begins as many rows as there is room for. True if nothing is left to do.
  async #goOn(): Promise<boolean> {
    await this.#refresh()
    this.#beginReady()
    const isDue = performance.now() - this.#recordedAtMs >= recordEveryMs
    if (isDue || this.#worker.statistics.inFlight === 0) await this.#record()
    if (this.#countFree() > 0) await this.#takeMore()
    this.#beginReady()
    return this.#worker.isUntilIdle && this.#jobs.size === 0 && this.#isIdle()
  }

  #beginReady(): void {
    for (const taken of this.#ready.splice(0, this.#countFree())) void this.#begin(taken)
  }

  // What was paid and is not recorded yet is bounded, too.
  #countFree(): number {
    const {concurrency, statistics} = this.#worker
    const isBehind = this.#unrecorded.length >= concurrency * unrecordedFactor
    const isHeld = isBehind || performance.now() < this.#restUntilMs
    return isHeld ? 0 : concurrency - statistics.inFlight
  }

  // The open batches, read again every second. Those without jobs are brought to their end.
  async #refresh(): Promise<void> {
    const {boss, database, serviceId, statistics, rows} = this.#worker
    const now = performance.now()
    if (now - this.#readAtMs < refreshEveryMs) return
    if (now - this.#sweptAtMs > sweepEveryMs) {
      await settleUnsettled(boss, database, serviceId)
      await removeEndedQueues(boss, database)
      this.#sweptAtMs = now
      this.#isSwept = true
    }
    const batches = await finishBatches(boss, database, serviceId, this.batchIds)
    for (const {id} of this.#batches) if (!batches.some((batch) => batch.id === id)) rows.forgetBatch(id)
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
    this.#notice()
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
    try {
      if (row) await this.#pay(job, row)
      else this.#unrecorded.push({job})
    } catch (error) {
      // Its job comes back by itself.
      this.#jobs.delete(job)
      this.#worker.log('warn', 'A row could not be worked on', describeError(error))
    }
    this.#notice()
  }

  // Its place is free for another row when it was paid, and its job is kept until that is recorded.
  async #pay(job: RowJob, row: BatchRow): Promise<void> {
    const {statistics, rows, halt} = this.#worker
    const beganMs = performance.now()
    statistics.inFlight += 1
    const outcome = await rows.payRow(row, job).finally(() => (statistics.inFlight -= 1))
    this.#rest(outcome)
    if (isFatal(outcome.failure)) {
      this.#fatal ??= outcome.failure
      halt.stop('credential')
      return this.#putBack(job)
    }
    const decision = decideRow(row, job, outcome)
    const {heard, again} = decision
    const tell = () => this.#tell(row, decision, performance.now() - beganMs)
    // Nothing was kept of most rows that were made, and nothing is to be removed.
    this.#unrecorded.push({job, again, heard: heard === null && !row.heard ? undefined : heard, tell})
  }

  #tell({batchId, line, key}: BatchRow, {state, result, again}: RowDecision, tookMs: number): void {
    const {statistics, log} = this.#worker
    if (again) statistics.retries += 1
    else statistics.endedByState.set(state, (statistics.endedByState.get(state) ?? 0) + 1)
    // One that waits may have been paid by another worker while this was recorded, so no state is said of it.
    const isWaiting = state === 'WAITING'
    log(hasTransaction(state) || isWaiting ? 'debug' : 'warn', 'row', {
      batch: batchId,
      line,
      key,
      ...(!isWaiting && {state}),
      ...(result.transaction !== undefined && {transaction: result.transaction}),
      ...(result.error && {error: result.error.error}),
      ...(again && {retryInMs: again.delayMs}),
      tookMs: Math.round(tookMs),
    })
  }

  #putBack(job: RowJob): void {
    this.#unrecorded.push({job, again: {...job, delayMs: 0}})
  }

  async #record(): Promise<void> {
    const ended = [...this.#unrecorded]
    if (ended.length === 0) return
    await recordRows(this.#worker, ended)
    this.#isSwept = false
    this.#recordedAtMs = performance.now()
    this.#unrecorded = this.#unrecorded.slice(ended.length)
    for (const {job, tell} of ended) {
      this.#jobs.delete(job)
      tell?.()
    }
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

  // Also what happens while nobody waits is noticed.
  #notice(): void {
    this.#hasChanged = true
    this.#wake()
  }

  async #waitForChange(): Promise<void> {
    if (!this.#hasChanged) await new Promise<void>((resolve) => (this.#wake = resolve))
    this.#hasChanged = false
  }
}
