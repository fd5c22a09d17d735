// A run of a payout file from its first row to its last word: pays the rows, several at a time and each once under its own key, until
// all have ended or the run is stopped, with signals, progress, --wait, notifications and the result file.
import {clearExitNotices, registerExitNotice} from '../../cli/exit.ts'
import {canShowLiveLine} from '../../cli/output/streams.ts'
import {FailureTolerance, describeWaiting, lengthenPause, pauseFirstMs} from '../../cli/watch/pace.ts'
import type {Client} from '../../client/client.ts'
import {SvcError} from '../../errors.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import {JournalUnusable} from '../../payments/journal/journal.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {createService} from '../../payments/protocol/service.ts'
import {quoteForShell} from '../../values/text.ts'
import {createRefusal} from '../file/check-file.ts'
import {describeLines} from '../file/records.ts'
import {CustomerLists} from './customer-lists.ts'
import {forEachConcurrently} from './for-each-concurrently.ts'
import {type Halt, haltAfter, pauseUnlessHalted, withSignals} from './halt.ts'
import {type EndedRow, type RowPayer, payRow} from './pay-row.ts'
import {type ProgressSettings, startProgress, startRowProgress} from './progress.ts'
import {buildRunError, hasFailed, notifyRows} from './report-run.ts'
import type {ResultFile} from './result-file.ts'
import {type PayoutResult, isUnderWay, readPayments} from './result.ts'
import {hasTransaction} from './row-states.ts'
import {type OpenRun, reportRows} from './run.ts'

// How long one row may wait for another process, or to be settled, while the other rows go on.
const rowWaitMaxMs = 60_000

interface WaitSettings {
  isSandbox: boolean
  // Connects a client whose requests end with the signal.
  connect: (signal: AbortSignal) => Promise<Client>
}

export interface SessionSettings extends Pick<RowPayer, 'findObjection'> {
  // Rows that do not fit the limits, and are not tried.
  stopped: readonly PayoutResult[]
  resultFile: ResultFile | undefined
  // Who is told what needs a person, if anybody is.
  notifier: Notifier | undefined
  progress: ProgressSettings
  // With --quiet the rows are not printed, so the error lists the failed ones.
  isSilent: boolean
  // The value of --timeout.
  timeoutMs: number | undefined
  // Present with --wait: rows that were made are followed to their end.
  wait: WaitSettings | undefined
  onResult?: ((result: PayoutResult) => void) | undefined
  alert: (text: string) => void
}

export interface EndedRun {
  // In the order of the file.
  results: PayoutResult[]
  failure: SvcError | undefined
}

// Stops the run on errors that would also fail every other row.
function haltOn(error: SvcError, halt: Halt): void {
  if (error.kind === 'unauthenticated') halt.stop('credential')
  else if (error instanceof JournalUnusable || error.cause instanceof JournalUnusable) halt.stop('journal')
  else if (error.kind === 'bug') halt.stop('fault')
}

// For example: 3 PROCESSING, 1 AWAITING_TRANSFER.
const describeStatuses = (results: readonly PayoutResult[]) =>
  [...Map.groupBy(results, ({status}) => status ?? 'without a status')].map(
    ([status, own]) => `${own.length} ${status}`,
  )

class Session {
  readonly #run: OpenRun
  readonly #settings: SessionSettings
  readonly #results = new Map<string, PayoutResult>()
  readonly #inProgress = new Set<string>()
  readonly #madeHere = new Set<string>()
  readonly #failures: SvcError[] = []
  // Rows of which was said that they await a transfer.
  readonly #announced = new Set<string>()
  #failedRows = 0

  constructor(run: OpenRun, settings: SessionSettings) {
    this.#run = run
    this.#settings = settings
  }

