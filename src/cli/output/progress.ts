// A line of progress on standard error, only where a person watches, and only once there is something to wait for.
import {canBeLive, endLive, writeLive} from './streams.ts'

const patienceMs = 1000

export interface Progress {
  // A few words of our own, shorter than any terminal is wide.
  report(text: string): void
  // Leaves the line as if nothing had been there.
  end(): void
}

export function startProgress(): Progress {
  const startedMs = performance.now()
  return {
    report(text) {
      if (canBeLive() && performance.now() - startedMs >= patienceMs) writeLive(text)
    },
    end: endLive,
  }
}
