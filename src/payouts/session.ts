// Runs a batch with signals, progress, the result file, and the right exit code if the process ends early.
import {type SvcError, getExitCode, getSystemCode} from '../errors.ts'
import {type ExitNotice, registerExitNotice} from '../cli/exit-notice.ts'
import {buildRunError, hasFailed} from './run-error.ts'
import {haltAfter} from './halt.ts'
import type {Progress} from './progress.ts'
import type {ResultFile} from './result-file.ts'
import {type PayoutResult, toBaseResult} from './result.ts'
import {type Batch, runBatch} from './run.ts'
import {withSignals} from './signals.ts'

export interface SessionResult {
  // In the order of the file.
  results: PayoutResult[]
  failure: SvcError | undefined
}

export interface SessionSettings {
  resultFile?: ResultFile | undefined
  progress: Progress
  isQuiet: boolean
  notice: (text: string) => void
  alert: (text: string) => void
  // The value of --timeout.
  timeoutMs?: number | undefined
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

export async function runSession(
  batch: Omit<Batch, 'onBegin' | 'onEnd'>,
  {resultFile, progress, isQuiet, notice, alert, timeoutMs, onResult}: SessionSettings,
): Promise<SessionResult> {
  const {rows, halt} = batch
  const resultsByKey = new Map<string, PayoutResult>()
  const inProgress = new Set<string>()
  let firstFailure: SvcError | undefined
  const collectResults = () =>
    rows.map((row) => {
      const known = resultsByKey.get(row.key)
      if (known) return known
      return inProgress.has(row.key)
        ? {...toBaseResult(row, 'UNKNOWN'), error: interruptedRow}
        : toBaseResult(row, 'NOT_TRIED')
    })
  // What was paid is reported even if the file cannot be written, for example because the disk is full.
  const writeResultFile = () => {
    try {
      resultFile?.write(collectResults())
      return true
    } catch (error) {
      alert(`The result file ${resultFile?.name} could not be written (${getSystemCode(error) ?? String(error)})`)
      return false
    }
  }
  // The process may also end because the reader of its output closed the pipe. It then ends with process.exitCode.
  const aside = resultFile?.setAside()
  if (aside !== undefined) notice(`The result file of an earlier run is now ${aside}.`)
  const cancelTimeout = haltAfter(halt, timeoutMs)
  process.once('exit', writeResultFile)
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
        onBegin: ({key}) => inProgress.add(key),
        onEnd(result, failure) {
          inProgress.delete(result.key)
          resultsByKey.set(result.key, result)
          firstFailure ??= failure
          if (result.difference !== undefined) alert(`line ${result.line}, ${result.key}: ${result.difference}`)
          if (result.state !== 'NOT_TRIED') progress.addRow(hasFailed(result))
          onResult?.(result)
        },
      }),
    )
  } finally {
    cancelTimeout()
    progress.end()
    process.off('exit', writeResultFile)
    unregister()
    process.exitCode = undefined
    isWritten = writeResultFile()
  }
  if (resultFile && isWritten) notice(`The outcome of every row is in ${resultFile.name}.`)
  return {
    results: collectResults(),
    failure: buildRunError({results: collectResults(), firstFailure, reason: halt.reason, isQuiet}),
  }
}
