// Syncs the journal's write-ahead log to disk for many payments at once, while other work goes on.
import fs from 'node:fs'

// A disk that syncs faster than this is synced on the main thread: handing it to another thread takes longer.
const inlineSyncMaxMs = 1
// After a slower sync, this many run in the background before an inline sync is tried again.
const backgroundSyncs = 50

export class GroupSync {
  readonly #file: string
  readonly #commit: () => void
  readonly #onSynced: () => void
  #descriptor: number | undefined
  #runningSync: Promise<void> | undefined
  #pendingSync: Promise<void> | undefined
  #backgroundSyncsLeft = 0
  // After a failed sync the system may drop the pages and report success next time, so every later call fails as well.
  #failure: unknown

  // `commit` ends the open transaction and is called just before each sync, and `onSynced` when what it wrote is on disk.
  constructor(file: string, commit: () => void, onSynced: () => void = () => {}) {
    this.#file = file
    this.#commit = commit
    this.#onSynced = onSynced
  }

  // Resolves when everything written before the call is on disk.
  flush(): Promise<void> {
    // A sync that has not started yet also covers writes made before it starts, so callers share it. A sync already in
    // progress may have missed them, so they wait for the next one.
    this.#pendingSync ??= this.#scheduleSync()
    return this.#pendingSync
  }

  close(): void {
    if (this.#descriptor !== undefined) fs.closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  async #scheduleSync(): Promise<void> {
    await this.#runningSync?.catch(() => {})
    this.#pendingSync = undefined
    this.#runningSync = this.#sync()
    return this.#runningSync
  }

  async #sync(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    // If it fails only because another process keeps the file busy, the next flush can succeed.
    this.#commit()
    try {
      this.#descriptor ??= fs.openSync(this.#file, 'r+')
      if (this.#backgroundSyncsLeft > 0) await this.#syncInBackground(this.#descriptor)
      else this.#syncInline(this.#descriptor)
      this.#onSynced()
    } catch (error) {
      this.#failure = error
      throw error
    }
  }

  #syncInline(descriptor: number): void {
    const startedMs = performance.now()
    fs.fdatasyncSync(descriptor)
    if (performance.now() - startedMs > inlineSyncMaxMs) this.#backgroundSyncsLeft = backgroundSyncs
  }

  #syncInBackground(descriptor: number): Promise<void> {
    this.#backgroundSyncsLeft--
    return new Promise((resolve, reject) => {
      fs.fdatasync(descriptor, (error) => (error ? reject(error) : resolve()))
    })
  }
}
