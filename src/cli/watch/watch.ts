// Follows one thing: reads it, tells of each change, and goes on until it has come to its end or the time is up.
import {SvcError} from '../../errors.ts'
import {formatDuration} from '../flags/durations.ts'
import {type Result, itemResult} from '../output/result.ts'
import type {Item} from '../output/format-values.ts'
import {type WatchTarget, isStaleRead, findState, getStatus} from './watch-target.ts'
import {staleReadMsMax, lengthenPause, planPause, pauseFirstMs} from './pace.ts'
import {type ReporterSettings, type Reporter, formatName, createReporter} from './reporter.ts'
import {FailureTolerance} from './failure-tolerance.ts'

// How long the whole wait may take: --timeout, and when that is up on the clock of performance.now().
export interface TimeLimit {
  timeoutMs: number
  deadlineMs: number
}

interface WatchOutcome {
  item: Item
  ending?: SvcError | undefined
}

// The client's own limit of the same wait may cut a read off a moment earlier.
const clockSlackMs = 50

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const getTimeLeft = (limit: TimeLimit | undefined) =>
  limit === undefined ? Number.POSITIVE_INFINITY : limit.deadlineMs - performance.now()

const isTimeUp = (limit: TimeLimit | undefined, error: unknown) =>
  error instanceof SvcError && error.kind === 'unreachable' && getTimeLeft(limit) < clockSlackMs

// Its last state, and how that ends the command. As JSON lines every state is out already, and only the ending is left.
export async function watch(target: WatchTarget, settings: ReporterSettings, limit?: TimeLimit): Promise<Result> {
  const reporter = createReporter(target, settings)
  try {
    const {item, ending} = await watchToEnd(target, reporter, new FailureTolerance(settings.notice), limit)
    if (settings.format !== 'jsonl') return itemResult(item, target.kind.view, ending)
    if (ending) throw ending
    return undefined
  } finally {
    reporter.end()
  }
}

async function watchToEnd(
  target: WatchTarget,
  reporter: Reporter,
  tolerance: FailureTolerance,
  limit?: TimeLimit,
): Promise<WatchOutcome> {
  let item = target.writeReply ?? (await firstRead(target, limit))
  let isSure = target.writeReply === undefined
  let pauseMs = pauseFirstMs
  const behindUntilMs = performance.now() + staleReadMsMax
  await reporter.reportFirst(item)
  for (;;) {
    const state = findState(target.kind, item)
    if (state && 'ends' in state && state.ends === 'well') return {item}
    if (state && 'ends' in state && isSure) return {item, ending: endedBadly(target, item)}
    const {forMs, thenLook} = planPause(pauseMs, getTimeLeft(limit))
    reporter.reportPause(forMs)
    await pause(forMs)
    if (!thenLook) return {item, ending: stillPending(target, item, limit)}
    reporter.reportRead()
    try {
      const seen = await target.read()
      tolerance.recover()
      if (isStaleRead(target, seen) && performance.now() < behindUntilMs) {
        pauseMs = lengthenPause(pauseMs)
        continue
      }
      isSure = true
      pauseMs = (await reporter.reportChange(item, seen)) ? pauseFirstMs : lengthenPause(pauseMs)
      item = seen
    } catch (error) {
      if (isTimeUp(limit, error)) return {item, ending: stillPending(target, item, limit)}
      tolerance.tolerate(error)
      pauseMs = lengthenPause(pauseMs)
    }
  }
}

// Whoever cannot be reached at the beginning is not waited for: the address may be wrong.
async function firstRead(target: WatchTarget, limit?: TimeLimit): Promise<Item> {
  try {
    return await target.read()
  } catch (error) {
    if (isTimeUp(limit, error))
      throw pending(`${formatName(target)} could not be read before --timeout ran out`, target)
    throw error
  }
}

const pending = (message: string, {kind, id}: WatchTarget) =>
  new SvcError({
    error: 'PENDING',
    kind: 'pending',
    message,
    hint: `Go on with \`${kind.resumeCommand(id)}\``,
  })

function stillPending(target: WatchTarget, item: Item, limit?: TimeLimit): SvcError {
  const state = findState(target.kind, item)
  const waits = state && 'waitsFor' in state ? `: ${state.waitsFor}` : ''
  const after = limit ? ` after ${formatDuration(limit.timeoutMs)}` : ''
  return pending(`${formatName(target)} is still ${getStatus(target.kind, item)}${after}${waits}`, target)
}

function endedBadly(target: WatchTarget, item: Item): SvcError {
  const {kind, id} = target
  const state = findState(kind, item)
  const {why, next} = state && 'next' in state ? state : {}
  return new SvcError({
    error: `${kind.view.singular.toUpperCase()}_${getStatus(kind, item)}`,
    kind: 'endedBadly',
    message: `${formatName(target)} is ${getStatus(kind, item)}${why ? `: ${why}` : ''}`,
    hint: next?.(id),
  })
}
