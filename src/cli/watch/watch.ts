// Watches one item: reads it repeatedly and reports each change, until it reaches a final state or the time is up.
import {setTimeout as sleep} from 'node:timers/promises'
import {SvcError} from '../../errors.ts'
import {formatDuration} from '../../values/time.ts'
import {type ExitNotice, withExitNotice} from '../exit.ts'
import type {LiveLine} from '../output/live-line.ts'
import type {Format} from '../output/print.ts'
import {type Result, itemResult} from '../output/result.ts'
import {canShowLiveLine} from '../output/streams.ts'
import {toText} from '../output/view.ts'
import {writeJsonLine} from '../output/formats.ts'
import {FailureTolerance, describeWaiting, lengthenPause, pauseFirstMs, planPause, staleReadMsMax} from './pace.ts'
import {
  type WatchTarget,
  describeStatus,
  findDifferences,
  findState,
  formatName,
  getColumn,
  getStatus,
  isStaleRead,
} from './watch-target.ts'

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

// Reports the progress of a watch: a live line and a line per change in a terminal, a line of JSON per change with jsonl.
export interface ReporterSettings {
  format: Format
  quiet: boolean
  // Whether the clock can be moved to what is waited for.
  isSandbox?: boolean | undefined
  notice: (text: string | readonly string[]) => void
}

interface Reporter {
  reportFirst(item: object): Promise<void>
  // Returns whether something changed.
  reportChange(before: object, after: object): Promise<boolean>
  reportPause(pauseMs: number): void
  reportRead(): void
  end(): void
}

function createReporter(target: WatchTarget<object>, settings: ReporterSettings): Reporter {
  const {kind, writeReply} = target
  const printedWarnings = new Set<string>()
  const warn = (item: object) => {
    const warning = kind.warning?.(item)
    if (warning === undefined || printedWarnings.has(warning)) return
    printedWarnings.add(warning)
    settings.notice(warning)
  }
  const reporter =
    settings.format === 'table' ? createTerminalReporter(target, settings) : createScriptReporter(target, settings)
  return {
    ...reporter,
    async reportFirst(item) {
      await reporter.reportFirst(item)
      // The reply to a write may not show yet what was submitted with it.
      if (!writeReply) warn(item)
    },
    async reportChange(before, after) {
      const hasChanged = await reporter.reportChange(before, after)
      warn(after)
      return hasChanged
    },
  }
}

const stopNotice = 'Ctrl-C stops only the watching.'

// Times are shown in UTC everywhere.
const formatTimeOfDay = () => `${new Date().toISOString().slice(11, 19)} UTC`

function createTerminalReporter(target: WatchTarget<object>, {quiet, isSandbox, notice}: ReporterSettings): Reporter {
  const {kind, id, writeReply} = target
  const printedNotes = new Set<string>()
  const startedMs = performance.now()
  let liveLine: LiveLine | undefined
  let status = ''
  let nextReadMs: number | undefined
  const listNewNotes = (item: object) => {
    const notes = kind.notes(item).filter(({key}) => !printedNotes.has(key))
    for (const {key} of notes) printedNotes.add(key)
    return notes.flatMap(({lines}) => lines)
  }
  const renderLiveLine = () => {
    const leftMs = (nextReadMs ?? 0) - performance.now()
    const next = leftMs > 0 ? `next check in ${Math.ceil(leftMs / 1000)} s` : 'checking…'
    return `${status} · ${formatDuration(performance.now() - startedMs)} · ${next}`
  }
  const print = (...lines: string[]) =>
    notice([`${formatTimeOfDay()}  ${lines[0]}`, ...lines.slice(1).map((line) => `  ${line}`)])
  return {
    async reportFirst(item) {
      status = getStatus(kind, item)
      const state = findState(kind, item)
      if (state && 'ends' in state && !writeReply) {
        if (state.ends === 'well') notice(`${formatName(target)} is already ${status}.`)
        return
      }
      print(`${id} ${describeStatus(kind, item)}`, ...listNewNotes(item))
      if (quiet || !canShowLiveLine()) return
      // Moving the clock does not bring what a person has to do.
      const waitsForPerson = !writeReply && kind.warning?.(item) !== undefined
      notice(waitsForPerson ? stopNotice : describeWaiting(isSandbox, 'watching'))
      const {startLiveLine} = await import('../output/live-line.ts')
      liveLine = startLiveLine(renderLiveLine)
    },
    async reportChange(before, after) {
      const changed = findDifferences(kind, before, after)
      if (changed.length === 0) return false
      const previous = status
      status = getStatus(kind, after)
      const values = changed
        .filter((name) => kind.shownColumns.includes(name))
        .map((name) => getColumn(kind, name))
        .map(({header, value}) => `${header} ${toText(value(after))}`)
      print(previous === status ? status : `${previous} → ${status}`, ...values, ...listNewNotes(after))
      return true
    },
    reportPause(pauseMs) {
      nextReadMs = performance.now() + pauseMs
      liveLine?.refresh()
    },
    reportRead() {
      nextReadMs = undefined
      liveLine?.refresh()
    },
    end: () => liveLine?.end(),
  }
}

function createScriptReporter(target: WatchTarget<object>, {format, notice}: ReporterSettings): Reporter {
  const {kind, writeReply} = target
  const write = async (item: object) => {
    if (format === 'jsonl') await writeJsonLine(item)
  }
  return {
    async reportFirst(item) {
      await write(item)
      // Printed now, so that the id is known if the wait is interrupted.
      if (writeReply && format !== 'jsonl')
        notice(`${formatName(target)} ${describeStatus(kind, item)}; waiting for a final state.`)
    },
    async reportChange(before, after) {
      const hasChanged = findDifferences(kind, before, after).length > 0
      if (hasChanged) await write(after)
      return hasChanged
    },
    reportPause() {},
    reportRead() {},
    end() {},
  }
}
