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
  const reporter = new Reporter(target, settings)
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

const isFinal = ({kind}: WatchTarget<object>, item: object) => 'ends' in (findState(kind, item) ?? {})

function endsWell({kind}: WatchTarget<object>, item: object): boolean {
  const state = findState(kind, item)
  return state !== undefined && 'ends' in state && state.ends === 'well'
}

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
    if (endsWell(target, item)) return {item}
    if (isFinal(target, item) && isUpToDate) return {item, failure: endedBadly(target, item)}
    const pause = planPause(pauseMs, getTimeLeft(limit))
    reporter.reportPause(pause.durationMs)
    await sleep(pause.durationMs)
    if (!pause.thenRead) return {item, failure: stillPending(target, item, limit)}
    reporter.reportPause(0)
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
interface ReporterSettings {
  format: Format
  quiet: boolean
  // Whether the clock can be moved to what is waited for.
  isSandbox?: boolean | undefined
  notice: (text: string | readonly string[]) => void
}

// Times are shown in UTC everywhere.
const formatTimeOfDay = () => `${new Date().toISOString().slice(11, 19)} UTC`

class Reporter {
  readonly #target: WatchTarget<object>
  readonly #settings: ReporterSettings
  readonly #startedMs = performance.now()
  // The warnings and notes that were printed.
  readonly #printed = new Set<string>()
  #liveLine: LiveLine | undefined
  #status = ''
  #nextReadMs = 0

  constructor(target: WatchTarget<object>, settings: ReporterSettings) {
    this.#target = target
    this.#settings = settings
  }

  async reportFirst(item: object): Promise<void> {
    const {kind, id, writeReply} = this.#target
    const {format, notice} = this.#settings
    this.#status = getStatus(kind, item)
    if (format === 'jsonl') await writeJsonLine(item)
    else if (format !== 'table') {
      // Printed now, so that the id is known if the wait is interrupted.
      if (writeReply) notice(`${formatName(this.#target)} ${describeStatus(kind, item)}; waiting for a final state.`)
    } else if (isFinal(this.#target, item) && !writeReply) {
      if (endsWell(this.#target, item)) notice(`${formatName(this.#target)} is already ${this.#status}.`)
    } else {
      this.#print(`${id} ${describeStatus(kind, item)}`, ...this.#listNewNotes(item))
      await this.#startLiveLine(item)
    }
    // The reply to a write may not show yet what was submitted with it.
    if (!writeReply) this.#warn(item)
  }

  // Returns whether something changed.
  async reportChange(before: object, after: object): Promise<boolean> {
    const {kind} = this.#target
    const changed = findDifferences(kind, before, after)
    if (changed.length > 0 && this.#settings.format === 'jsonl') await writeJsonLine(after)
    if (changed.length > 0 && this.#settings.format === 'table') {
      const previous = this.#status
      this.#status = getStatus(kind, after)
      const values = changed
        .filter((name) => kind.shownColumns.includes(name))
        .map((name) => getColumn(kind, name))
        .map(({header, value}) => `${header} ${toText(value(after))}`)
      const moved = previous === this.#status ? previous : `${previous} → ${this.#status}`
      this.#print(moved, ...values, ...this.#listNewNotes(after))
    }
    this.#warn(after)
    return changed.length > 0
  }

  // Until the next read, or 0 while it is read.
  reportPause(pauseMs: number): void {
    this.#nextReadMs = performance.now() + pauseMs
    this.#liveLine?.refresh()
  }

  end(): void {
    this.#liveLine?.end()
  }

  async #startLiveLine(item: object): Promise<void> {
    const {quiet, isSandbox, notice} = this.#settings
    if (quiet || !canShowLiveLine()) return
    // Moving the clock does not bring what a person has to do.
    const waitsForPerson = !this.#target.writeReply && this.#target.kind.warning?.(item) !== undefined
    notice(waitsForPerson ? 'Ctrl-C stops only the watching.' : describeWaiting(isSandbox, 'watching'))
    const {startLiveLine} = await import('../output/live-line.ts')
    this.#liveLine = startLiveLine(() => {
      const leftMs = this.#nextReadMs - performance.now()
      const next = leftMs > 0 ? `next check in ${Math.ceil(leftMs / 1000)} s` : 'checking…'
      return `${this.#status} · ${formatDuration(performance.now() - this.#startedMs)} · ${next}`
    })
  }

  #print(...lines: string[]): void {
    this.#settings.notice([`${formatTimeOfDay()}  ${lines[0]}`, ...lines.slice(1).map((line) => `  ${line}`)])
  }

  #isNew(text: string): boolean {
    const isNew = !this.#printed.has(text)
    this.#printed.add(text)
    return isNew
  }

  #warn(item: object): void {
    const warning = this.#target.kind.warning?.(item)
    if (warning !== undefined && this.#isNew(warning)) this.#settings.notice(warning)
  }

  #listNewNotes(item: object): string[] {
    return this.#target.kind.notes(item).flatMap(({key, lines}) => (this.#isNew(key) ? lines : []))
  }
}
