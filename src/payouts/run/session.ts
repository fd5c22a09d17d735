// A run of a payout file from its first row to its last word: signals, progress, --wait, notifications and the result file.
import {PassThrough} from 'node:stream'
import {type ExitNotice, clearExitNotices, registerExitNotice} from '../../cli/exit.ts'
import type {Result} from '../../cli/output/result.ts'
import {type SvcError, getSystemCode} from '../../errors.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import {createRefusal} from '../file/check-file.ts'
import {type WaitSettings, waitForEnds} from './follow.ts'
import {type StopReason, haltAfter, withSignals} from './halt.ts'
import {type ProgressSettings, startRowProgress} from './progress.ts'
import {buildRunError, hasFailed, notifyRows} from './report-run.ts'
import type {ResultFile} from './result-file.ts'
import {type PayoutResult, isUnderWay} from './result.ts'
import {hasTransaction} from './row-states.ts'
import {type OpenRun, type RowEvents, payRows, reportRows} from './run.ts'
import {payoutView} from './view.ts'

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
  wait: WaitSettings | undefined
  onResult?: ((result: PayoutResult) => void) | undefined
  notice: (text: string) => void
  alert: (text: string) => void
}

export interface EndedRun {
  // In the order of the file.
  results: PayoutResult[]
  failure: SvcError | undefined
}

const interruptedRow = {
  error: 'CUT_SHORT',
  message: 'svc ended while this row was in progress; run the file again to settle it without paying twice',
}

function describeStop(unknown: number | undefined): ExitNotice | undefined {
  if (unknown === undefined) return undefined
  if (unknown === 0) {
    return {
      message: 'Stopped at once; of every row it is known whether it was paid',
      hint: 'Run the file again to continue; nothing is paid twice',
    }
  }
  const [rows, them] = unknown === 1 ? ['the row', 'it'] : [`the ${unknown} rows`, 'them']
  return {
    message: `Stopped at once; ${rows} in progress may or may not have been paid`,
    hint: `Run the file again to settle ${them} without paying twice`,
  }
}

class Session {
  readonly #run: OpenRun
  readonly #settings: SessionSettings
  readonly #results: Map<string, PayoutResult>
  readonly #inProgress = new Set<string>()
  readonly #failures: SvcError[]
  // How many rows were unknown when the second signal came.
  #unknownAtStop: number | undefined

  constructor(run: OpenRun, settings: SessionSettings) {
    const {stopped} = settings
    this.#run = run
    this.#settings = settings
    this.#results = new Map(stopped.map((result) => [result.key, result]))
    this.#failures = stopped.length > 0 ? [createRefusal(stopped, run.rows, false)] : []
  }

