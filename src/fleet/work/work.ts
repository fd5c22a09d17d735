// Runs a worker as a process: its connections, its reports to the fleet, its metrics, and a clean end on a signal.
import type {Client} from '../../client/client.ts'
import type {Connection} from '../../client/connection.ts'
import {isFailing, retryAfterMs} from '../../client/retries.ts'
import {SvcError, getExitCode} from '../../errors.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import {notifyNotApproved} from '../../notifications/notify-not-approved.ts'
import {enterApprovalAsked} from '../../controls/approvals-asked.ts'
import {JournalUnusable} from '../../payments/journal/journal.ts'
import {describePostgresFailure} from '../../payments/journal/postgres/failure.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {type ReplyHead, type Service, countMissingReplies} from '../../payments/protocol/service.ts'
import {notifyUnknown} from '../../payments/pay/notify-payments.ts'
import {type OpenPaymentContext, openPaymentContext} from '../../payments/pay/open-context.ts'
import {concurrencyDefault} from '../../payments/pay/throttle.ts'
import {Halt, haltAfter, waitForRetryAfter, withSignals} from '../../payouts/run/halt.ts'
import {notifyRow} from '../../payouts/run/report-run.ts'
import {toBaseResult} from '../../payouts/run/result.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import type {OpenPolicyJournal} from '../../bind-policy.ts'
import {NotApproved} from '../../controls/approvals.ts'
import {PolicyChanged} from '../../controls/decide.ts'
import {buildBatchError} from '../batches/batch-result.ts'
import {type Batch, type BatchRow, findBatches, listOpenBatches} from '../batches/batch.ts'
import {type RowJob, createQueue, getSettleQueue, openBoss} from '../batches/queue.ts'
import type {FleetDatabase} from '../batches/open-fleet.ts'
import {reportBatches, toFleetReader} from '../batches/report-rows.ts'
import {BatchGuard} from '../batches/approve-batch.ts'
import {FleetPayer, type RetryDelays, type RowOutcome, retryDelays} from './fleet-payer.ts'
import {type Health, type ListenAddress, collectMetrics, startMetricsServer} from './metrics.ts'
import {setRateMax, slowDown} from './pace.ts'
import {forgetOldWorkers, registerWorker, reportEveryMs, sweep} from './worker-registry.ts'
import {type WorkLog, WorkStatistics} from './work-log.ts'
import {runWorker} from './worker.ts'
import {dayMs} from '../../values/time.ts'

export interface WorkSettings {
  fleet: FleetDatabase
  traits: ServiceTraits
  // Bound to the policy.
  caller: Caller
  // Reads the policy again.
  rebind: (openJournal: OpenPolicyJournal) => Promise<unknown>
  version: string
  // How many rows at the same time, if somebody chose it.
  concurrency?: number | undefined
  isUntilIdle: boolean
  // Rows a second for the whole fleet; undefined leaves what is set, null removes it.
  rateMax?: number | null | undefined
  listen?: ListenAddress | undefined
  // An address in use is no reason not to work, unless it was asked for.
  isListenOptional: boolean
  graceMs: number
  timeoutMs?: number | undefined
  log: WorkLog
  delays?: RetryDelays
  // Who is told what needs a person, if anybody is.
  notifier?: Notifier | undefined
  connect(onReply: NonNullable<Connection['onReply']>): Promise<Client>
}

// Healthy while the database was heard of within this time.
const contactMaxMs = 30_000

const batchesPerRead = 200