  #tell(told: PayoutResult): void {
    const {wait, alert, onResult} = this.#settings
    const {line, key, difference, state} = told
    if (difference !== undefined && difference !== this.#results.get(key)?.difference) {
      alert(`line ${line}, ${key}: ${difference}`)
    }
    const {changes} = this.#run.told.get(key) ?? {}
    const isMadeBefore = hasTransaction(state) && !this.#madeHere.has(key)
    const result = {...told, ...(changes && {changes}), ...(isMadeBefore && {madeBefore: true as const})}
    this.#results.set(key, result)
    this.#inProgress.delete(key)
    // With --wait a row is reported once, when it has ended.
    if (!wait || !isUnderWay(result)) onResult?.(result)
  }

  #listResults(): PayoutResult[] {
    return this.#run.rows.flatMap(({key}) => this.#results.get(key) ?? [])
  }

  // Another process may have settled or sent since what this run could not bring to an end.
  async #readAgain(): Promise<void> {
    const open = this.#run.rows.filter(({key}) => !hasTransaction(this.#results.get(key)?.state ?? 'NOT_TRIED'))
    for (const told of await reportRows(this.#run, open, this.#results)) {
      if (told !== this.#results.get(told.key)) this.#tell(told)
    }
  }

  #end({result, failure, isMadeHere}: EndedRow): void {
    const {halt, stopAfter} = this.#run
    if (isMadeHere) this.#madeHere.add(result.key)
    this.#tell(result)
    if (failure) {
      this.#failures.push(failure)
      haltOn(failure, halt)
    }
    // What an earlier run made and ended badly would stop every later run.
    if (failure || (isMadeHere && result.state === 'ENDED_BADLY')) this.#failedRows++
    if (stopAfter !== undefined && this.#failedRows >= stopAfter) halt.stop('failures')
  }

  // Rows that were not begun are told as the journal has them.
  async #payRows(): Promise<void> {
    const {serviceId, known, halt, concurrency, failureBudget, ...run} = this.#run
    const context = {...run.context, service: failureBudget.wrap(run.context.service)}
    const {findObjection, progress: settings} = this.#settings
    const payer = {context, serviceId, lists: new CustomerLists(context), halt, rowWaitMs: rowWaitMaxMs, findObjection}
    const rows = run.rows.filter(({key}) => !this.#results.has(key))
    const progress = startRowProgress(settings, rows.length)
    await forEachConcurrently(rows, concurrency, async (row) => {
      if (halt.reason !== undefined) return
      this.#inProgress.add(row.key)
      const ended = await payRow(payer, row, known.get(row.key)?.payment)
      this.#end(ended)
      progress.addRow(hasFailed(ended.result))
    }).finally(progress.end)
    const untried = rows.filter(({key}) => !this.#results.has(key))
    for (const result of await reportRows(this.#run, untried)) this.#tell(result)
  }

  // Follows the transactions of rows to their end. Long lists are not read more than half of the time.
  async #follow({isSandbox, connect}: WaitSettings): Promise<void> {
    const {halt} = this.#run
    const {progress: settings} = this.#settings
    const {notice} = settings
    const listPending = () => this.#listResults().filter(isUnderWay)
    let pending = listPending()
    const total = pending.length
    if (total === 0 || halt.reason !== undefined) return
    if (canShowLiveLine()) notice(describeWaiting(isSandbox, 'waiting'))
    const getEnded = () => total - pending.length
    const endProgress = startProgress(settings, total, getEnded, () =>
      [`${getEnded()} of ${total} ended`, ...describeStatuses(pending)].join(', '),
    )
    const context = {...this.#run.context, service: createService(await connect(halt.signal))}
    const tolerance = new FailureTolerance(notice)
    for (let pauseMs = pauseFirstMs; pending.length > 0 && halt.reason === undefined;) {
      await pauseUnlessHalted(pauseMs, halt)
      const startedMs = performance.now()
      await this.#readPending(context, pending).then(
        () => tolerance.recover(),
        (error: unknown) => this.#tolerate(tolerance, error),
      )
      const before = pending.length
      pending = listPending()
      this.#announceTransfers(pending)
      const nextMs = pending.length < before ? pauseFirstMs : lengthenPause(pauseMs)
      pauseMs = Math.max(nextMs, performance.now() - startedMs)
    }
    endProgress()
  }

  // The list of a customer is read once for all of its rows, as `svc payouts status FILE` does.
  async #readPending(context: PaymentContext, pending: readonly PayoutResult[]): Promise<void> {
    const {rows, serviceId, concurrency, halt} = this.#run
    const keys = new Set(pending.map(({key}) => key))
    const followed = rows.filter(({key}) => keys.has(key))
    const recorded = await readPayments(context.journal, serviceId, followed)
    const payer = {context, serviceId, lists: new CustomerLists(context), halt, rowWaitMs: rowWaitMaxMs}
    await forEachConcurrently(followed, concurrency, async (row) => {
      const {result, readError} = await payRow(payer, row, recorded.get(row.key)?.payment)
      if (readError) throw readError
      if (halt.reason === undefined) this.#tell(result)
    })
  }

  // What svc itself did wrong is thrown.
  #tolerate(tolerance: FailureTolerance, error: unknown): void {
    const {halt} = this.#run
    if (!(error instanceof SvcError)) throw error
    try {
      tolerance.tolerate(error)
    } catch {
      halt.stop(error.kind === 'unauthenticated' ? 'credential' : 'service')
    }
  }

  // Says once of each row that nothing happens until somebody sends the money.
  #announceTransfers(pending: readonly PayoutResult[]): void {
    const awaiting = pending.filter(
      ({key, status}) => status?.toUpperCase() === 'AWAITING_TRANSFER' && !this.#announced.has(key),
    )
    for (const {key} of awaiting) this.#announced.add(key)
    const [first] = awaiting
    if (!first) return
    const [rows, their] = awaiting.length === 1 ? ['row awaits', 'its'] : ['rows await', 'their']
    this.#settings.progress.notice(
      `${awaiting.length} ${rows} a transfer (${describeLines(awaiting)}); \`svc transactions get ${quoteForShell(first.transaction ?? 'ID')}\` shows ${their} instructions.`,
    )
  }

  // Rows in progress are finished after the first signal; nothing is in progress while the run waits.
  async #payAndWait(): Promise<void> {
    const {wait, timeoutMs, progress, onResult} = this.#settings
    const {halt} = this.#run
    const onFirst = () => {
      if (this.#inProgress.size === 0) return
      progress.notice(`Finishing the rows in progress (${this.#inProgress.size}); press Ctrl-C again to stop at once.`)
    }
    // Registered before those of the requests, which know less. Printed if a second signal ends the process.
    const unregister = registerExitNotice(() => {
      if (halt.reason === undefined || this.#inProgress.size === 0) return undefined
      const message = `Stopped at once; the rows in progress (${this.#inProgress.size}) may or may not have been paid`
      return {message, hint: 'Run the file again to settle what is not known, without paying twice'}
    })
    const cancelTimeout = haltAfter(halt, timeoutMs)
    await withSignals(halt, onFirst, async () => {
      await this.#payRows()
      if (wait) await this.#follow(wait)
    }).finally(() => {
      cancelTimeout()
      unregister()
    })
    if (wait) for (const result of this.#listResults().filter(isUnderWay)) onResult?.(result)
    await this.#readAgain()
  }

  async run(): Promise<EndedRun> {
    const {stopped, resultFile, notifier, wait, isSilent} = this.#settings
    const {rows, halt} = this.#run
    if (stopped.length > 0) this.#failures.push(createRefusal(stopped, rows, false))
    for (const result of stopped) this.#tell(result)
    resultFile?.removeEarlier()
    try {
      await this.#payAndWait()
    } finally {
      notifyRows(notifier, rows, this.#listResults())
      // Who stops a run does not wait for names, and where nothing was tried, nothing is read.
      const isNamed = halt.reason === undefined && rows.length > stopped.length
      await writeResultFile(this.#settings, this.#listResults(), isNamed)
    }
    // The rows say what became of every request.
    clearExitNotices()
    const results = this.#listResults()
    const outcome = {results, failures: this.#failures, reason: halt.reason, isSilent}
    return {results, failure: buildRunError({...outcome, isAwaited: wait !== undefined, isSandbox: wait?.isSandbox})}
  }
}

export const runSession = (run: OpenRun, settings: SessionSettings): Promise<EndedRun> =>
  new Session(run, settings).run()

type Reporting = Pick<SessionSettings, 'resultFile' | 'notifier' | 'alert'>

// What was paid is reported even if it cannot be written, for example because the disk is full.
async function writeResultFile({resultFile, alert}: Reporting, results: readonly PayoutResult[], isNamed: boolean) {
  await resultFile?.write([results], isNamed).catch((error: unknown) => {
    if (!(error instanceof SvcError)) throw error
    alert(error.message)
  })
}

// Reports a file of which nothing is paid, because of some of its rows.
export async function refuseFile(run: OpenRun, stopped: readonly PayoutResult[], reporting: Reporting) {
  const results = await reportRows(run, run.rows, new Map(stopped.map((result) => [result.key, result])))
  notifyRows(reporting.notifier, run.rows, results)
  await writeResultFile(reporting, results, false)
  return results
}
