// Polls customers and transactions and reports each new state, for integrations without a webhook endpoint.
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {pauseUntil} from '../cli/watch/pace.ts'
import {type Page, rejectCutList, walkPages} from '../client/paging.ts'
import {toInstantMs} from '../values/time.ts'
import {SvcError, badSettings, getSystemCode} from '../errors.ts'

import type {LooseCustomer, LooseTransaction} from '../contract/loose.ts'
import {getStateFolder} from '../storage/folders.ts'
import {makePrivateFolder, replacePrivateFile} from '../storage/private-file.ts'
import {readRegularFile} from '../storage/read-regular-file.ts'

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

interface WatchOptions {
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

interface WatchSchedule {
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

// The cursor of `svc events watch`: the last reported state of each customer and transaction, in a file that is replaced as
// a whole.

// The first line of the file. Each of the others holds a digest of the last state, a space, and the id of the item.
const heading = 'svc events watch, cursor 1'

const addressDigestLength = 12

// The default cursor. Each service has its own, so that states of the sandbox and of live never mix.
export function getCursorFile(baseUrl: string): string {
  const digest = createHash('sha256').update(baseUrl).digest('hex').slice(0, addressDigestLength)
  return path.join(getStateFolder(), `watch-${digest}.cursor`)
}

export class Cursor {
  readonly #file: string
  readonly #digests = new Map<string, string>()
  #isChanged = false

  constructor(file: string) {
    this.#file = path.resolve(file)
    const [first, ...lines] = this.#readText()?.split('\n') ?? [heading]
    if (first !== heading) {
      throw badSettings(
        `The file ${this.#file} is not a cursor of this svc`,
        'Name another with --cursor, or move it away; svc left it as it is',
      )
    }
    for (const line of lines) {
      const at = line.indexOf(' ')
      if (at > 0) this.#digests.set(line.slice(at + 1), line.slice(0, at))
    }
  }

  get size(): number {
    return this.#digests.size
  }

  has(key: string, digest: string): boolean {
    return this.#digests.get(key) === digest
  }

  // Call this after the state was reported, never before: otherwise a killed process would lose it.
  set(key: string, digest: string): void {
    this.#digests.set(key, digest)
    this.#isChanged = true
  }

  save(): void {
    if (!this.#isChanged) return
    const lines = [heading, ...this.#digests.entries().map(([key, digest]) => `${digest} ${key}`)]
    try {
      if (path.dirname(this.#file) === path.resolve(getStateFolder())) makePrivateFolder(getStateFolder())
      replacePrivateFile(this.#file, `${lines.join('\n')}\n`)
    } catch (cause) {
      throw cause instanceof SvcError ? cause : this.#createFileError('written', cause)
    }
    this.#isChanged = false
  }

  // Without a cursor every state would be reported again, so a folder that cannot be written is an error from the start.
  #checkFolder(): undefined {
    const folder = path.dirname(this.#file)
    if (folder === path.resolve(getStateFolder())) return
    try {
      fs.accessSync(folder, fs.constants.W_OK)
    } catch (cause) {
      throw this.#createFileError('written', cause)
    }
  }

  #readText(): string | undefined {
    try {
      return readRegularFile(this.#file).toString().trimEnd()
    } catch (cause) {
      if (cause instanceof SvcError) throw cause
      if (getSystemCode(cause) === 'ENOENT') return this.#checkFolder()
      throw this.#createFileError('read', cause)
    }
  }

  #createFileError(what: string, cause: unknown) {
    return badSettings(
      `The cursor ${this.#file} cannot be ${what} (${getSystemCode(cause) ?? 'unknown'})`,
      'Check the path and that the disk has space left',
      cause,
    )
  }
}
