// Runs a worker as a process: its connections, its metrics, its notifications, and a clean end on a signal.
import type {PgBoss} from 'pg-boss'
import {SvcError, getExitCode} from '../errors.ts'
import {JournalUnusable} from '../payments/journal/journal.ts'
import {describePostgresFailure} from '../payments/journal/postgres/failure.ts'
import {notifyUnknownPayments} from '../payments/context/notify-payments.ts'
import {type PaymentContextSettings, openPaymentContext} from '../payments/context/open-context.ts'
import {concurrencyDefault} from '../payouts/run/for-each-concurrently.ts'
import {Halt, endListsAfter, haltAfter, waitForRetryAfter, withSignals} from '../payouts/run/halt.ts'
import {svc} from '../values/text.ts'
import {listOpenBatches} from './batches.ts'
import {type ListenAddress, collectMetrics, startMetricsServer} from './metrics.ts'
import type {RowSettings} from './guard.ts'
import {RowWorker} from './pay-job.ts'
import {openBoss} from './queue.ts'
import {findBatchError} from './status.ts'
import {describeError} from './work-log.ts'
import {WorkLoop, WorkStatistics} from './worker.ts'

export interface WorkSettings extends RowSettings, Pick<PaymentContextSettings, 'connect' | 'timeoutMs'> {
  // How many rows at the same time, if somebody chose it.
  concurrency?: number | undefined
  isUntilIdle: boolean
  listen?: ListenAddress | undefined
  // An address in use is no reason not to work, unless it was asked for.
  isListenOptional: boolean
  graceMs: number
}

// Healthy while the database was heard of within this time.
const contactMaxMs = 30_000
const deliverEveryMs = 10_000

// Returns the error that the worker ends with, for its exit code.
export async function work(settings: WorkSettings): Promise<SvcError | undefined> {
  const {database, log} = settings
  const onError = (error: unknown) =>
    log('warn', 'Trying again: the database does not answer as it should', describeError(error))
  const boss = await openBoss(database, onError)
  try {
    return await workWith(boss, settings)
  } finally {
    await boss.stop({graceful: false}).catch(onError)
  }
}

async function workWith(boss: PgBoss, settings: WorkSettings): Promise<SvcError | undefined> {
  const {database, traits, caller, log, isUntilIdle, concurrency = concurrencyDefault, notifier} = settings
  const {serviceId} = traits
  const halt = new Halt()
  const statistics = new WorkStatistics()
  const waitForRetry = waitForRetryAfter(halt)
  const opened = await openPaymentContext({controls: caller, traits, waitForRetry, connect: settings.connect})
  const context = {...opened, service: endListsAfter(halt, opened.service)}
  const rows = new RowWorker(settings, context, halt)
  const deliver = () =>
    notifier &&
    notifyUnknownPayments(notifier, context.journal, serviceId)
      .then(() => notifier.deliver())
      .catch((error: unknown) => log('warn', 'A person could not be told', describeError(error)))
  const delivering = setInterval(() => void deliver(), deliverEveryMs)
  const cancelTimeout = haltAfter(halt, settings.timeoutMs)
  let grace: NodeJS.Timeout | undefined
  let server: Awaited<ReturnType<typeof startServer>>
  try {
    server = await startServer(settings, halt, statistics)
    log('info', `Working on the batches of ${serviceId}`, server && {listen: new URL(server.origin).host})
    const loop = new WorkLoop({boss, database, serviceId, concurrency, isUntilIdle, halt, log, statistics, rows})
    const failure = await withSignals(
      halt,
      () => (grace = startGrace(settings, halt, statistics)),
      () => loop.run(),
    )
    const isCutShort = halt.reason === 'timeout'
    if (failure || !isUntilIdle || (halt.reason !== undefined && !isCutShort)) return failure
    const error = await findEnd(settings, loop.batchIds, isCutShort)
    return error?.kind === 'limit' ? (rows.refusal ?? error) : error
  } finally {
    clearInterval(delivering)
    cancelTimeout()
    // A notification that is not delivered when the grace is over is left to the next worker.
    await deliver()
    notifier?.close()
    await server?.stop()
    await context.close()
    clearTimeout(grace)
  }
}

// The end that the rows of the batches say. A worker whose time was up may not have seen all rows
// that are left.
async function findEnd(
  {database, traits: {serviceId}}: WorkSettings,
  seen: ReadonlySet<string>,
  isCutShort: boolean,
): Promise<SvcError | undefined> {
  try {
    const open = isCutShort ? await listOpenBatches(database, serviceId) : []
    return await findBatchError(database, serviceId, [...seen, ...open.map(({id}) => id)])
  } catch (error) {
    return createUnread(database.address, error)
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
    hint: `Run ${svc`payouts status`}, which says what was paid`,
    cause: error,
  })
}

// After a signal, the rows in flight have some time to be finished. A worker that was told to end has done what it was told.
function startGrace({log, graceMs}: WorkSettings, halt: Halt, statistics: WorkStatistics): NodeJS.Timeout {
  log('info', `Finishing the rows in flight (${statistics.inFlight}), for at most ${graceMs / 1000} s`)
  const end = () => {
    log('info', `The time to finish is over; other workers settle the rows in flight (${statistics.inFlight})`)
    process.exit(halt.reason === 'SIGINT' ? getExitCode('interrupted') : 0)
  }
  return setTimeout(end, graceMs).unref()
}

async function startServer(
  {database, traits, listen, isListenOptional, log}: WorkSettings,
  halt: Halt,
  statistics: WorkStatistics,
) {
  if (!listen) return undefined
  const readHealth = () => {
    if (halt.reason !== undefined) return 'stopping'
    return performance.now() - statistics.contactMs < contactMaxMs ? 'working' : 'no database'
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