  #tell(result: PayoutResult): void {
    const {wait, alert, onResult} = this.#settings
    const {line, key, difference} = result
    if (difference !== undefined && difference !== this.#results.get(key)?.difference) {
      alert(`line ${line}, ${key}: ${difference}`)
    }
    this.#results.set(key, result)
    this.#inProgress.delete(key)
    // With --wait a row is reported once, when it has ended.
    if (!wait || !isUnderWay(result)) onResult?.(result)
  }

  #listResults(): PayoutResult[] {
    return this.#run.rows.flatMap(({key}) => this.#results.get(key) ?? [])
  }

  #finish(): void {
    finishRun(this.#run.rows, this.#listResults(), this.#settings)
  }

  // Another process may have settled or sent since what this run could not bring to an end.
  async #readAgain(): Promise<void> {
    const open = this.#run.rows.filter(({key}) => !hasTransaction(this.#results.get(key)?.state ?? 'NOT_TRIED'))
    const told = await reportRows(this.#run, open, (key) => this.#results.get(key))
    for (const result of told) if (result !== this.#results.get(result.key)) this.#tell(result)
  }

  // The second signal: nothing more is sent, and the rows in progress are told as the journal has them.
  async #stopAtOnce(): Promise<void> {
    const run = this.#run
    const active = run.rows.filter(({key}) => this.#inProgress.has(key))
    const told = (await reportRows(run, active, undefined, false)).map((result) =>
      result.state === 'UNKNOWN' ? {...result, error: interruptedRow} : result,
    )
    this.#unknownAtStop = told.filter(({state}) => state === 'UNKNOWN').length
    const left = run.rows.filter(({key}) => !this.#results.has(key) && !this.#inProgress.has(key))
    for (const result of [...told, ...(await reportRows(run, left))]) this.#tell(result)
    this.#finish()
  }

  async #pay(): Promise<void> {
    const run = this.#run
    const {notice, findObjection} = this.#settings
    const rows = run.rows.filter(({key}) => !this.#results.has(key))
    const progress = startRowProgress(this.#settings.progress, rows.length)
    const events: RowEvents = {
      findObjection,
      onBegin: ({key}) => this.#inProgress.add(key),
      onEnd: (result, failure) => {
        if (failure) this.#failures.push(failure)
        this.#tell(result)
        if (result.state !== 'NOT_TRIED') progress.addRow(hasFailed(result))
      },
    }
    const onFirst = () =>
      notice(`Finishing the rows in progress (${this.#inProgress.size}); press Ctrl-C again to stop at once.`)
    const onSecond = () => this.#stopAtOnce()
    // Registered before those of the requests, which know less.
    const unregister = registerExitNotice(() => describeStop(this.#unknownAtStop))
    await withSignals(run.halt, {onFirst, onSecond}, () => payRows({...run, rows}, events)).finally(() => {
      progress.end()
      unregister()
    })
  }

  // Returns why the run stopped before every row had ended.
  async #payAndWait(): Promise<StopReason | undefined> {
    const {stopped, resultFile, wait, timeoutMs, notice, onResult} = this.#settings
    const {rows, halt} = this.#run
    const deadlineMs = performance.now() + (timeoutMs ?? Number.POSITIVE_INFINITY)
    const cancelTimeout = haltAfter(halt, timeoutMs)
    await this.#pay().finally(cancelTimeout)
    const isWaitPossible = halt.reason === undefined || halt.reason === 'failures'
    const onChange = (result: PayoutResult) => this.#tell(result)
    const waiting = wait && isWaitPossible && {...wait, deadlineMs, notice, onChange}
    const waitReason = waiting && (await waitForEnds(this.#run, this.#listResults(), waiting))
    if (wait) for (const result of this.#listResults().filter(isUnderWay)) onResult?.(result)
    await this.#readAgain()
    // Who stops a run does not wait for names, and where nothing was tried, nothing is read.
    const names = isWaitPossible && rows.length > stopped.length ? resultFile?.names : undefined
    await names?.read(this.#listResults().map(({customer}) => customer))
    const missing = names?.describeMissing()
    if (missing !== undefined) notice(missing)
    return halt.reason ?? (waitReason || undefined)
  }

  async run(): Promise<EndedRun> {
    const {stopped, resultFile, wait, isSilent, onResult} = this.#settings
    for (const result of stopped) onResult?.(result)
    resultFile?.setAside()
    const reason = await this.#payAndWait().finally(() => this.#finish())
    // The rows say what became of every request.
    clearExitNotices()
    const outcome = {results: this.#listResults(), failures: this.#failures, reason, isSilent}
    const failure = buildRunError({...outcome, isAwaited: wait !== undefined, isSandbox: wait?.isSandbox})
    return {results: outcome.results, failure}
  }
}

export const runSession = (run: OpenRun, settings: SessionSettings): Promise<EndedRun> =>
  new Session(run, settings).run()

// Reports a file of which nothing is paid, because of some of its rows.
export async function refuseFile(
  run: OpenRun,
  stopped: readonly PayoutResult[],
  settings: FinishSettings,
): Promise<PayoutResult[]> {
  settings.resultFile?.setAside()
  const byKey = new Map(stopped.map((result) => [result.key, result]))
  const results = await reportRows(run, run.rows, (key) => byKey.get(key))
  finishRun(run.rows, results, settings)
  return results
}

type FinishSettings = Pick<SessionSettings, 'resultFile' | 'notifier' | 'notice' | 'alert'>

// What was paid is reported even if the file cannot be written, for example because the disk is full.
function finishRun(
  rows: OpenRun['rows'],
  results: readonly PayoutResult[],
  {resultFile, notifier, notice, alert}: FinishSettings,
): void {
  notifyRows(notifier, rows, results)
  if (!resultFile) return
  try {
    resultFile.write(results)
    notice(`The outcome of every row is in ${resultFile.name}.`)
  } catch (error) {
    alert(`The result file ${resultFile.name} could not be written (${getSystemCode(error) ?? String(error)})`)
  }
}

// A list result whose rows are printed while the run goes on. `failure` is set after the last row, and read only then.
export function streamResults(
  work: (onResult: (result: PayoutResult) => void) => Promise<SvcError | undefined>,
): Result {
  let failure: SvcError | undefined
  async function* pages() {
    const ended = new PassThrough({objectMode: true})
    const running = work((result) => void ended.write(result)).finally(() => ended.end())
    // A failure is thrown by the await below, after the rows that ended before it.
    running.catch(() => {})
    for await (const result of ended)
      yield {items: [result as PayoutResult], envelope: {payouts: [result as PayoutResult]}}
    failure = await running
  }
  return {
    kind: 'list',
    key: 'payouts',
    view: payoutView,
    pages: pages(),
    get failure() {
      return failure
    },
  }
}
