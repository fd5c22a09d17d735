// Writes lines to standard output in order, as fast as the reader takes them.

// With more lines waiting than this, the listener asks senders to slow down instead of using ever more memory.
const linesWaitingMax = 10_000

export class OutputQueue {
  readonly #write: (text: string) => Promise<void>
  readonly #failed = Promise.withResolvers<never>()
  #lastWrite: Promise<void> = Promise.resolve()
  #waiting = 0

  constructor(write: (text: string) => Promise<void>) {
    this.#write = write
    // Without this, a failure that nobody awaits would end the process.
    this.failure.catch(() => {})
  }

  // Rejects when output cannot be written.
  get failure(): Promise<never> {
    return this.#failed.promise
  }

  get isBehind(): boolean {
    return this.#waiting >= linesWaitingMax
  }

  // Calls `written` when the line was written.
  add(text: string, written?: () => void): void {
    this.#waiting++
    this.#lastWrite = this.#writeAfter(this.#lastWrite, text, written)
  }

  // Resolves when every line added so far was written.
  drain(): Promise<void> {
    return this.#lastWrite
  }

  async #writeAfter(before: Promise<void>, text: string, written: (() => void) | undefined): Promise<void> {
    await before
    try {
      await this.#write(text)
      this.#waiting--
      written?.()
    } catch (error) {
      this.#failed.reject(error)
    }
  }
}
