// Watches one item: reads it repeatedly and reports each change, until it reaches a final state or the time is up.
import {setTimeout as sleep} from 'node:timers/promises'
import {SvcError} from '../../errors.ts'
import {type ExitNotice, withExitNotice} from '../exit-notice.ts'
import {formatDuration} from '../../values/time.ts'
import {type Result, itemResult} from '../output/result.ts'
import {type WatchTarget, describeStatus, findState, formatName, getStatus, isStaleRead} from './watch-target.ts'
import {lengthenPause, pauseFirstMs, planPause, staleReadMsMax} from './pace.ts'
import {type Reporter, type ReporterSettings, createReporter} from './reporter.ts'
import {FailureTolerance} from './failure-tolerance.ts'

// The limit that --timeout sets. The deadline is on the clock of performance.now().
export interface TimeLimit {
  timeoutMs: number
  deadlineMs: number
}

interface WatchOutcome {
  item: object
  failure?: SvcError | undefined
}

// The client has the same deadline and may end a read a moment earlier.
const clockSlackMs = 50

const getTimeLeft = (limit: TimeLimit | undefined) =>
  limit === undefined ? Number.POSITIVE_INFINITY : limit.deadlineMs - performance.now()

const isTimeUp = (limit: TimeLimit | undefined, error: unknown) =>
  error instanceof SvcError && error.kind === 'unreachable' && getTimeLeft(limit) < clockSlackMs

// Returns the last state, with the failure that ends the command. With jsonl every state is printed already.
export async function watch(
  target: WatchTarget<object>,
  settings: ReporterSettings,
  limit?: TimeLimit,
): Promise<Result> {
  const reporter = createReporter(target, settings)
  try {
    const watching = watchToEnd(target, reporter, new FailureTolerance(settings.notice), limit)
    const {item, failure} = await withExitNotice(() => describeStop(target), watching)
    if (settings.format !== 'jsonl') return itemResult(item, target.kind.view, failure)
    if (failure) throw failure
    return undefined
  } finally {
    reporter.end()
  }
}

// An interrupted wait says nothing about what is waited for.
const describeStop = ({writeReply, resumeCommand}: WatchTarget<object>): ExitNotice => ({
  message: writeReply ? 'It was sent, and goes on; only the watching has stopped' : 'The watching has stopped',
  hint: `Continue with \`${resumeCommand}\``,
})

async function watchToEnd(
  target: WatchTarget<object>,
  reporter: Reporter,
  tolerance: FailureTolerance,
  limit?: TimeLimit,
): Promise<WatchOutcome> {
  let item = target.writeReply ?? (await readFirst(target, limit))
  let isUpToDate = target.writeReply === undefined
  let pauseMs = pauseFirstMs
  const staleUntilMs = performance.now() + staleReadMsMax
  await reporter.reportFirst(item)
  for (;;) {
    const state = findState(target.kind, item)
    if (state && 'ends' in state && state.ends === 'well') return {item}
    if (state && 'ends' in state && isUpToDate) return {item, failure: endedBadly(target, item)}
    const pause = planPause(pauseMs, getTimeLeft(limit))
    reporter.reportPause(pause.durationMs)
    await sleep(pause.durationMs)
    if (!pause.thenRead) return {item, failure: stillPending(target, item, limit)}
    reporter.reportRead()
    try {
      const latest = await target.read()
      tolerance.recover()
      if (isStaleRead(target, latest) && performance.now() < staleUntilMs) {
        pauseMs = lengthenPause(pauseMs)
        continue
      }
      isUpToDate = true
      pauseMs = (await reporter.reportChange(item, latest)) ? pauseFirstMs : lengthenPause(pauseMs)
      item = latest
    } catch (error) {
      if (isTimeUp(limit, error)) return {item, failure: stillPending(target, item, limit)}
      tolerance.tolerate(error)
      pauseMs = lengthenPause(pauseMs)
    }
  }
}

// The first read is not repeated when it fails, because the address may be wrong.
async function readFirst(target: WatchTarget<object>, limit?: TimeLimit): Promise<object> {
  try {
    return await target.read()
  } catch (error) {
    if (isTimeUp(limit, error)) throw pending(`${formatName(target)} could not be read before --timeout`, target)
    throw error
  }
}

const pending = (message: string, {resumeCommand}: WatchTarget<object>) =>
  new SvcError({
    error: 'PENDING',
    kind: 'pending',
    message,
    hint: `Continue with \`${resumeCommand}\``,
  })

function stillPending(target: WatchTarget<object>, item: object, limit?: TimeLimit): SvcError {
  const state = findState(target.kind, item)
  const reason = state && 'waitsFor' in state ? `: ${state.waitsFor}` : ''
  const after = limit ? ` after ${formatDuration(limit.timeoutMs)}` : ''
  return pending(`${formatName(target)} ${describeStatus(target.kind, item, true)}${after}${reason}`, target)
}

function endedBadly(target: WatchTarget<object>, item: object): SvcError {
  const {kind, id} = target
  const state = findState(kind, item)
  const {why, next} = state && 'next' in state ? state : {}
  return new SvcError({
    error: `${kind.view.singular.toUpperCase().replaceAll(' ', '_')}_${getStatus(kind, item).toUpperCase()}`,
    kind: 'endedBadly',
    message: `${formatName(target)} is ${getStatus(kind, item)}${why ? `: ${why}` : ''}`,
    hint: next?.(id),
  })
}
