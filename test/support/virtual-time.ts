// A virtual clock for commands that run in this process: svc's own waits end at once, and the time that they would have
// taken passes on its clocks. Timeouts of requests and the timers of a test's own service end when so much time has passed there, or
// in real time, which then passes on these clocks. No other time does, so a busy machine does not use up a --timeout, and a process
// that was stopped for a while still receives a reply that has arrived before it gives up.
import {syncBuiltinESMExports} from 'node:module'
import timers from 'node:timers/promises'
import {afterEach, beforeEach} from 'vitest'
import {virtualTime} from './scripted/clock.ts'

// A real timer is cut into this many parts. However long this process was stopped, that is one part, and between two parts it reads
// what has arrived. A part in which it was at work, and not waiting, counts for a tenth.
const timerParts = 20
const busyPart = 0.1
const busyShareMin = 0.3

interface Wait {
  untilMs: number
  end: () => void
}

interface VirtualTimer {
  untilMs: number
  timer: NodeJS.Timeout
  fire: () => void
}

// For the tests of the file or the describe block that calls this. Returns what lets time pass, such as that of a slow service.
export function useVirtualTime(): {advance: (ms: number) => void} {
  let installed: ReturnType<typeof installVirtualTime> | undefined
  beforeEach(() => {
    installed = installVirtualTime()
  })
  afterEach(() => installed?.restore())
  return {advance: (ms) => void installed?.advance(ms)}
}

// For what a hook does before the tests.
export async function runInVirtualTime(work: () => Promise<void>): Promise<void> {
  const {restore} = installVirtualTime()
  await work().finally(restore)
}

function installVirtualTime() {
  const real = {
    sleep: timers.setTimeout,
    timer: globalThis.setTimeout,
    monotonic: performance.now.bind(performance),
    date: Date.now,
  }
  // Timers may outlive their test, and the next one may replace the clocks with its own.
  const measureLoad = performance.eventLoopUtilization.bind(performance)
  const start = {monotonicMs: Math.ceil(performance.now()), dateMs: Date.now()}
  let skippedMs = 0
  let waits: Wait[] = []
  const timersLeft = new Set<VirtualTimer>()

  // Ends the shortest wait first. Whatever is ready to run, such as a reply that has arrived, runs before that.
  function endNext() {
    const [next, ...others] = waits.toSorted((one, other) => one.untilMs - other.untilMs)
    if (!next) return
    waits = others
    skipTo(next.untilMs)
    fireDueTimers()
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

  const skipTo = (untilMs: number) => {
    skippedMs += Math.max(0, untilMs - performance.now())
  }

  const startTimer = (callback: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) => {
    const untilMs = performance.now() + ms
    let partsLeft = timerParts
    let load = measureLoad()
    const fire = () => {
      timersLeft.delete(started)
      clearTimeout(timer)
      skipTo(untilMs)
      callback(...values)
    }
    const timer = real.timer(() => {
      const {utilization} = measureLoad(load)
      load = measureLoad()
      partsLeft -= utilization > busyShareMin ? busyPart : 1
      if (partsLeft > 0) timer.refresh()
      else fire()
    }, ms / timerParts)
    const started = {untilMs, timer, fire}
    timersLeft.add(started)
    return timer
  }

  // Node marks a timer that was cleared.
  const isCleared = ({timer}: VirtualTimer) => Reflect.get(timer, '_destroyed') === true

  function fireDueTimers() {
    for (const one of timersLeft) if (isCleared(one)) timersLeft.delete(one)
    const due = [...timersLeft].filter(({untilMs}) => untilMs <= performance.now())
    for (const one of due.toSorted((a, b) => a.untilMs - b.untilMs)) if (!isCleared(one)) one.fire()
  }

  const replace = (now: {sleep: unknown; timer: unknown; monotonic: () => number; date: () => number}) => {
    Object.assign(timers, {setTimeout: now.sleep})
    syncBuiltinESMExports()
    Object.assign(globalThis, {setTimeout: now.timer})
    performance.now = now.monotonic
    Date.now = now.date
  }
  replace({
    sleep,
    timer: startTimer,
    monotonic: () => start.monotonicMs + skippedMs,
    date: () => Math.round(start.dateMs + skippedMs),
  })
  const installed = {
    restore: () => {
      replace(real)
      delete virtualTime.pass
    },
    advance: (ms: number) => (skippedMs += ms),
  }
  virtualTime.pass = installed.advance
  return installed
}
