// Watches one item: reads it repeatedly and reports each change, until it reaches a final state or the time is up.
import {setTimeout as sleep} from 'node:timers/promises'
import {isDeepStrictEqual} from 'node:util'
import {SvcError} from '../../errors.ts'
import {lookUp} from '../../values/records.ts'
import {capitalize} from '../../values/text.ts'
import {formatDuration, secondMs, toInstantMs} from '../../values/time.ts'
import {withExitNotice} from '../exit.ts'
import {writeJsonLines} from '../output/formats.ts'
import type {LiveLine} from '../output/live-line.ts'
import type {Format} from '../output/print.ts'
import {type Result, itemResult} from '../output/result.ts'
import {canShowLiveLine} from '../output/streams.ts'
import {type View, toText} from '../output/view.ts'
import {FailureTolerance, describeWaiting, lengthenPause, pauseFirstMs, planPause} from './pace.ts'

// A state either waits for something, or is final: good or bad.
export type State = {waitsFor: string} | {ends: 'well'} | {ends: 'badly'; why?: string; next: (id: string) => string}

// Text that is printed once, however often it is produced. Two notes with the same key are the same note.
export interface Note {
  key: string
  lines: readonly string[]
}

// The functions are declared as methods, so that the engine can take a WatchedKind of any entity.
export interface WatchedKind<T extends object> {
  view: View<T>
  // The name of the status column.
  status: string
  // A status that is missing here is not final.
  states: Readonly<Record<string, State>>
  // Columns whose changes are reported with their new value.
  shownColumns: readonly string[]
  // Columns whose changes are reported by the notes.
  notedColumns: readonly string[]
  notes(this: void, item: T): Note[]
  // A notice for every output format, for example that nothing will happen without an action.
  warning?(this: void, item: T): string | undefined
  // When the status last changed, if the reply to a write has that time too.
  changedAt?(this: void, item: T): unknown
}

export interface WatchTarget<T extends object> {
  kind: WatchedKind<T>
  id: string
  // The command that continues the watch, as it stands in a sentence.
  resume: string
  read: () => Promise<T>
  // The reply to the write that started this. It may be out of date, so a bad final state in it is read again.
  writeReply?: T | undefined
}

interface WatchSettings {
  format: Format
  quiet: boolean
  // Whether the clock can be moved to what is waited for.
  isSandbox?: boolean | undefined
  notice: (text: string | readonly string[]) => void
  // The limit that --timeout sets, and when it ends, on the clock of performance.now().
  limit?: {timeoutMs: number; deadlineMs: number} | undefined
}

// The client has the same deadline and may end a read a moment earlier.
const clockSlackMs = 50
// Reads that are older than the reply to the write are ignored for this long. After that, a wrong clock is more likely.
const staleReadMsMax = 60_000

// Returns the last state, with the failure that ends the command. With jsonl every state is printed already.
export async function watch(target: WatchTarget<object>, settings: WatchSettings): Promise<Result> {
  const watching = new Watch(target, settings)
  // An interrupted wait says nothing about what is waited for.
  const stopped = {
    message: target.writeReply ? 'It was sent, and goes on; only the watching has stopped' : 'The watching has stopped',
    hint: `Continue with ${target.resume}`,
  }
  const {item, failure} = await withExitNotice(() => stopped, watching.run()).finally(() => watching.end())
  if (settings.format !== 'jsonl') return itemResult(item, target.kind.view, failure)
  if (failure) throw failure
  return undefined
}

class Watch {
  readonly #target: WatchTarget<object>
  readonly #settings: WatchSettings
  readonly #startedMs = performance.now()
  // The warnings and notes that were printed.
  readonly #printed = new Set<string>()
  #liveLine: LiveLine | undefined
  #status = ''

  constructor(target: WatchTarget<object>, settings: WatchSettings) {
    this.#target = target
    this.#settings = settings
  }

  end(): void {
    this.#liveLine?.end()
  }

