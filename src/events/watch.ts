// Watches customers and transactions by asking for them again and again, for whoever has no endpoint for events.
import {createHash} from 'node:crypto'
import {setTimeout as sleep} from 'node:timers/promises'
import {toInstantMs} from '../validation/instants.ts'
import {type Page, walkPages} from '../client/paging.ts'
import {SvcError} from '../errors.ts'
import type {Cursor} from './cursor.ts'
import type {JsonObject} from './event.ts'

type WatchedKind = 'customer' | 'transaction'

type FetchPage = (paging: {pageSize: number; pageToken?: string}) => Promise<Page>

export interface ObservedState {
  // The same for the same state (docs/assumptions.md, W13), for ever and on every machine.
  id: string
  kind: WatchedKind
  itemId: string
  status: string
  updatedAt: string | undefined
  seenAt: number
  item: JsonObject
}

export interface WatchOptions {
  fetchPage: Partial<Record<WatchedKind, FetchPage>>
  cursor: Cursor
  // Only states that are at least this new.
  sinceMs: number | undefined
  // Resolves when the reader has it.
  report: (sighting: ObservedState) => Promise<void>
  isStopping: () => boolean
}

// The cursor is written when a look is over, and in a long one this often: what was told since is told again after a kill.
const saveEveryMs = 2_000
const digestLength = 20

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

function observeState(kind: WatchedKind, item: JsonObject): ObservedState | undefined {
  const itemId = text(item[`${kind}Id`])
  if (!itemId) return undefined
  const status = text(item[`${kind}Status`]) ?? '(no status)'
  const updatedAt = text(item['updatedAt'])
  const content = JSON.stringify([kind, itemId, status, updatedAt ?? null])
  const id = createHash('sha256').update(content).digest('hex').slice(0, digestLength)
  return {id, kind, itemId, status, updatedAt, seenAt: Date.now(), item}
}

// One look at everything. Tells of each state that is not the last one told of, and says how many there were.
async function pollOnce({fetchPage: ask, cursor, sinceMs, report: tell, isStopping}: WatchOptions): Promise<number> {
  let told = 0
  let savedMs = performance.now()
  try {
    for (const [kind, askFor] of Object.entries(ask) as Array<[WatchedKind, FetchPage]>) {
      for await (const {items} of walkPages(askFor, `${kind}s`, {all: true})) {
        for (const sighting of items.map((item) => observeState(kind, item as JsonObject))) {
          if (!sighting || !isNewState(sighting, cursor, sinceMs)) continue
          await tell(sighting)
          cursor.set(sighting.itemId, sighting.id)
          told++
        }
        if (performance.now() - savedMs > saveEveryMs) {
          cursor.save()
          savedMs = performance.now()
        }
        if (isStopping()) return told
      }
    }
  } finally {
    cursor.save()
  }
  return told
}

function isNewState({itemId, id, updatedAt}: ObservedState, cursor: Cursor, sinceMs: number | undefined): boolean {
  if (cursor.has(itemId, id)) return false
  // A state whose time cannot be read is better told of than missed.
  return sinceMs === undefined || (toInstantMs(updatedAt) ?? Number.POSITIVE_INFINITY) >= sinceMs
}

export interface WatchSchedule {
  intervalMs: number
  once: boolean
  // Resolves when it is time to stop.
  stopped: Promise<void>
}

export type WatchState = 'watching' | 'lost' | 'stopped'

// Goes on through a service that does not answer; what it refuses would be refused again, and ends the watch.
export async function watch(
  watched: WatchOptions,
  {intervalMs, once, stopped}: WatchSchedule,
  onState: (state: WatchState, reason?: string) => void,
): Promise<void> {
  let state: WatchState | undefined
  const setState = (next: WatchState, reason?: string) => {
    if (state !== next) onState(next, reason)
    state = next
  }
  if (once) {
    await pollOnce(watched)
    return
  }
  while (!watched.isStopping()) {
    try {
      if (state === undefined) setState('watching')
      await pollOnce(watched)
      setState('watching')
    } catch (error) {
      if (!(error instanceof SvcError) || error.kind !== 'unreachable') throw error
      setState('lost', error.message)
    }
    await pauseUnlessStopped(intervalMs, stopped)
  }
  setState('stopped')
}

function pauseUnlessStopped(ms: number, stopped: Promise<void>): Promise<void> {
  const ending = new AbortController()
  const pause = sleep(ms, undefined, {signal: ending.signal}).catch(() => {})
  return Promise.race([pause, stopped]).finally(() => ending.abort())
}
