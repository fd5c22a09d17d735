// Runs a batch with signals, progress, the result file, and the right exit code if the process ends early.
import {EventEmitter, once} from 'node:events'
import {type ExitNotice, clearExitNotices, registerExitNotice} from '../../cli/exit.ts'
import type {Result} from '../../cli/output/result.ts'
import {type SvcError, getExitCode} from '../../errors.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import type {PayoutRow} from '../file/rows.ts'
import {type WaitSettings, waitForEnds} from './follow.ts'
import {type StopReason, haltAfter, withSignals} from './halt.ts'
import {describeChangedRow, getKnownPayment} from './journal-state.ts'
import type {Progress} from './progress.ts'
import {buildRunError, hasFailed, notifyRows} from './report-run.ts'
import {type ResultFileSettings, prepareResultFile} from './result-file.ts'
import {
  type PayoutResult,
  type RowStop,
  createOverLimitError,
  isUnderWay,
  toBaseResult,
  toStoppedResult,
} from './result.ts'
import {tellOutcome} from './row-outcome.ts'
import {hasTransaction} from './row-states.ts'
import {type Batch, reportRows, runBatch} from './run.ts'
import {payoutView} from './view.ts'

interface SessionResult {
  // In the order of the file.
  results: PayoutResult[]
  failure: SvcError | undefined
}

export interface SessionSettings extends ResultFileSettings {
  // Rows that do not fit the limits, and are not tried.
  stops: readonly RowStop[]
  progress: Progress
  isQuiet: boolean
  // The value of --timeout.
  timeoutMs?: number | undefined
  // Present with --wait: rows that were made are followed to their end.
  wait?: WaitSettings | undefined
  onResult?: ((result: PayoutResult) => void) | undefined
  // Who is told what needs a person, if anybody is.
  notifier?: Notifier | undefined
}

