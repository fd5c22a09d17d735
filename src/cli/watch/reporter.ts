// Tells of a wait while it goes on: a live line and a line for each change to people, a line of JSON for each to scripts.
import {durationText} from '../flags/durations.ts'
import {toJsonLine} from '../output/formats.ts'
import type {LiveLine} from '../output/live-line.ts'
import type {Format} from '../output/print.ts'
import {canBeLive, writeOut} from '../output/streams.ts'
import {textOf} from '../output/view.ts'
import type {Item} from '../output/values.ts'
import {type Followed, type Kind, columnOf, differences, stateOf, statusOf} from './watched.ts'

export interface Audience {
  format: Format
  quiet: boolean
  notice: (text: string) => void
}

export interface Telling {
  first(item: Item): Promise<void>
  // Whether something has changed.
  next(before: Item, after: Item): Promise<boolean>
  pauses(forMs: number): void
  looks(): void
  end(): void
}

// The time of whoever watches, as all times are shown: in UTC.
const timeOfDay = () => `${new Date().toISOString().slice(11, 19)} UTC`

export const nameOf = ({kind, id}: Followed) => `${kind.view.one[0]?.toUpperCase()}${kind.view.one.slice(1)} ${id}`

export function telling(followed: Followed, audience: Audience): Telling {
  const {kind} = followed
  const warned = new Set<string>()
  const warn = (item: Item) => {
    const warning = kind.warning?.(item)
    if (warning === undefined || warned.has(warning)) return
    warned.add(warning)
    audience.notice(warning)
  }
  const inner = audience.format === 'table' ? toPeople(followed, audience) : toScripts(followed, audience)
  return {
    ...inner,
    async first(item) {
      await inner.first(item)
      // What a write answered says nothing yet of what was written with it.
      if (!followed.answer) warn(item)
    },
    async next(before, after) {
      const changed = await inner.next(before, after)
      warn(after)
      return changed
    },
  }
}

const isEnd = (kind: Kind, item: Item) => {
  const state = stateOf(kind, item)
  return state !== undefined && 'ends' in state
}

function toPeople(followed: Followed, {quiet, notice}: Audience): Telling {
  const {kind} = followed
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
    return `${status} · ${durationText(performance.now() - startedMs)} · ${next}`
  }
  const tell = (lines: readonly string[]) => notice(lines.join('\n  '))
  const notesOf = (item: Item) => newNotes(item).flatMap(({text}) => text.split('\n'))
  return {
    async first(item) {
      status = statusOf(kind, item)
      if (isEnd(kind, item) && !followed.answer) {
        const state = stateOf(kind, item)
        if (state && 'ends' in state && state.ends === 'well') notice(`${nameOf(followed)} is ${status} already.`)
        return
      }
      tell([`${timeOfDay()}  ${followed.id} is ${status}`, ...notesOf(item)])
      if (quiet || !canBeLive()) return
      const {startLiveLine} = await import('../output/live-line.ts')
      line = startLiveLine(words)
    },
    async next(before, after) {
      const changed = differences(kind, before, after)
      if (changed.length === 0) return false
      const was = status
      status = statusOf(kind, after)
      const move = was === status ? status : `${was} → ${status}`
      const details = changed
        .filter((name) => kind.watched.includes(name))
        .map((name) => `${columnOf(kind, name).header} ${textOf(columnOf(kind, name).value(after))}`)
      tell([`${timeOfDay()}  ${move}`, ...details, ...notesOf(after)])
      return true
    },
    pauses(forMs) {
      nextLookMs = performance.now() + forMs
      line?.refresh()
    },
    looks() {
      nextLookMs = undefined
      line?.refresh()
    },
    end: () => line?.end(),
  }
}

function toScripts(followed: Followed, {format, quiet, notice}: Audience): Telling {
  const {kind, answer} = followed
  // A write that is told to be quiet says nothing on success, and these are lines of its success.
  const isSilent = quiet && answer !== undefined
  const write = async (item: Item) => {
    if (format === 'jsonl' && !isSilent) await writeOut(toJsonLine(item))
  }
  return {
    async first(item) {
      await write(item)
      // Should this be cut short, the id of what was made must stand somewhere.
      if (answer && format !== 'jsonl') notice(`${nameOf(followed)} is ${statusOf(kind, item)}; waiting for its end.`)
    },
    async next(before, after) {
      const changed = differences(kind, before, after).length > 0
      if (changed) await write(after)
      return changed
    },
    pauses() {},
    looks() {},
    end() {},
  }
}
