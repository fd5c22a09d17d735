// Stops a run: no further row is started, rows in progress are finished, and nothing waits any longer.

export type StopReason =
  | 'SIGINT'
  | 'SIGTERM'
  | 'timeout'
  | 'failures'
  | 'service'
  | 'credential'
  | 'journal'
  | 'busyJournal'
  | 'fault'

export class Halt {
  readonly #controller = new AbortController()
  #reason: StopReason | undefined

  get reason(): StopReason | undefined {
    return this.#reason
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  // The first reason is kept.
  stop(reason: StopReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#controller.abort()
  }
}

// Stops the run when its time is up. Returns a function that cancels this.
export function haltAfter(halt: Halt, timeoutMs: number | undefined): () => void {
  if (timeoutMs === undefined) return () => {}
  const timer = setTimeout(() => halt.stop('timeout'), timeoutMs)
  return () => clearTimeout(timer)
}
