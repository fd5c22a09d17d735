// A run with all that surrounds it: signals, progress, the result file, and a truthful code if the process is cut short.
import {type SvcError, getExitCode} from '../errors.ts'
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
  ending: SvcError | undefined
}

export interface SessionSettings {
  resultFile?: ResultFile | undefined
  progress: Progress
  isQuiet: boolean
  notice: (text: string) => void
  alert: (text: string) => void
  // What --timeout says.
  timeoutMs?: number | undefined
  onResult?: ((result: PayoutResult) => void) | undefined
}

const cutShort = {
  error: 'CUT_SHORT',
  message: 'svc was ended while this row was under way; run the file again, which settles it without paying twice',
}

const describeRowsInProgress = (count: number): ExitNotice => ({
  message: `Stopped at once; ${count === 1 ? 'the row' : `the ${count} rows`} under way may or may not have been paid`,
  hint: 'Run the file again, which settles that without paying twice',
})

export async function runSession(
  batch: Omit<Batch, 'onBegin' | 'onEnd'>,
  {resultFile, progress, isQuiet, notice, alert, timeoutMs, onResult}: SessionSettings,
): Promise<SessionResult> {
  const {rows, halt} = batch
  const ended = new Map<string, PayoutResult>()
  const inProgress = new Set<string>()
  let first: SvcError | undefined
  const results = () =>
    rows.map((row) => {
      const known = ended.get(row.key)
      if (known) return known
      return inProgress.has(row.key)
        ? {...toBaseResult(row, 'UNKNOWN'), error: cutShort}
        : toBaseResult(row, 'NOT_TRIED')
    })
  // Also when a reader of the output leaves, which ends the process with whatever code stands here.
  const onExit = () => resultFile?.write(results())
  const cancelTimeout = haltAfter(halt, timeoutMs)
  process.once('exit', onExit)
  const unregister = registerExitNotice(() =>
    inProgress.size > 0 ? describeRowsInProgress(inProgress.size) : undefined,
  )
  process.exitCode = getExitCode('interrupted')
  try {
    const onFirst = () => notice(`Finishing the rows under way (${inProgress.size}); once more to end at once.`)
    await withSignals(halt, onFirst, () =>
      runBatch({
        ...batch,
        onBegin: ({key}) => inProgress.add(key),
        onEnd(result, failure) {
          inProgress.delete(result.key)
          ended.set(result.key, result)
          first ??= failure
          if (result.difference !== undefined) alert(`line ${result.line}, ${result.key}: ${result.difference}`)
          if (result.state !== 'NOT_TRIED') progress.ended(hasFailed(result))
          onResult?.(result)
        },
      }),
    )
  } finally {
    cancelTimeout()
    progress.end()
    process.off('exit', onExit)
    unregister()
    process.exitCode = undefined
    resultFile?.write(results())
  }
  if (resultFile) notice(`What became of every row is in ${resultFile.name}.`)
  return {results: results(), ending: buildRunError({results: results(), first, reason: halt.reason, isQuiet})}
}
