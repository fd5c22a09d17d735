// A virtual clock for commands that run in this process: svc's own waits end at once, and the time that they would have
// taken passes on its clocks. Timeouts of requests and the timers of a test's own service stay real.
import {syncBuiltinESMExports} from 'node:module'
import timers from 'node:timers/promises'
import {afterEach, beforeEach} from 'vitest'

interface Wait {
  untilMs: number
  end: () => void
}

// For the tests of the file or the describe block that calls this.
export function useVirtualTime(): void {
  let restore: (() => void) | undefined
  beforeEach(() => {
    restore = installVirtualTime()
  })
  afterEach(() => restore?.())
}

function installVirtualTime(): () => void {
  const real = {sleep: timers.setTimeout, monotonic: performance.now.bind(performance), date: Date.now}
  let skippedMs = 0
  let waits: Wait[] = []

  // Ends the shortest wait first. Whatever is ready to run, such as a reply that has arrived, runs before that.
  function endNext() {
    const [next, ...others] = waits.toSorted((one, other) => one.untilMs - other.untilMs)
    if (!next) return
    waits = others
    skippedMs += Math.max(0, next.untilMs - performance.now())
    next.end()
    if (waits.length > 0) setImmediate(endNext)
  }

  function sleep<T>(ms = 0, value?: T, {signal}: {signal?: AbortSignal} = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        waits = waits.filter(({end}) => end !== resolveWait)
        reject(new DOMException('The operation was aborted', 'AbortError'))
      }
      const resolveWait = () => {
        signal?.removeEventListener('abort', abort)
        resolve(value as T)
      }
      if (signal?.aborted) return abort()
      signal?.addEventListener('abort', abort, {once: true})
      waits.push({untilMs: performance.now() + ms, end: resolveWait})
      if (waits.length === 1) setImmediate(endNext)
    })
  }

  const replace = (now: {sleep: unknown; monotonic: () => number; date: () => number}) => {
    Object.assign(timers, {setTimeout: now.sleep})
    syncBuiltinESMExports()
    performance.now = now.monotonic
    Date.now = now.date
  }
  replace({
    sleep,
    monotonic: () => real.monotonic() + skippedMs,
    date: () => Math.round(real.date() + skippedMs),
  })
  return () => replace(real)
}
