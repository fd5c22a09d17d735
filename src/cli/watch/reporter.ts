// Tells of a wait while it goes on: a live line and a line for each change to people, a line of JSON for each to scripts.
import {formatDuration} from '../flags/durations.ts'
import {toJsonLine} from '../output/formats.ts'
import type {LiveLine} from '../output/live-line.ts'
import type {Format} from '../output/print.ts'
import {canShowLiveLine, writeOut} from '../output/streams.ts'
import {toText} from '../output/view.ts'
import type {Item} from '../output/format-values.ts'
import {type WatchTarget, type WatchedKind, getColumn, findDifferences, findState, getStatus} from './watch-target.ts'

export interface ReporterSettings {
  format: Format
  quiet: boolean
  notice: (text: string) => void
}

export interface Reporter {
  reportFirst(item: Item): Promise<void>
  // Whether something has changed.
  reportChange(before: Item, after: Item): Promise<boolean>
  reportPause(forMs: number): void
  reportRead(): void
  end(): void
}

// The time of whoever watches, as all times are shown: in UTC.
const formatTimeOfDay = () => `${new Date().toISOString().slice(11, 19)} UTC`

export const formatName = ({kind, id}: WatchTarget) =>
  `${kind.view.singular[0]?.toUpperCase()}${kind.view.singular.slice(1)} ${id}`

export function createReporter(target: WatchTarget, settings: ReporterSettings): Reporter {
  const {kind} = target
  const warned = new Set<string>()
  const warn = (item: Item) => {
    const warning = kind.warning?.(item)
    if (warning === undefined || warned.has(warning)) return
    warned.add(warning)
    settings.notice(warning)
  }
  const inner =
    settings.format === 'table' ? createTerminalReporter(target, settings) : createScriptReporter(target, settings)
  return {
    ...inner,
    async reportFirst(item) {
      await inner.reportFirst(item)
      // What a write answered says nothing yet of what was written with it.
      if (!target.writeReply) warn(item)
    },
    async reportChange(before, after) {
      const changed = await inner.reportChange(before, after)
      warn(after)
      return changed
    },
  }
}

const isFinal = (kind: WatchedKind, item: Item) => {
  const state = findState(kind, item)
  return state !== undefined && 'ends' in state
}

function createTerminalReporter(target: WatchTarget, {quiet, notice}: ReporterSettings): Reporter {
  const {kind} = target
  const noted = new Set<string>()
  const startedMs = performance.now()
  let line: LiveLine | undefined
  let status = ''
  let nextLookMs: number | undefined
  const newNotes = (item: Item) =>
    kind.notes(item).filter(({key}) => {
      const isNew = !noted.has(key)
      noted.add(key)
      return isNew
    })
  const words = () => {
    const leftMs = (nextLookMs ?? 0) - performance.now()
    const next = leftMs > 0 ? `next look in ${Math.ceil(leftMs / 1000)} s` : 'looking…'
    return `${status} · ${formatDuration(performance.now() - startedMs)} · ${next}`
  }
  const tell = (lines: readonly string[]) => notice(lines.join('\n  '))
  const notesOf = (item: Item) => newNotes(item).flatMap(({text}) => text.split('\n'))
  return {
    async reportFirst(item) {
      status = getStatus(kind, item)
      if (isFinal(kind, item) && !target.writeReply) {
        const state = findState(kind, item)
        if (state && 'ends' in state && state.ends === 'well') notice(`${formatName(target)} is ${status} already.`)
        return
      }
      tell([`${formatTimeOfDay()}  ${target.id} is ${status}`, ...notesOf(item)])
      if (quiet || !canShowLiveLine()) return
      const {startLiveLine} = await import('../output/live-line.ts')
      line = startLiveLine(words)
    },
    async reportChange(before, after) {
      const changed = findDifferences(kind, before, after)
      if (changed.length === 0) return false
      const was = status
      status = getStatus(kind, after)
      const move = was === status ? status : `${was} → ${status}`
      const details = changed
        .filter((name) => kind.shownColumns.includes(name))
        .map((name) => `${getColumn(kind, name).header} ${toText(getColumn(kind, name).value(after))}`)
      tell([`${formatTimeOfDay()}  ${move}`, ...details, ...notesOf(after)])
      return true
    },
    reportPause(forMs) {
      nextLookMs = performance.now() + forMs
      line?.refresh()
    },
    reportRead() {
      nextLookMs = undefined
      line?.refresh()
    },
    end: () => line?.end(),
  }
}

function createScriptReporter(target: WatchTarget, {format, quiet, notice}: ReporterSettings): Reporter {
  const {kind, writeReply: answer} = target
  // A write that is told to be quiet says nothing on success, and these are lines of its success.
  const isSilent = quiet && answer !== undefined
  const write = async (item: Item) => {
    if (format === 'jsonl' && !isSilent) await writeOut(toJsonLine(item))
  }
  return {
    async reportFirst(item) {
      await write(item)
      // Should this be cut short, the id of what was made must stand somewhere.
      if (answer && format !== 'jsonl')
        notice(`${formatName(target)} is ${getStatus(kind, item)}; waiting for its end.`)
    },
    async reportChange(before, after) {
      const changed = findDifferences(kind, before, after).length > 0
      if (changed) await write(after)
      return changed
    },
    reportPause() {},
    reportRead() {},
    end() {},
  }
}
