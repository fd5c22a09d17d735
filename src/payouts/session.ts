// Runs a batch with signals, progress, the result file, and the right exit code if the process ends early.
import {type SvcError, getExitCode, getSystemCode} from '../errors.ts'
import {type ExitNotice, registerExitNotice} from '../cli/exit-notice.ts'
import {buildRunError, hasFailed} from './run-error.ts'
import {isUnderWay} from './follow.ts'
import {type StopReason, haltAfter} from './halt.ts'
import type {Progress} from './progress.ts'
import type {ResultFile} from './result-file.ts'
import {type PayoutResult, toBaseResult} from './result.ts'
import {describeChangedRow, isCreated, isOpen} from './journal-state.ts'
import {type RowStop, rejectOverLimit, toStoppedResult} from './row-stop.ts'
import {type Batch, reportCreated, runBatch} from './run.ts'
import {withSignals} from './signals.ts'
import {type WaitSettings, waitForEnds} from './wait-for-ends.ts'

export interface SessionResult {
  // In the order of the file.
  results: PayoutResult[]
  failure: SvcError | undefined
}

export interface SessionSettings {
  resultFile?: ResultFile | undefined
  // Rows that do not fit the limits, and are not tried.
  stops: readonly RowStop[]
  progress: Progress
  isQuiet: boolean
  notice: (text: string) => void
  alert: (text: string) => void
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

// Sets the result file of an earlier run aside, and returns how to write the one of this run.
function prepareResultFile({resultFile, notice, alert}: Pick<SessionSettings, 'resultFile' | 'notice' | 'alert'>) {
  const aside = resultFile?.setAside()
  if (aside !== undefined) notice(`The result file of an earlier run is now ${aside}.`)
  // What was paid is reported even if the file cannot be written, for example because the disk is full.
  return (results: readonly PayoutResult[]) => {
    try {
      resultFile?.write(results)
      return resultFile !== undefined
    } catch (error) {
      alert(`The result file ${resultFile?.name} could not be written (${getSystemCode(error) ?? String(error)})`)
      return false
    }
  }
}

const describeResultFile = (file: ResultFile | undefined) => `The outcome of every row is in ${file?.name}.`

const outcomeUnknown = {
  error: 'OUTCOME_UNKNOWN',
  message: 'The outcome of an earlier run is unknown; this run has not tried to settle it',
}

// Reports a file of which nothing is paid, because of some of its rows.
export function refuseSession(
  batch: SessionBatch,
  stops: readonly RowStop[],
  failure: SvcError,
  settings: Pick<SessionSettings, 'resultFile' | 'notice' | 'alert'>,
): SessionResult {
  const writeResultFile = prepareResultFile(settings)
  const stoppedByKey = new Map(stops.map((stop) => [stop.row.key, stop]))
  const results = batch.rows.map((row) => {
    const stop = stoppedByKey.get(row.key)
    if (stop) return toStoppedResult(stop)
    if (isOpen(row, batch.journalState)) return toBaseResult(row, 'NOT_TRIED')
    if (isCreated(row, batch.journalState)) return reportCreated(batch.context, batch.serviceId, row, [])
    return {...toBaseResult(row, 'UNKNOWN'), error: outcomeUnknown}
  })
  if (writeResultFile(results)) settings.notice(describeResultFile(settings.resultFile))
  return {results, failure}
}

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
  let firstFailure = stops.length > 0 ? rejectOverLimit(stops, rows, false) : undefined
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
