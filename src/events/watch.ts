// Polls customers and transactions and reports each new state, for integrations without a webhook endpoint.
import {createHash} from 'node:crypto'
import {toInstantMs} from '../values/time.ts'
import {rejectCutList} from '../client/list-end.ts'
import {type Page, walkPages} from '../client/paging.ts'
import {SvcError} from '../errors.ts'
import type {Cursor} from './cursor.ts'
import type {LooseCustomer, LooseTransaction} from '../contract/loose.ts'
import {pauseUntil} from '../cli/watch/pace.ts'

type WatchedEntity = 'customer' | 'transaction'

type WatchedItem = LooseCustomer & LooseTransaction

type FetchPage = (paging: {pageSize: number; pageToken?: string}) => Promise<Page>

export interface ObservedState {
  // The same for the same state (docs/assumptions.md, W13), on every machine.
  id: string
  kind: WatchedEntity
  itemId: string
  status: string
  updatedAt: string | undefined
  seenAt: number
  item: WatchedItem
}

export interface WatchOptions {
  fetchPage: Partial<Record<WatchedEntity, FetchPage>>
  cursor: Cursor
  // Only states that are at least this new.
  sinceMs: number | undefined
  // Resolves when the state was written.
  report: (observed: ObservedState) => Promise<void>
  isStopping: () => boolean
}

// The cursor is saved after each poll, and during a long one this often. States since then are reported again after a kill.
const saveEveryMs = 2_000
const digestLength = 20

const asText = (value: unknown) => (typeof value === 'string' ? value : undefined)

function observeState(kind: WatchedEntity, item: WatchedItem): ObservedState | undefined {
  const itemId = asText(item[`${kind}Id` as const])
  if (!itemId) return undefined
  const status = asText(item[`${kind}Status` as const]) ?? '(no status)'
  const updatedAt = asText(item.updatedAt)
  const content = JSON.stringify([kind, itemId, status, updatedAt ?? null])
  const id = createHash('sha256').update(content).digest('hex').slice(0, digestLength)
  return {id, kind, itemId, status, updatedAt, seenAt: Date.now(), item}
}

// Reads everything once and reports each state that differs from the last reported one.
async function pollOnce({fetchPage, cursor, sinceMs, report, isStopping}: WatchOptions): Promise<void> {
  let savedMs = performance.now()
  const lastPages = new Map<string, Page>()
  try {
    for (const [kind, fetchPageOfKind] of Object.entries(fetchPage) as Array<[WatchedEntity, FetchPage]>) {
      for await (const {items, envelope} of walkPages(fetchPageOfKind, `${kind}s`, {all: true})) {
        lastPages.set(kind, envelope)
        for (const observed of items.map((item) => observeState(kind, item as WatchedItem))) {
          if (!observed || !isNewState(observed, cursor, sinceMs)) continue
          await report(observed)
          cursor.set(observed.itemId, observed.id)
        }
        if (performance.now() - savedMs > saveEveryMs) {
          cursor.save()
          savedMs = performance.now()
        }
        if (isStopping()) return
      }
    }
    for (const page of lastPages.values()) rejectCutList(page)
  } finally {
    cursor.save()
  }
}

function isNewState({itemId, id, updatedAt}: ObservedState, cursor: Cursor, sinceMs: number | undefined): boolean {
  if (cursor.has(itemId, id)) return false
  // A state without a readable time is reported rather than missed.
  return sinceMs === undefined || (toInstantMs(updatedAt) ?? Number.POSITIVE_INFINITY) >= sinceMs
}

export interface WatchSchedule {
  intervalMs: number
  once: boolean
  // Resolves when it is time to stop.
  stopped: Promise<void>
}

export type WatchState = 'watching' | 'lost' | 'stopped'

// Continues while the service is unreachable. Any other error ends the watch, because a retry would fail again.
export async function watch(
  options: WatchOptions,
  {intervalMs, once, stopped}: WatchSchedule,
  onState: (state: WatchState, reason?: string) => void,
): Promise<void> {
  let state: WatchState | undefined
  const setState = (next: WatchState, reason?: string) => {
    if (state !== next) onState(next, reason)
    state = next
  }
  if (once) {
    await pollOnce(options)
    return
  }
  while (!options.isStopping()) {
    try {
      if (state === undefined) setState('watching')
      await pollOnce(options)
      setState('watching')
    } catch (error) {
      if (!(error instanceof SvcError) || error.kind !== 'unreachable') throw error
      setState('lost', error.message)
    }
    await pauseUntil(intervalMs, stopped)
  }
  setState('stopped')
}
