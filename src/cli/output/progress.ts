// A progress line on standard error, in a terminal only, and only if the work takes longer than a second.
import {canShowLiveLine, clearLiveLine, writeLiveLine} from './streams.ts'

const showAfterMs = 1000

export interface Progress {
  // The text must be short enough for any terminal and contain nothing from the service.
  report(text: string): void
  // Removes the line.
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
