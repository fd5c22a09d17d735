// Writes the journal's log through to the disk for many payments at once, while other work goes on.
import fs from 'node:fs'

// A disk that is done sooner is waited for on the spot, since to hand it to another thread would take longer.
const inlineSyncMaxMs = 1
// After one that took longer, so many are handed over before the disk is tried again.
const backgroundSyncs = 50

// Resolves when all that was written to the file before the call is on the disk.
export class GroupSync {
  readonly #file: string
  readonly #commit: () => void
  #descriptor: number | undefined
  #running: Promise<void> | undefined
  #waiting: Promise<void> | undefined
  #handOver = 0
  // After a failure the system may take for written what is not, so no later success counts.
  #failure: unknown

  // What is open is committed just before the file is written through.
  constructor(file: string, commit: () => void) {
    this.#file = file
    this.#commit = commit
  }

  flush(): Promise<void> {
    // One that has not begun yet covers whoever comes before it does; one that is under way covers nobody else.
    this.#waiting ??= this.#next()
    return this.#waiting
  }

  close(): void {
    if (this.#descriptor !== undefined) fs.closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  async #next(): Promise<void> {
    await this.#running?.catch(() => {})
    this.#waiting = undefined
    this.#running = this.#sync()
    return this.#running
  }

  async #sync(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    try {
      this.#commit()
      this.#descriptor ??= fs.openSync(this.#file, 'r+')
      if (this.#handOver > 0) await this.#elsewhere(this.#descriptor)
      else this.#onTheSpot(this.#descriptor)
    } catch (error) {
      this.#failure = error
      throw error
    }
  }

  #onTheSpot(descriptor: number): void {
    const begunMs = performance.now()
    fs.fdatasyncSync(descriptor)
    if (performance.now() - begunMs > inlineSyncMaxMs) this.#handOver = backgroundSyncs
  }

  #elsewhere(descriptor: number): Promise<void> {
    this.#handOver--
    return new Promise((resolve, reject) => {
      fs.fdatasync(descriptor, (error) => (error ? reject(error) : resolve()))
    })
  }
}
