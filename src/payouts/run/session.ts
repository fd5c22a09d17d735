// Runs a batch with signals, progress, the result file, and the right exit code if the process ends early.
import {type SvcError, getExitCode} from '../../errors.ts'
import {type ExitNotice, clearExitNotices, registerExitNotice} from '../../cli/exit-notice.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import {buildRunError, hasFailed} from './run-error.ts'
import {type StopReason, haltAfter} from './halt.ts'
import type {Progress} from './progress.ts'
import {notifyRows} from './notify-rows.ts'
import {type ResultFileSettings, prepareResultFile} from './prepare-result-file.ts'
import {type PayoutResult, isUnderWay} from './result.ts'
import {RowLog} from './row-log.ts'
import {describeChangedRow} from './journal-state.ts'
import {type RowStop, createOverLimitError, toStoppedResult} from './row-stop.ts'
import {type Batch, runBatch} from './run.ts'
import {withSignals} from './signals.ts'
import {type WaitSettings, waitForEnds} from './wait-for-ends.ts'

export interface SessionResult {
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

const describeRowsInProgress = (count: number): ExitNotice => ({
  message: `Stopped at once; ${count === 1 ? 'the row' : `the ${count} rows`} in progress may or may not have been paid`,
  hint: 'Run the file again to settle them without paying twice',
})

type SessionBatch = Omit<Batch, 'onBegin' | 'onEnd'>

export async function runSession(batch: SessionBatch, settings: SessionSettings): Promise<SessionResult> {
  const {stops, progress, isQuiet, notice, timeoutMs, wait, onResult} = settings
  const {rows, halt} = batch
  const stopped = stops.map(toStoppedResult)
  const log = new RowLog(rows, stopped)
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
  const unregister = registerExitNotice(() =>
    log.inProgressCount > 0 ? describeRowsInProgress(log.inProgressCount) : undefined,
  )
  process.exitCode = getExitCode('interrupted')
  let resultNotices: string[] = []
  try {
    const rowFailure = await payRows(batch, log, settings)
    firstFailure = overLimit ?? rowFailure
    progress.end()
    const isWaitPossible = halt.reason === undefined || halt.reason === 'failures'
    if (wait && isWaitPossible) waitReason = await waitForRows(batch, log, {...settings, wait, deadlineMs})
    if (wait) for (const result of log.listResults().filter(isUnderWay)) onResult?.(result)
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
  for (const text of resultNotices) notice(text)
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
  await withSignals(batch.halt, onFirstSignal, () =>
    runBatch({
      ...batch,
      rows: batch.rows.filter(({key}) => !log.find(key)),
      onBegin: (row) => log.begin(row),
      onRowDone: (row) => log.end(row),
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