  async run(): Promise<{item: object; failure?: SvcError}> {
    const {writeReply, read} = this.#target
    const tolerance = new FailureTolerance(this.#settings.notice)
    let item = writeReply ?? (await this.#readFirst())
    let isUpToDate = writeReply === undefined
    let pauseMs = pauseFirstMs
    await this.#reportFirst(item)
    for (;;) {
      const state = this.#findState(item)
      const ends = state && 'ends' in state ? state.ends : undefined
      if (ends === 'well') return {item}
      if (ends && isUpToDate) return {item, failure: this.#endedBadly(item)}
      const pause = planPause(pauseMs, this.#getTimeLeft())
      await sleep(pause.durationMs)
      if (!pause.thenRead) return {item, failure: this.#stillPending(item)}
      pauseMs = lengthenPause(pauseMs)
      try {
        const latest = await read()
        tolerance.recover()
        if (this.#isStale(latest)) continue
        isUpToDate = true
        if (await this.#reportChange(item, latest)) pauseMs = pauseFirstMs
        item = latest
      } catch (error) {
        if (this.#isTimeUp(error)) return {item, failure: this.#stillPending(item)}
        tolerance.tolerate(error)
      }
    }
  }

  // The first read is not repeated when it fails, because the address may be wrong.
  #readFirst = () =>
    this.#target.read().catch((error: unknown) => {
      throw this.#isTimeUp(error) ? this.#stillPending(undefined) : error
    })

  #getTimeLeft = () => (this.#settings.limit?.deadlineMs ?? Number.POSITIVE_INFINITY) - performance.now()

  #isTimeUp = (error: unknown) =>
    error instanceof SvcError && error.kind === 'unreachable' && this.#getTimeLeft() < clockSlackMs

  // Whether a read shows a state from before the write that started this. If one of the two times has only whole seconds,
  // both are compared in seconds (docs/assumptions.md, V17).
  #isStale(item: object): boolean {
    const {kind, writeReply} = this.#target
    if (!writeReply || performance.now() - this.#startedMs >= staleReadMsMax) return false
    const [writtenMs, readMs] = [writeReply, item].map((each) => toInstantMs(kind.changedAt?.(each)))
    if (writtenMs === undefined || readMs === undefined) return false
    const unitMs = writtenMs % secondMs === 0 || readMs % secondMs === 0 ? secondMs : 1
    return Math.floor(readMs / unitMs) < Math.floor(writtenMs / unitMs)
  }

  #getStatus(item: object): string {
    const {view, status} = this.#target.kind
    return toText(view.columns.find(({name}) => name === status)?.value(item)) || '(no status)'
  }

  // Services differ in the case of a status.
  #findState(item: object): State | undefined {
    return lookUp(this.#target.kind.states, this.#getStatus(item).trim().toUpperCase())
  }

  // Such as: Customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c.
  #describeItem = () => `${capitalize(this.#target.kind.view.singular)} ${this.#target.id}`

  #stillPending(item: object | undefined): SvcError {
    const {limit} = this.#settings
    const state = item && this.#findState(item)
    const reason = state && 'waitsFor' in state ? `: ${state.waitsFor}` : ''
    const status = item ? `is still ${this.#getStatus(item)}` : 'could not be read'
    return new SvcError({
      error: 'PENDING',
      kind: 'pending',
      message: `${this.#describeItem()} ${status}${limit ? ` after ${formatDuration(limit.timeoutMs)}` : ''}${reason}`,
      hint: `Continue with ${this.#target.resume}`,
    })
  }

  #endedBadly(item: object): SvcError {
    const status = this.#getStatus(item)
    const state = this.#findState(item)
    const {why, next} = state && 'next' in state ? state : {}
    return new SvcError({
      error: `${this.#target.kind.view.singular}_${status}`.toUpperCase().replaceAll(' ', '_'),
      kind: 'endedBadly',
      message: `${this.#describeItem()} is ${status}${why ? `: ${why}` : ''}`,
      hint: next?.(this.#target.id),
    })
  }

  async #reportFirst(item: object): Promise<void> {
    const {id, writeReply} = this.#target
    const {format, notice} = this.#settings
    const state = this.#findState(item)
    this.#status = this.#getStatus(item)
    if (format === 'jsonl') await writeJsonLines([item])
    else if (format !== 'table') {
      // Printed now, so that the id is known if the wait is interrupted.
      if (writeReply) notice(`${this.#describeItem()} is ${this.#status}; waiting for a final state.`)
    } else if (state && 'ends' in state && !writeReply) {
      if (state.ends === 'well') notice(`${this.#describeItem()} is already ${this.#status}.`)
    } else {
      this.#print(`${id} is ${this.#status}`, this.#listNewNotes(item))
      await this.#startLiveLine(item)
    }
    // The reply to a write may not show yet what was submitted with it.
    if (!writeReply) this.#warn(item)
  }

  // Returns whether something changed.
  async #reportChange(before: object, after: object): Promise<boolean> {
    const {view, status, shownColumns, notedColumns} = this.#target.kind
    const changed = view.columns.filter(({value}) => !isDeepStrictEqual(value(before), value(after)))
    const shown = changed.filter(({name}) => shownColumns.includes(name))
    const isChanged = shown.length > 0 || changed.some(({name}) => name === status || notedColumns.includes(name))
    if (isChanged && this.#settings.format === 'jsonl') await writeJsonLines([after])
    if (isChanged && this.#settings.format === 'table') {
      const previous = this.#status
      this.#status = this.#getStatus(after)
      const moved = previous === this.#status ? previous : `${previous} → ${this.#status}`
      const details = [
        ...shown.map(({header, value}) => `${header} ${toText(value(after))}`),
        ...this.#listNewNotes(after),
      ]
      if (moved !== previous || details.length > 0) this.#print(moved, details)
    }
    this.#warn(after)
    return isChanged
  }

  async #startLiveLine(item: object): Promise<void> {
    const {quiet, isSandbox, notice} = this.#settings
    if (quiet || !canShowLiveLine()) return
    // Moving the clock does not bring what a person has to do.
    const waitsForPerson = !this.#target.writeReply && this.#target.kind.warning?.(item) !== undefined
    notice(waitsForPerson ? 'Ctrl-C stops only the watching.' : describeWaiting(isSandbox, 'watching'))
    const {startLiveLine} = await import('../output/live-line.ts')
    this.#liveLine = startLiveLine(() => `${this.#status} · ${formatDuration(performance.now() - this.#startedMs)}`)
  }

  // Times are shown in UTC everywhere.
  #print(line: string, details: readonly string[]): void {
    const time = `${new Date().toISOString().slice(11, 19)} UTC`
    this.#settings.notice([`${time}  ${line}`, ...details.map((each) => `  ${each}`)])
  }

  #isNew = (text: string) => !this.#printed.has(text) && Boolean(this.#printed.add(text))

  #warn(item: object): void {
    const warning = this.#target.kind.warning?.(item)
    if (warning !== undefined && this.#isNew(warning)) this.#settings.notice(warning)
  }

  #listNewNotes = (item: object) =>
    this.#target.kind.notes(item).flatMap(({key, lines}) => (this.#isNew(key) ? lines : []))
}
