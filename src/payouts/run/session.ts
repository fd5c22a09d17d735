// A run of a payout file from its first row to its last word: signals, progress, --wait, notifications and the result file.
import {clearExitNotices, registerExitNotice} from '../../cli/exit.ts'
import type {SvcError} from '../../errors.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import {createRefusal} from '../file/check-file.ts'
import {type StopReason, haltAfter, withSignals} from './halt.ts'
import {type ProgressSettings, startRowProgress} from './progress.ts'
import {buildRunError, hasFailed, notifyRows} from './report-run.ts'
import type {ResultFile} from './result-file.ts'
import {type PayoutResult, isUnderWay} from './result.ts'
import {hasTransaction} from './row-states.ts'
import {type OpenRun, type RowEvents, payRows, reportRows} from './run.ts'
import {type WaitSettings, waitForEnds} from './wait.ts'

export interface SessionSettings extends Pick<RowEvents, 'findObjection'> {
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

class Session {
  readonly #run: OpenRun
  readonly #settings: SessionSettings
  readonly #results = new Map<string, PayoutResult>()
  readonly #inProgress = new Set<string>()
  readonly #madeHere = new Set<string>()
  readonly #failures: SvcError[] = []

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

  async #pay(): Promise<void> {
    const run = this.#run
    const {progress: settings, findObjection} = this.#settings
    const rows = run.rows.filter(({key}) => !this.#results.has(key))
    const progress = startRowProgress(settings, rows.length)
    const events: RowEvents = {
      findObjection,
      onBegin: ({key}) => this.#inProgress.add(key),
      onEnd: (result, ended) => {
        if (ended?.failure) this.#failures.push(ended.failure)
        if (ended?.isMadeHere) this.#madeHere.add(result.key)
        this.#tell(result)
        if (ended) progress.addRow(hasFailed(result))
      },
    }
    const onFirst = () =>
      settings.notice(`Finishing the rows in progress (${this.#inProgress.size}); press Ctrl-C again to stop at once.`)
    // Registered before those of the requests, which know less. Printed if a second signal ends the process.
    const unregister = registerExitNotice(() => {
      if (run.halt.reason === undefined || this.#inProgress.size === 0) return undefined
      const message = `Stopped at once; the rows in progress (${this.#inProgress.size}) may or may not have been paid`
      return {message, hint: 'Run the file again to settle what is not known, without paying twice'}
    })
    await withSignals(run.halt, onFirst, () => payRows({...run, rows}, events)).finally(() => {
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
