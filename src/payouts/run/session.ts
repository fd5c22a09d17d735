// A run of a payout file from its first row to its last word: pays the rows, several at a time and each once under its own key, until
// all have ended or the run is stopped, with signals, progress, --wait, notifications and the result file.
import {clearExitNotices, registerExitNotice} from '../../cli/exit.ts'
import type {SvcError} from '../../errors.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import {JournalUnusable} from '../../payments/journal/journal.ts'
import {createRefusal} from '../file/check-file.ts'
import {CustomerLists} from './customer-lists.ts'
import {forEachConcurrently} from './for-each-concurrently.ts'
import {type Halt, type StopReason, haltAfter, withSignals} from './halt.ts'
import {type EndedRow, type RowPayer, payRow} from './pay-row.ts'
import {type ProgressSettings, startRowProgress} from './progress.ts'
import {buildRunError, hasFailed, notifyRows} from './report-run.ts'
import type {ResultFile} from './result-file.ts'
import {type PayoutResult, isUnderWay} from './result.ts'
import {hasTransaction} from './row-states.ts'
import {type OpenRun, reportRows} from './run.ts'
import {type WaitSettings, waitForEnds} from './wait.ts'

// How long one row may wait for another process, or to be settled, while the other rows go on.
const rowWaitMaxMs = 60_000

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
  wait: Omit<WaitSettings, 'progress'> | undefined
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

class Session {
  readonly #run: OpenRun
  readonly #settings: SessionSettings
  readonly #results = new Map<string, PayoutResult>()
  readonly #inProgress = new Set<string>()
  readonly #madeHere = new Set<string>()
  readonly #failures: SvcError[] = []
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
  async #payRows(onEnd: (result: PayoutResult) => void): Promise<void> {
    const {serviceId, known, halt, concurrency, failureBudget, ...run} = this.#run
    const context = {...run.context, service: failureBudget.wrap(run.context.service)}
    const {findObjection} = this.#settings
    const payer = {context, serviceId, lists: new CustomerLists(context), halt, rowWaitMs: rowWaitMaxMs, findObjection}
    const rows = run.rows.filter(({key}) => !this.#results.has(key))
    await forEachConcurrently(rows, concurrency, async (row) => {
      if (halt.reason !== undefined) return
      this.#inProgress.add(row.key)
      const ended = await payRow(payer, row, known.get(row.key)?.payment)
      this.#end(ended)
      onEnd(ended.result)
    })
    const untried = rows.filter(({key}) => !this.#results.has(key))
    for (const result of await reportRows(this.#run, untried)) this.#tell(result)
  }

  async #pay(): Promise<void> {
    const {rows, halt} = this.#run
    const {progress: settings} = this.#settings
    const progress = startRowProgress(settings, rows.length - this.#results.size)
    const onFirst = () =>
      settings.notice(`Finishing the rows in progress (${this.#inProgress.size}); press Ctrl-C again to stop at once.`)
    // Registered before those of the requests, which know less. Printed if a second signal ends the process.
    const unregister = registerExitNotice(() => {
      if (halt.reason === undefined || this.#inProgress.size === 0) return undefined
      const message = `Stopped at once; the rows in progress (${this.#inProgress.size}) may or may not have been paid`
      return {message, hint: 'Run the file again to settle what is not known, without paying twice'}
    })
    const work = () => this.#payRows((result) => progress.addRow(hasFailed(result)))
    await withSignals(halt, onFirst, work).finally(() => {
      progress.end()
      unregister()
    })
  }

  // Returns why the run stopped before every row had ended.
  async #payAndWait(): Promise<StopReason | undefined> {
    const {wait, timeoutMs, onResult, progress} = this.#settings
    const {halt} = this.#run
    const deadlineMs = performance.now() + (timeoutMs ?? Number.POSITIVE_INFINITY)
    const cancelTimeout = haltAfter(halt, timeoutMs)
    await this.#pay().finally(cancelTimeout)
    const isWaitPossible = halt.reason === undefined || halt.reason === 'failures'
    const onChange = (result: PayoutResult) => this.#tell(result)
    const waitReason =
      wait && isWaitPossible
        ? await waitForEnds(this.#run, this.#listResults(), {...wait, progress, deadlineMs, onChange})
        : undefined
    if (wait) for (const result of this.#listResults().filter(isUnderWay)) onResult?.(result)
    await this.#readAgain()
    return halt.reason ?? waitReason
  }

  async run(): Promise<EndedRun> {
    const {stopped, resultFile, notifier, wait, isSilent} = this.#settings
    const {rows, halt} = this.#run
    if (stopped.length > 0) this.#failures.push(createRefusal(stopped, rows, false))
    for (const result of stopped) this.#tell(result)
    resultFile?.removeEarlier()
    let reason: StopReason | undefined
    try {
      reason = await this.#payAndWait()
    } finally {
      notifyRows(notifier, rows, this.#listResults())
      // Who stops a run does not wait for names, and where nothing was tried, nothing is read.
      const isNamed = halt.reason === undefined && rows.length > stopped.length
      await resultFile?.write(this.#listResults(), isNamed)
    }
    // The rows say what became of every request.
    clearExitNotices()
    const results = this.#listResults()
    const outcome = {results, failures: this.#failures, reason, isSilent}
    return {results, failure: buildRunError({...outcome, isAwaited: wait !== undefined, isSandbox: wait?.isSandbox})}
  }
}

export const runSession = (run: OpenRun, settings: SessionSettings): Promise<EndedRun> =>
  new Session(run, settings).run()

// Reports a file of which nothing is paid, because of some of its rows.
export async function refuseFile(
  run: OpenRun,
  stopped: readonly PayoutResult[],
  {resultFile, notifier}: Pick<SessionSettings, 'resultFile' | 'notifier'>,
): Promise<PayoutResult[]> {
  const results = await reportRows(run, run.rows, new Map(stopped.map((result) => [result.key, result])))
  notifyRows(notifier, run.rows, results)
  await resultFile?.write(results, false)
  return results
}
