// Runs a batch with signals, progress, the result file, and the right exit code if the process ends early.
import {type SvcError, getExitCode} from '../errors.ts'
import {type ExitNotice, registerExitNotice} from '../cli/exit-notice.ts'
import {buildRunError, hasFailed} from './run-error.ts'
import {type StopReason, haltAfter} from './halt.ts'
import type {Progress} from './progress.ts'
import {type ResultFileSettings, describeResultFile, prepareResultFile} from './prepare-result-file.ts'
import {type PayoutResult, isUnderWay, toBaseResult} from './result.ts'
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
}

const interruptedRow = {
  error: 'CUT_SHORT',
  message: 'svc ended while this row was in progress; run the file again to settle it without paying twice',
}

const describeRowsInProgress = (count: number): ExitNotice => ({
  message: `Stopped at once; ${count === 1 ? 'the row' : `the ${count} rows`} in progress may or may not have been paid`,
  hint: 'Run the file again to settle them without paying twice',
})

type SessionBatch = Omit<Batch, 'onBegin' | 'onEnd'>

export async function runSession(
  batch: SessionBatch,
  {resultFile, stops, progress, isQuiet, notice, alert, timeoutMs, wait, onResult}: SessionSettings,
): Promise<SessionResult> {
  const {rows, halt, journalState} = batch
  const announced = new Set(journalState.changedRows.map(({key}) => key))
  const resultsByKey = new Map(stops.map((stop) => [stop.row.key, toStoppedResult(stop)]))
  const tried = rows.filter(({key}) => !resultsByKey.has(key))
  for (const stopped of resultsByKey.values()) onResult?.(stopped)
  const deadlineMs = performance.now() + (timeoutMs ?? Number.POSITIVE_INFINITY)
  const inProgress = new Set<string>()
  let waitReason: StopReason | undefined
  let firstFailure = stops.length > 0 ? createOverLimitError(stops, rows, false) : undefined
  const collectResults = () =>
    rows.map((row) => {
      const known = resultsByKey.get(row.key)
      if (known) return known
      return inProgress.has(row.key)
        ? {...toBaseResult(row, 'UNKNOWN'), error: interruptedRow}
        : toBaseResult(row, 'NOT_TRIED')
    })
  const alertDifference = ({line, key, difference}: PayoutResult) => {
    if (difference !== undefined) alert(`line ${line}, ${key}: ${difference}`)
  }
  // The process may also end because the reader of its output closed the pipe. It then ends with process.exitCode.
  const writeResultFile = prepareResultFile({resultFile, notice, alert})
  const onExit = () => void writeResultFile(collectResults())
  const cancelTimeout = haltAfter(halt, timeoutMs)
  process.once('exit', onExit)
  const unregister = registerExitNotice(() =>
    inProgress.size > 0 ? describeRowsInProgress(inProgress.size) : undefined,
  )
  process.exitCode = getExitCode('interrupted')
  let isWritten = false
  try {
    const onFirstSignal = () =>
      notice(`Finishing the rows in progress (${inProgress.size}); press Ctrl-C again to stop at once.`)
    await withSignals(halt, onFirstSignal, () =>
      runBatch({
        ...batch,
        rows: tried,
        onBegin: ({key}) => inProgress.add(key),
        // Changes that were known before the run are announced before it.
        onChanged: (row) => announced.has(row.key) || alert(describeChangedRow(row)),
        onEnd(result, failure) {
          inProgress.delete(result.key)
          resultsByKey.set(result.key, result)
          firstFailure ??= failure
          alertDifference(result)
          if (result.state !== 'NOT_TRIED') progress.addRow(hasFailed(result))
          // A row is reported once, when it has ended.
          if (!wait || !isUnderWay(result)) onResult?.(result)
        },
      }),
    )
    progress.end()
    if (wait && (halt.reason === undefined || halt.reason === 'failures')) {
      const onChange = (result: PayoutResult) => {
        if (result.difference !== resultsByKey.get(result.key)?.difference) alertDifference(result)
        resultsByKey.set(result.key, result)
        if (!isUnderWay(result)) onResult?.(result)
      }
      const waiting = {...batch, ...wait, results: collectResults(), deadlineMs, notice, onChange}
      waitReason = await waitForEnds(waiting)
    }
    if (wait) for (const result of collectResults().filter(isUnderWay)) onResult?.(result)
  } finally {
    cancelTimeout()
    progress.end()
    process.off('exit', onExit)
    unregister()
    process.exitCode = undefined
    isWritten = writeResultFile(collectResults())
  }
  if (isWritten) notice(describeResultFile(resultFile))
  return {
    results: collectResults(),
    failure: buildRunError({
      results: collectResults(),
      firstFailure,
      reason: halt.reason ?? waitReason,
      isQuiet,
      isAwaited: wait !== undefined,
    }),
  }
}