// Returns the error that the worker ends with, for its exit code.
export async function work(settings: WorkSettings): Promise<SvcError | undefined> {
  const {log, isUntilIdle} = settings
  const {database} = settings.fleet
  const {serviceId} = settings.traits
  const halt = new Halt()
  const statistics = new WorkStatistics()
  const report = (error: unknown) => log.problem('the database does not answer as it should', error)
  if (settings.rateMax !== undefined) await setRateMax(database, serviceId, settings.rateMax ?? undefined)
  const boss = await openBoss(database, {isSupervisor: true, onError: report})
  const context = await openContext(settings, halt, report)
  const {version, concurrency = concurrencyDefault} = settings
  const registration = registerWorker(database, {serviceId, version, concurrency})
  const reportWorker = () =>
    registration.report({
      inFlight: statistics.inFlight(),
      rowsPerSecond: statistics.computeRate(),
      isStopping: halt.reason !== undefined,
      counters: statistics.drain(),
    })
  const server = await startServer(settings, context, () => readHealth(halt, statistics))
  const rows = new WorkedRows(settings, context, halt, statistics)
  const reporting = setInterval(() => void reportWorker().catch(report), reportEveryMs)
  const cancelTimeout = haltAfter(halt, settings.timeoutMs)
  const grace = createGrace(settings, halt, statistics)
  try {
    await rows.open()
    await reportWorker()
    await forgetOldWorkers(database)
    await createQueue(boss, getSettleQueue(serviceId))
    log.info(`Working on the batches of ${serviceId}`, server && {listen: new URL(server.origin).host})
    const {failure} = await withSignals(halt, {onFirst: () => grace.start()}, () =>
      runWorker({
        boss,
        database,
        serviceId,
        concurrency,
        isUntilIdle,
        halt,
        delays: settings.delays ?? retryDelays,
        log,
        statistics,
        payRow: (row, job) => rows.payRow(row, job),
        sweep: (batches) => sweep(boss, database, serviceId, batches),
        onBatchEnded: (batchId) => rows.forgetBatch(batchId),
      }),
    )
    await reportWorker().catch(report)
    if (failure || !isUntilIdle || halt.reason !== undefined) return failure
    return await rows.findError().catch((error: unknown) => createUnread(database.address, error))
  } finally {
    grace.cancel()
    clearInterval(reporting)
    cancelTimeout()
    await rows.close()
    await registration.leave().catch(report)
    await server?.stop()
    await context.close()
    await boss.stop({graceful: false}).catch(report)
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

// After a signal, the rows in flight have some time to be finished.
function createGrace({log, graceMs}: WorkSettings, halt: Halt, statistics: WorkStatistics) {
  let timer: NodeJS.Timeout | undefined
  return {
    start() {
      log.info(`Finishing the rows in flight (${statistics.inFlight()}), for at most ${graceMs / 1000} s`)
      timer = setTimeout(() => {
        log.info(`The time to finish is over; other workers settle the rows in flight (${statistics.inFlight()})`)
        process.exit(getStopCode(halt))
      }, graceMs)
      timer.unref()
    },
    cancel: () => clearTimeout(timer),
  }
}

// All workers slow down if the service fails this one, or asks for it.
async function openContext(settings: WorkSettings, halt: Halt, report: (error: unknown) => void) {
  const {traits, caller, log} = settings
  const watch = createServiceWatch((pauseMs) => {
    log.info('The service fails or asks for fewer requests, so all workers slow down', {pauseMs})
    slowDown(settings.fleet.database, traits.serviceId, pauseMs).catch(report)
  })
  const context = await openPaymentContext({
    controls: caller,
    traits,
    waitForRetry: waitForRetryAfter(halt),
    connect: (onReply) =>
      settings.connect((reply) => {
        onReply(reply)
        watch.observe(reply)
      }),
  })
  return {...context, service: watch.wrap(context.service)}
}

// What the worker does with each row that it takes: asks whether it may be paid, pays it, and tells a person who has to know.
class WorkedRows {
  readonly #settings: WorkSettings
  readonly #context: OpenPaymentContext
  readonly #payer: FleetPayer
  readonly #guard: BatchGuard
  readonly #notifications: FleetNotifications
  readonly #batchIds = new Set<string>()

  constructor(settings: WorkSettings, context: OpenPaymentContext, halt: Halt, statistics: WorkStatistics) {
    const {fleet, traits, caller, log, notifier} = settings
    const {serviceId} = traits
    const {journal} = context
    this.#settings = settings
    this.#context = context
    this.#payer = new FleetPayer({context, database: fleet.database, serviceId, halt, statistics})
    this.#guard = new BatchGuard({
      database: fleet.database,
      context,
      caller,
      rebind: () => settings.rebind(async () => journal),
      serviceId,
      async onPaused(batchId, error, started) {
        const unchecked = started === 0 ? '' : ` (${started} rows were started since it was last checked)`
        const next =
          error instanceof NotApproved ? `approve it with \`${error.demand.command}\`, then` : 'when that has changed,'
        log.info(`${error.message}, so it is paused${unchecked}: ${next} \`svc payouts resume ${batchId}\``)
        if (!(error instanceof NotApproved)) return
        notifyNotApproved(notifier, error, {name: batchId, isBatch: true})
        // It stays paused whether this is written or not.
        await enterApprovalAsked(journal, error, batchId).catch((failure: unknown) =>
          log.problem('the journal could not be written', failure),
        )
      },
    })
    this.#notifications = startFleetNotifications(notifier, {journal, serviceId}, (error) =>
      log.problem('a person could not be told', error),
    )
  }

  async open(): Promise<void> {
    const {fleet, traits} = this.#settings
    for (const {id} of await listOpenBatches(fleet.database, traits.serviceId)) this.#batchIds.add(id)
  }

  // A row that may not be paid is treated as one of a paused batch: what may have been paid is settled.
  async payRow(row: BatchRow, job: RowJob): Promise<RowOutcome> {
    this.#batchIds.add(row.batchId)
    let isAllowed = true
    try {
      if (row.batchState === 'ACTIVE') isAllowed = await this.#guard.mayPay(row)
    } catch (error) {
      this.#settings.log.problem('the approvals could not be read', error)
      return {result: toBaseResult(row, 'NOT_TRIED')}
    }
    const outcome = await this.#payer.payRow(isAllowed ? row : {...row, batchState: 'PAUSED'}, job)
    if (outcome.failure instanceof PolicyChanged) this.#guard.expire()
    this.#notifications.addOutcome(row, outcome)
    return outcome
  }

  forgetBatch(batchId: string): void {
    this.#payer.forgetBatch(batchId)
    this.#guard.forgetBatch(batchId)
  }

  // What has become of the batches that were worked on.
  async findError(): Promise<SvcError | undefined> {
    const {fleet, traits} = this.#settings
    const reader = toFleetReader(fleet, this.#context.journal, traits)
    const ids = [...this.#batchIds]
    const batches: Batch[] = []
    for (let start = 0; start < ids.length; start += batchesPerRead) {
      const page = await findBatches(fleet.database, traits.serviceId, ids.slice(start, start + batchesPerRead))
      batches.push(...(await reportBatches(reader, page)))
    }
    return buildBatchError(batches) ?? this.#guard.refusal
  }

  close(): Promise<void> {
    return this.#notifications.end()
  }
}

// A worker that was told to end has done what it was told.
const getStopCode = ({reason}: Halt) => (reason === 'SIGINT' ? getExitCode('interrupted') : 0)

async function startServer(
  {fleet, traits, caller, listen, isListenOptional, log}: WorkSettings,
  {clock, journal}: OpenPaymentContext,
  checkHealth: () => Health,
) {
  if (!listen) return undefined
  const {serviceId} = traits
  const listSpentToday = (currency: string) => {
    const nowMs = clock.latest()
    return journal.listSpentAmounts(serviceId, '', {currency, sinceMs: nowMs - (nowMs % dayMs)})
  }
  try {
    return await startMetricsServer(listen, {
      readHealth: checkHealth,
      renderMetrics: () =>
        collectMetrics({fleet: toFleetReader(fleet, journal, traits), spending: caller.spending ?? {}, listSpentToday}),
    })
  } catch (error) {
    if (!isListenOptional) throw error
    log.info(`The metrics are not served, because ${listen.host}:${listen.port} is in use`)
    return undefined
  }
}

function readHealth({reason}: Halt, {contactMs}: WorkStatistics): Health {
  if (reason !== undefined) return {isHealthy: false, state: 'stopping'}
  const isHealthy = performance.now() - contactMs < contactMaxMs
  return {isHealthy, state: isHealthy ? 'working' : 'no database'}
}

// Watches how the service answers a worker, and says when the whole fleet should call it less.

// So many failures in a row, or more than one in three over a longer time, slow the fleet down (docs/assumptions.md, P15).
const failuresMax = 6
const regainedByReply = 0.5
const tooManyRequests = 429
// How long nobody starts a row after a 429 that does not say how long.
const pauseDefaultMs = 1_000
const pauseMaxMs = 300_000

interface ServiceWatch {
  // Must be called with every reply, including those before a retry.
  observe(reply: ReplyHead): void
  // Returns the service with requests counted that got no reply.
  wrap(service: Service): Service
}

function createServiceWatch(onSlow: (pauseMs: number) => void): ServiceWatch {
  let failuresLeft = failuresMax
  const countFailure = (pauseMs: number) => {
    failuresLeft -= 1
    if (failuresLeft > 0) return
    failuresLeft = failuresMax
    onSlow(pauseMs)
  }
  return {
    observe({status, headers}) {
      if (!isFailing(status)) {
        failuresLeft = Math.min(failuresMax, failuresLeft + regainedByReply)
        return
      }
      const askedMs = retryAfterMs(headers)
      if (status === tooManyRequests) onSlow(Math.min(askedMs ?? pauseDefaultMs, pauseMaxMs))
      else countFailure(Math.min(askedMs ?? 0, pauseMaxMs))
    },
    wrap: (service) => countMissingReplies(service, () => countFailure(0)),
  }
}

// Tells a person about rows of a fleet that need one, while the worker goes on.
const deliverEveryMs = 10_000

interface FleetNotifications {
  // Stored before the row is recorded, so that a worker that is killed in between tells it when the row comes back.
  addOutcome(row: BatchRow, outcome: RowOutcome): void
  // Delivers what is left.
  end(): Promise<void>
}

const noNotifications: FleetNotifications = {addOutcome() {}, end: async () => {}}

function startFleetNotifications(
  notifier: Notifier | undefined,
  {journal, serviceId}: Pick<PaymentContext, 'journal'> & {serviceId: string},
  onError: (error: unknown) => void,
): FleetNotifications {
  if (!notifier) return noNotifications
  let delivery: Promise<void> | undefined
  const deliver = () =>
    (delivery ??= notifyUnknown(notifier, journal, serviceId)
      .then(() => notifier.deliver())
      .catch(onError)
      .finally(() => {
        delivery = undefined
      }))
  const timer = setInterval(() => void deliver(), deliverEveryMs)
  return {
    addOutcome(row, {result}) {
      if (notifyRow(notifier, row, result)) return
      const {error: {error: code, message} = {error: 'LIMIT_REACHED', message: undefined}} = result
      // Once per batch and cause: a limit may stop all rows of a batch.
      notifier.add({
        event: 'payouts.stopped',
        facts: [row.batchId, code],
        detail: {batch: row.batchId, keys: [row.key], error: code, reason: message, exitCode: 10},
      })
    },
    async end() {
      clearInterval(timer)
      await delivery
      await deliver()
      notifier.close()
    },
  }
}
