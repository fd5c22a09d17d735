// A run with all that surrounds it: signals, progress, the result file, and a truthful code if the process is cut short.
import {type SvcError, getExitCode} from '../errors.ts'
import {type ExitNotice, registerExitNotice} from '../cli/exit-notice.ts'
import {endingOf, hasFailed} from './exit.ts'
import {haltAfter} from './stop-reason.ts'
import type {Progress} from './progress.ts'
import type {ResultFile} from './result-file.ts'
import {type PayoutResult, baseOf} from './result.ts'
import {type Batch, runBatch} from './run.ts'
import {withSignals} from './signals.ts'

export interface Performed {
  // In the order of the file.
  results: PayoutResult[]
  ending: SvcError | undefined
}

export interface Surroundings {
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

const wordsOnRows = (count: number): ExitNotice => ({
  message: `Stopped at once; ${count === 1 ? 'the row' : `the ${count} rows`} under way may or may not have been paid`,
  hint: 'Run the file again, which settles that without paying twice',
})

export async function perform(
  batch: Omit<Batch, 'onBegin' | 'onEnd'>,
  {resultFile, progress, isQuiet, notice, alert, timeoutMs, onResult}: Surroundings,
): Promise<Performed> {
  const {rows, halt} = batch
  const ended = new Map<string, PayoutResult>()
  const under = new Set<string>()
  let first: SvcError | undefined
  const results = () =>
    rows.map((row) => {
      const known = ended.get(row.key)
      if (known) return known
      return under.has(row.key) ? {...baseOf(row, 'UNKNOWN'), error: cutShort} : baseOf(row, 'NOT_TRIED')
    })
  // Also when a reader of the output leaves, which ends the process with whatever code stands here.
  const onExit = () => resultFile?.write(results())
  const callOff = haltAfter(halt, timeoutMs)
  process.once('exit', onExit)
  const done = registerExitNotice(() => (under.size > 0 ? wordsOnRows(under.size) : undefined))
  process.exitCode = getExitCode('interrupted')
  try {
    const onFirst = () => notice(`Finishing the rows under way (${under.size}); once more to end at once.`)
    await withSignals(halt, onFirst, () =>
      runBatch({
        ...batch,
        onBegin: ({key}) => under.add(key),
        onEnd(result, failure) {
          under.delete(result.key)
          ended.set(result.key, result)
          first ??= failure
          if (result.difference !== undefined) alert(`line ${result.line}, ${result.key}: ${result.difference}`)
          if (result.state !== 'NOT_TRIED') progress.ended(hasFailed(result))
          onResult?.(result)
        },
      }),
    )
  } finally {
    callOff()
    progress.end()
    process.off('exit', onExit)
    done()
    process.exitCode = undefined
    resultFile?.write(results())
  }
  if (resultFile) notice(`What became of every row is in ${resultFile.name}.`)
  return {results: results(), ending: endingOf({results: results(), first, reason: halt.reason, isQuiet})}
}
