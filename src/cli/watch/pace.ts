// How often a watch reads, and how long it tolerates failures.
import {setTimeout as sleep} from 'node:timers/promises'

// The pause before the first read, and after every change, because changes often come in groups.
export const pauseFirstMs = 1000
const pauseMaxMs = 15_000
const pauseGrowth = 1.5
// Each pause is shortened at random by up to this share, so that watches that started together do not read together.
const jitterMax = 0.2
// The last read happens this long before the deadline.
const lastReadMs = 500

// Measured since the last successful read. After this time the failure is reported.
export const unreachableMsMax = 5 * 60_000
// A list may show a new item late (docs/assumptions.md, L5).
export const unlistedMsMax = 10 * 60_000
// Reads that are older than the reply to the write are ignored for this long. After that, a wrong clock is more likely.
export const staleReadMsMax = 60_000

export const lengthenPause = (pauseMs: number) => Math.min(pauseMaxMs, pauseMs * pauseGrowth)

// How long to pause, and whether a read follows or the time is up.
export function planPause(pauseMs: number, leftMs: number): {durationMs: number; thenRead: boolean} {
  const durationMs = pauseMs * (1 - jitterMax * Math.random())
  if (durationMs < leftMs) return {durationMs, thenRead: true}
  if (leftMs > lastReadMs) return {durationMs: leftMs - lastReadMs, thenRead: true}
  return {durationMs: Math.max(0, leftMs), thenRead: false}
}

// Ends early if the watch is stopped.
export function pauseUntil(ms: number, stopped: Promise<void>): Promise<void> {
  const ending = new AbortController()
  const pause = sleep(ms, undefined, {signal: ending.signal}).catch(() => {})
  return Promise.race([pause, stopped]).finally(() => ending.abort())
}
