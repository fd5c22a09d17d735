// Lines for whoever reads our output: in order, at the reader's pace, and remembered once they are written.

// A reader that has fallen this far behind slows the senders down instead of filling memory.
const linesWaitingMax = 10_000

export class OutputQueue {
  readonly #write: (text: string) => Promise<void>
  readonly #failed = Promise.withResolvers<never>()
  #tail: Promise<void> = Promise.resolve()
  #waiting = 0

  constructor(write: (text: string) => Promise<void>) {
    this.#write = write
    // Whoever waits for it hears of it; nobody has to.
    this.failure.catch(() => {})
  }

  // Rejects when output cannot be written.
  get failure(): Promise<never> {
    return this.#failed.promise
  }

  get isBehind(): boolean {
    return this.#waiting >= linesWaitingMax
  }

  // `written` is called when the reader has the line.
  add(text: string, written?: () => void): void {
    this.#waiting++
    this.#tail = this.#next(this.#tail, text, written)
  }

  // Resolves when everything said so far is written.
  drain(): Promise<void> {
    return this.#tail
  }

  async #next(before: Promise<void>, text: string, written: (() => void) | undefined): Promise<void> {
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
