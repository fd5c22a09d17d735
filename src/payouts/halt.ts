// Why a run begins no further row, told once: what is under way is finished, and nothing waits any longer.

export type StopReason = 'SIGINT' | 'SIGTERM' | 'timeout' | 'failures' | 'service' | 'credential' | 'journal' | 'fault'

export class Halt {
  readonly #controller = new AbortController()
  #reason: StopReason | undefined

  get reason(): StopReason | undefined {
    return this.#reason
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  // The first reason is the one that is told.
  stop(reason: StopReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#controller.abort()
  }
}

// Ends a run when its time is up. What it returns calls that off.
export function haltAfter(halt: Halt, timeoutMs: number | undefined): () => void {
  if (timeoutMs === undefined) return () => {}
  const timer = setTimeout(() => halt.stop('timeout'), timeoutMs)
  return () => clearTimeout(timer)
}
