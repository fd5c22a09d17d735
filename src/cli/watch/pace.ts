// How often a wait looks, and for how long it bears that there is no answer.

// The first look comes this soon, also after every change, since changes come in groups.
export const pauseFirstMs = 1000
const pauseMaxMs = 15_000
const pauseGrowth = 1.5
// Many waits that began together must not look together, so each pause is shortened by up to this share.
const jitterMax = 0.2
// Shortly before the time is up there is one more look.
const lastReadMs = 500

// Since the last good answer: a service that fails for longer is reported.
export const unreachableMsMax = 5 * 60_000
// A list may show what was just made only after a while (docs/assumptions.md, L5).
export const unlistedMsMax = 10 * 60_000
// Reads that lie behind the answer of a write are passed over for this long. Later it is no lag, but a clock that is off.
export const staleReadMsMax = 60_000

export const lengthenPause = (pauseMs: number) => Math.min(pauseMaxMs, pauseMs * pauseGrowth)

// How long to pause, and whether a look follows, or the time is up.
export function planPause(pauseMs: number, leftMs: number): {forMs: number; thenLook: boolean} {
  const forMs = pauseMs * (1 - jitterMax * Math.random())
  if (forMs < leftMs) return {forMs, thenLook: true}
  if (leftMs > lastReadMs) return {forMs: leftMs - lastReadMs, thenLook: true}
  return {forMs: Math.max(0, leftMs), thenLook: false}
}
