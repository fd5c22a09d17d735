// The service's clock, estimated from the Date header of its replies, or else from the expiry of its quotes. The estimate has an
// earliest and a latest bound; each check uses the bound that is safe for it.
import {quoteLifetimeMs} from '../../contract/vocabulary.ts'
import {readHttpDateMs} from '../../values/time.ts'

export interface ServerClock {
  // The bounds of the service's time, in milliseconds.
  earliest(): number
  latest(): number
  // The clock of this machine, in milliseconds.
  wall(): number
  // A monotonic clock, for measuring how long something takes.
  ticks(): number
  observeDate(date: string | null): void
  // A quote is valid for five minutes, so its expiry tells when it was made. Used if replies have no Date header.
  observeQuote(expiresAt: number): void
  // Sets the offset from an earlier run, which is used until a reply gives a newer one.
  assumeOffset(aheadMs: number | undefined): void
  aheadMs(): number
  // How far the service's clock is ahead of this machine's, if a reply has told its date.
  observedAheadMs(): number | undefined
}

// The Date header has whole seconds.
const dateStepMs = 1_000

interface Observation {
  at: number
  wall: number
  ticks: number
}

export function createServerClock(
  wall: () => number = Date.now,
  ticks: () => number = () => performance.now(),
): ServerClock {
  let observed: Observation | undefined
  let aheadByQuote: number | undefined
  let assumed: number | undefined
  // Measured by two clocks: the wall clock may be changed, and the monotonic clock stops while the machine sleeps.
  const getElapsed = (since: Observation) => [wall() - since.wall, ticks() - since.ticks]
  // Without any Date header, the clock of this machine and the expiry of a quote give two estimates.
  const estimates = () => [wall(), wall() + (aheadByQuote ?? assumed ?? 0)]
  const observedAheadMs = () => observed && Math.round(observed.at - observed.wall)
  return {
    wall,
    ticks,
    earliest: () => Math.floor(observed ? observed.at + Math.min(...getElapsed(observed)) : Math.min(...estimates())),
    latest: () =>
      Math.ceil(observed ? observed.at + dateStepMs + Math.max(...getElapsed(observed)) : Math.max(...estimates())),
    aheadMs: () => observedAheadMs() ?? Math.round(aheadByQuote ?? assumed ?? 0),
    observedAheadMs,
    observeDate(date) {
      const at = readHttpDateMs(date)
      if (at !== undefined) observed = {at, wall: wall(), ticks: ticks()}
    },
    observeQuote(expiresAt) {
      aheadByQuote ??= expiresAt - quoteLifetimeMs - wall()
    },
    assumeOffset(earlier) {
      assumed ??= earlier
    },
  }
}
