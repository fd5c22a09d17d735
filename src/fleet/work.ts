// Runs a worker as a process: its connections, its metrics, its notifications, and a clean end on a signal.
import type {OpenPolicyJournal} from '../bind-policy.ts'
import type {Client} from '../client/client.ts'
import type {Connection} from '../client/connection.ts'
import {NotApproved} from '../controls/approvals.ts'
import {enterApprovalAsked} from '../controls/approvals-asked.ts'
import {PolicyChanged} from '../controls/decide.ts'
import {SvcError, getExitCode} from '../errors.ts'
import type {Notifier} from '../notifications/notifier.ts'
import {notifyNotApproved} from '../notifications/notify-not-approved.ts'
import {JournalUnusable} from '../payments/journal/journal.ts'
import {describePostgresFailure} from '../payments/journal/postgres/failure.ts'
import {notifyUnknown} from '../payments/pay/notify-payments.ts'
import {type OpenPaymentContext, openPaymentContext} from '../payments/pay/open-context.ts'
import {concurrencyDefault} from '../payments/pay/throttle.ts'
import {Halt, haltAfter, waitForRetryAfter, withSignals} from '../payouts/run/halt.ts'
import {notifyRow} from '../payouts/run/report-run.ts'
import {toResult} from '../payouts/run/result.ts'
import type {Caller} from '../profiles/caller.ts'
import type {ServiceTraits} from '../profiles/service.ts'
import type {PostgresDatabase} from '../storage/postgres/database.ts'
import {type BatchRow, countRows, listOpenBatches} from './batches.ts'
import {BatchGuard} from './guard.ts'
import {type Health, type ListenAddress, collectMetrics, startMetricsServer} from './metrics.ts'
import {JobPayer, type RowOutcome} from './pay-job.ts'
import {type RowJob, createQueue, getSettleQueue, openBoss} from './queue.ts'
import {buildBatchError} from './status.ts'
import {type WorkLog, describeError} from './work-log.ts'
import {WorkLoop, WorkStatistics} from './worker.ts'

export interface WorkSettings {
  database: PostgresDatabase
  traits: ServiceTraits
  // Bound to the policy.
  caller: Caller
  // Reads the policy again.
  rebind: (openJournal: OpenPolicyJournal) => Promise<unknown>
  // How many rows at the same time, if somebody chose it.
  concurrency?: number | undefined
  isUntilIdle: boolean
  listen?: ListenAddress | undefined
  // An address in use is no reason not to work, unless it was asked for.
  isListenOptional: boolean
  graceMs: number
  timeoutMs?: number | undefined
  log: WorkLog
  // Who is told what needs a person, if anybody is.
  notifier?: Notifier | undefined
  connect: (onReply: NonNullable<Connection['onReply']>) => Promise<Client>
}

// Healthy while the database was heard of within this time.
const contactMaxMs = 30_000
const deliverEveryMs = 10_000

// Returns the error that the worker ends with, for its exit code.
export async function work(settings: WorkSettings): Promise<SvcError | undefined> {
  const {database, traits, caller, log, isUntilIdle, concurrency = concurrencyDefault, notifier} = settings
  const {serviceId} = traits
  const halt = new Halt()
  const statistics = new WorkStatistics()
  const warn = (message: string) => (error: unknown) => log('warn', message, describeError(error))
  const onError = warn('Trying again: the database does not answer as it should')
  const boss = await openBoss(database, {isSupervisor: true, onError})
  const waitForRetry = waitForRetryAfter(halt)
  const context = await openPaymentContext({controls: caller, traits, waitForRetry, connect: settings.connect})
  const server = await startServer(settings, halt, statistics)
  const rows = new WorkedRows(settings, context, halt)
  const deliver = () =>
    notifier &&
    notifyUnknown(notifier, context.journal, serviceId)
      .then(() => notifier.deliver())
      .catch(warn('A person could not be told'))
  const delivering = setInterval(() => void deliver(), deliverEveryMs)
  const cancelTimeout = haltAfter(halt, settings.timeoutMs)
  const grace = createGrace(settings, halt, statistics)
  try {
    await rows.open()
    await createQueue(boss, getSettleQueue(serviceId))
    log('info', `Working on the batches of ${serviceId}`, server && {listen: new URL(server.origin).host})
    const loop = new WorkLoop({
      boss,
      database,
      serviceId,
      concurrency,
      isUntilIdle,
      halt,
      log,
      statistics,
      payRow: (row, job) => rows.payRow(row, job),
      onBatchEnded: (batchId) => rows.forgetBatch(batchId),
    })
    const failure = await withSignals(
      halt,
      () => grace.start(),
      () => loop.run(),
    )
    if (failure || !isUntilIdle || halt.reason !== undefined) return failure
    return await rows.findError().catch((error: unknown) => createUnread(database.address, error))
  } finally {
    grace.cancel()
    clearInterval(delivering)
    cancelTimeout()
    await deliver()
    notifier?.close()
    await server?.stop()
    await context.close()
    await boss.stop({graceful: false}).catch(onError)
  }
}

