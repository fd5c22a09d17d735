// A line of progress on standard error, only where a person watches, and only once there is something to wait for.
import {canShowLiveLine, clearLiveLine, writeLiveLine} from './streams.ts'

const showAfterMs = 1000

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
      if (canShowLiveLine() && performance.now() - startedMs >= showAfterMs) writeLiveLine(text)
    },
    end: clearLiveLine,
  }
}