// `unknown` are those of the rows in progress that may have been sent.
function describeRowsInProgress({count, unknown}: {count: number; unknown: number}): ExitNotice | undefined {
  if (count === 0) return undefined
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

type SessionBatch = Omit<Batch, 'onBegin' | 'onEnd'>

export async function runSession(batch: SessionBatch, settings: SessionSettings): Promise<SessionResult> {
  const {stops, progress, isQuiet, notice, timeoutMs, wait, onResult} = settings
  const {rows, halt} = batch
  const stopped = stops.map(toStoppedResult)
  const log = new RowLog(batch, stopped)
  for (const result of stopped) onResult?.(result)
  const deadlineMs = performance.now() + (timeoutMs ?? Number.POSITIVE_INFINITY)
  const overLimit = stops.length > 0 ? createOverLimitError(stops, rows, false) : undefined
  let firstFailure: SvcError | undefined
  let waitReason: StopReason | undefined
  // Should the process end before the rows have, it ends with process.exitCode.
  const writeResultFile = prepareResultFile(settings)
  const onExit = () => {
    notifyRows(settings.notifier, rows, log.listResults())
    writeResultFile(log.listResults())
  }
  const cancelTimeout = haltAfter(halt, timeoutMs)
  process.once('exit', onExit)
  const unregister = registerExitNotice(() => describeRowsInProgress(log.countInProgress()))
  process.exitCode = getExitCode('interrupted')
  let resultNotices: string[] = []
  let namesMissing: string | undefined
  try {
    const rowFailure = await payRows(batch, log, settings)
    firstFailure = overLimit ?? rowFailure
    progress.end()
    const isWaitPossible = halt.reason === undefined || halt.reason === 'failures'
    if (wait && isWaitPossible) waitReason = await waitForRows(batch, log, {...settings, wait, deadlineMs})
    if (wait) for (const result of log.listResults().filter(isUnderWay)) onResult?.(result)
    for (const result of await log.readAgain()) onResult?.(result)
    // Who stops a run does not wait for names, and where nothing was tried, nothing is read.
    if (isWaitPossible && rows.length > stops.length)
      namesMissing = await settings.resultFile?.readNames(log.listResults())
  } finally {
    cancelTimeout()
    progress.end()
    process.off('exit', onExit)
    unregister()
    process.exitCode = undefined
    notifyRows(settings.notifier, rows, log.listResults())
    resultNotices = writeResultFile(log.listResults())
  }
  // The rows say what became of every request.
  clearExitNotices()
  for (const text of [...resultNotices, ...(namesMissing ? [namesMissing] : [])]) notice(text)
  const results = log.listResults()
  const reason = halt.reason ?? waitReason
  return {
    results,
    failure: buildRunError({
      results,
      firstFailure,
      reason,
      isQuiet,
      isAwaited: wait !== undefined,
      isSandbox: wait?.isSandbox ?? false,
    }),
  }
}

function alertDifference({line, key, difference}: PayoutResult, alert: SessionSettings['alert']): void {
  if (difference !== undefined) alert(`line ${line}, ${key}: ${difference}`)
}

// Pays the rows that have no result yet. Returns the first failure.
async function payRows(
  batch: SessionBatch,
  log: RowLog,
  {progress, notice, alert, wait, onResult}: SessionSettings,
): Promise<SvcError | undefined> {
  const keysKnownChanged = new Set(batch.journalState.changedRows.map(({key}) => key))
  let firstFailure: SvcError | undefined
  const onFirstSignal = () =>
    notice(`Finishing the rows in progress (${log.activeCount}); press Ctrl-C again to stop at once.`)
  await withSignals(batch.halt, {onFirst: onFirstSignal, onSecond: () => log.readInProgress()}, () =>
    runBatch({
      ...batch,
      rows: batch.rows.filter(({key}) => !log.find(key)),
      onBegin: (row) => log.begin(row),
      // Changes that were known before the run are announced before it.
      onChanged: (row) => keysKnownChanged.has(row.key) || alert(describeChangedRow(row)),
      onEnd(result, failure) {
        log.record(result)
        firstFailure ??= failure
        alertDifference(result, alert)
        if (result.state !== 'NOT_TRIED') progress.addRow(hasFailed(result))
        // A row is reported once, when it has ended.
        if (!wait || !isUnderWay(result)) onResult?.(result)
      },
    }),
  )
  return firstFailure
}

// Returns why the waiting stopped before every row had ended.
function waitForRows(
  batch: SessionBatch,
  log: RowLog,
  {notice, alert, onResult, wait, deadlineMs}: SessionSettings & {wait: WaitSettings; deadlineMs: number},
): Promise<StopReason | undefined> {
  const onChange = (result: PayoutResult) => {
    if (result.difference !== log.find(result.key)?.difference) alertDifference(result, alert)
    log.record(result)
    if (!isUnderWay(result)) onResult?.(result)
  }
  return waitForEnds({...batch, ...wait, results: log.listResults(), deadlineMs, notice, onChange})
}

// What is known about every row while a run goes on. It can be listed at any moment, also when the process ends early.
const interruptedRow = {
  error: 'CUT_SHORT',
  message: 'svc ended while this row was in progress; run the file again to settle it without paying twice',
}

class RowLog {
  readonly #batch: SessionBatch
  readonly #resultsByKey: Map<string, PayoutResult>
  // Rows that were in progress when the run was stopped at once, as the journal has them.
  #interrupted: readonly PayoutResult[] = []
  // Rows that were started, and have no result yet.
  readonly #inProgress = new Set<string>()

  // `known` are the results of rows that are not tried.
  constructor(batch: SessionBatch, known: readonly PayoutResult[]) {
    this.#batch = batch
    this.#resultsByKey = new Map(known.map((result) => [result.key, result]))
  }

  // How many rows are being paid now.
  get activeCount(): number {
    return this.#inProgress.size
  }

  // How many rows had no result when the run was stopped, and how many of them may have been sent.
  countInProgress(): {count: number; unknown: number} {
    const unknown = this.#interrupted.filter(({state}) => state === 'UNKNOWN').length
    return {
      count: this.#inProgress.size + this.#interrupted.length,
      unknown: this.#inProgress.size + unknown,
    }
  }

  begin({key}: PayoutRow): void {
    this.#inProgress.add(key)
  }

  // Also replaces an earlier result of the row.
  record(result: PayoutResult): void {
    this.#inProgress.delete(result.key)
    this.#resultsByKey.set(result.key, result)
  }

  find(key: string): PayoutResult | undefined {
    return this.#resultsByKey.get(key)
  }

  // In the order of the file.
  listResults(): PayoutResult[] {
    return this.#batch.rows.map((row) => this.find(row.key) ?? this.#describeUnended(row))
  }

  // Another process may have settled or sent since what this run could not bring to an end. Returns the rows that changed.
  async readAgain(): Promise<PayoutResult[]> {
    const open = this.#batch.rows.filter(({key}) => {
      const result = this.find(key)
      return result !== undefined && !hasTransaction(result.state)
    })
    const told = await reportRows(this.#batch, open, (key) => this.find(key))
    const changed = told.filter((result) => result !== this.find(result.key))
    for (const result of changed) this.record(result)
    return changed
  }

  // The process is about to end: what the journal has of the rows in progress is read.
  async readInProgress(): Promise<void> {
    const rows = this.#batch.rows.filter(({key}) => this.#inProgress.has(key))
    const results = await reportRows(this.#batch, rows, undefined, false)
    this.#interrupted = results.map((result) =>
      result.state === 'UNKNOWN' ? {...result, error: interruptedRow} : result,
    )
    for (const result of this.#interrupted) this.record(result)
  }

  // Called when the process ends, which leaves no time to read the journal.
  #describeUnended(row: PayoutRow): PayoutResult {
    const known = getKnownPayment(row, this.#batch.journalState)
    const heard: PayoutResult = this.#inProgress.has(row.key)
      ? {...toBaseResult(row, 'UNKNOWN'), error: interruptedRow}
      : toBaseResult(row, 'NOT_TRIED')
    return tellOutcome(row, known && {payment: known}, heard, true)
  }
}

// A list result whose rows are printed while the run goes on.
type Work = (onResult: (result: PayoutResult) => void) => Promise<SvcError | undefined>

// `failure` is set after the last row. It is read only then.
export function streamResults(work: Work): Result {
  let failure: SvcError | undefined
  async function* pages() {
    const emitter = new EventEmitter()
    let pendingRows: PayoutResult[] = []
    let hasEnded = false
    const run = work((result) => {
      pendingRows.push(result)
      emitter.emit('row')
    }).finally(() => {
      hasEnded = true
      emitter.emit('row')
    })
    // A failure is thrown by the await below, after the rows that ended before it.
    run.catch(() => {})
    for (;;) {
      const items = pendingRows
      pendingRows = []
      if (items.length > 0) yield {items, envelope: {payouts: items}}
      else if (hasEnded) break
      else await once(emitter, 'row')
    }
    failure = await run
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
