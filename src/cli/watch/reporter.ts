// Reports the progress of a watch: a live line and a line per change in a terminal, a line of JSON per change with jsonl.
import {formatDuration} from '../../values/time.ts'
import type {LiveLine} from '../output/live-line.ts'
import type {Format} from '../output/print.ts'
import {canShowLiveLine} from '../output/streams.ts'
import {writeJsonLine} from '../output/write-json.ts'
import {toText} from '../output/view.ts'
import {describeWaiting} from './waiting-notice.ts'
import {
  type WatchTarget,
  describeStatus,
  findDifferences,
  findState,
  formatName,
  getColumn,
  getStatus,
} from './watch-target.ts'

export interface ReporterSettings {
  format: Format
  quiet: boolean
  // Whether the clock can be moved to what is waited for.
  isSandbox?: boolean | undefined
  notice: (text: string | readonly string[]) => void
}

export interface Reporter {
  reportFirst(item: object): Promise<void>
  // Returns whether something changed.
  reportChange(before: object, after: object): Promise<boolean>
  reportPause(pauseMs: number): void
  reportRead(): void
  end(): void
}

export function createReporter(target: WatchTarget<object>, settings: ReporterSettings): Reporter {
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
      notice(describeWaiting(isSandbox, 'watching'))
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

function createScriptReporter(target: WatchTarget<object>, {format, quiet, notice}: ReporterSettings): Reporter {
  const {kind, writeReply} = target
  // With --quiet a write prints nothing on success, and these lines would be about its success.
  const isSilent = quiet && writeReply !== undefined
  const write = async (item: object) => {
    if (format === 'jsonl' && !isSilent) await writeJsonLine(item)
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