// Rows were paid, and the database does not say which.
function createUnread(address: string, error: unknown): SvcError {
  const failure = describePostgresFailure(address, error)
  if (!(failure instanceof JournalUnusable)) throw failure
  return new SvcError({
    error: failure.error,
    kind: 'pending',
    message: `The rows were worked on, but what has become of them could not be read: ${failure.reason ?? ''}`,
    hint: 'Run `svc payouts status`, which says what was paid',
    cause: error,
  })
}

// After a signal, the rows in flight have some time to be finished. A worker that was told to end has done what it was told.
function createGrace({log, graceMs}: WorkSettings, halt: Halt, statistics: WorkStatistics) {
  let timer: NodeJS.Timeout | undefined
  return {
    start() {
      log('info', `Finishing the rows in flight (${statistics.inFlight}), for at most ${graceMs / 1000} s`)
      timer = setTimeout(() => {
        log('info', `The time to finish is over; other workers settle the rows in flight (${statistics.inFlight})`)
        process.exit(halt.reason === 'SIGINT' ? getExitCode('interrupted') : 0)
      }, graceMs)
      timer.unref()
    },
    cancel: () => clearTimeout(timer),
  }
}

// What the worker does with each row that it takes: asks whether it may be paid, pays it, and tells a person who has to know.
class WorkedRows {
  readonly #settings: WorkSettings
  readonly #payer: JobPayer
  readonly #guard: BatchGuard
  readonly #batchIds = new Set<string>()

  constructor(settings: WorkSettings, context: OpenPaymentContext, halt: Halt) {
    const {database, traits, caller} = settings
    const {serviceId} = traits
    const {journal} = context
    this.#settings = settings
    this.#payer = new JobPayer({context, database, serviceId, halt})
    this.#guard = new BatchGuard({
      database,
      context,
      caller,
      rebind: () => settings.rebind(async () => journal),
      serviceId,
      onPaused: (batchId, error) => this.#tellPaused(journal, batchId, error),
    })
  }

  async open(): Promise<void> {
    const {database, traits} = this.#settings
    for (const {id} of await listOpenBatches(database, traits.serviceId)) this.#batchIds.add(id)
  }

  // A row that may not be paid is treated as one of a paused batch: what may have been paid is settled.
  async payRow(row: BatchRow, job: RowJob): Promise<RowOutcome> {
    this.#batchIds.add(row.batchId)
    let mayPay = false
    try {
      mayPay = row.batchState === 'ACTIVE' && (await this.#guard.mayPay(row))
    } catch (error) {
      this.#settings.log('warn', 'Trying again: the approvals could not be read', describeError(error))
      return {result: toResult(row, 'NOT_TRIED')}
    }
    const outcome = await this.#payer.pay(row, job, mayPay)
    if (outcome.failure instanceof PolicyChanged) this.#guard.expire()
    this.#tellOutcome(row, outcome)
    return outcome
  }

  forgetBatch(batchId: string): void {
    this.#payer.forgetBatch(batchId)
    this.#guard.forgetBatch(batchId)
  }

  // What has become of the batches that were worked on.
  async findError(): Promise<SvcError | undefined> {
    const counted = await countRows(this.#settings.database, [...this.#batchIds])
    return buildBatchError([...counted].map(([id, {counts}]) => ({id, counts}))) ?? this.#guard.refusal
  }

  async #tellPaused(journal: OpenPaymentContext['journal'], batchId: string, error: SvcError): Promise<void> {
    const {log, notifier} = this.#settings
    const isUnapproved = error instanceof NotApproved
    const next = isUnapproved ? `approve it with \`${error.demand.command}\`, then` : 'when that has changed,'
    log('info', `${error.message}, so it is paused: ${next} \`svc payouts resume ${batchId}\``)
    if (!isUnapproved) return
    notifyNotApproved(notifier, error, {name: batchId, isBatch: true})
    // It stays paused whether this is written or not.
    await enterApprovalAsked(journal, error, batchId).catch((failure: unknown) =>
      log('warn', 'The journal could not be written', describeError(failure)),
    )
  }

  // Stored before the row is recorded, so that a worker that is killed in between tells it when the row comes back. Once per batch and
  // cause: a limit may stop all rows of a batch.
  #tellOutcome(row: BatchRow, {result}: RowOutcome): void {
    const {notifier} = this.#settings
    if (!notifier || notifyRow(notifier, row, result)) return
    const {error: {error: code, message} = {error: 'LIMIT_REACHED', message: undefined}} = result
    notifier.add({
      event: 'payouts.stopped',
      facts: [row.batchId, code],
      detail: {batch: row.batchId, keys: [row.key], error: code, reason: message, exitCode: 10},
    })
  }
}

async function startServer(
  {database, traits, listen, isListenOptional, log}: WorkSettings,
  halt: Halt,
  statistics: WorkStatistics,
) {
  if (!listen) return undefined
  const readHealth = (): Health => {
    if (halt.reason !== undefined) return {isHealthy: false, state: 'stopping'}
    const isHealthy = performance.now() - statistics.contactMs < contactMaxMs
    return {isHealthy, state: isHealthy ? 'working' : 'no database'}
  }
  const renderMetrics = () => collectMetrics(database, traits.serviceId, statistics)
  try {
    return await startMetricsServer(listen, {readHealth, renderMetrics})
  } catch (error) {
    if (!isListenOptional) throw error
    log('info', `The metrics are not served, because ${listen.host}:${listen.port} is in use`)
    return undefined
  }
}
