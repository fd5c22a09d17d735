// A line of progress on standard error, only where a person watches, and only once there is something to wait for.
import {writeErr} from './streams.ts'

const patienceMs = 1000
const eraseLine = '\r\u001b[K'

export interface Progress {
  report(text: string): void
  // Leaves the line as if nothing had been there.
  end(): void
}

export function startProgress(): Progress {
  const startedMs = performance.now()
  let shown = false
  return {
    report(text) {
      if (!process.stderr.isTTY || performance.now() - startedMs < patienceMs) return
      shown = true
      writeErr(`${eraseLine}${text}`)
    },
    end() {
      if (shown) writeErr(eraseLine)
    },
  }
}
