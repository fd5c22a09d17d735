// The service's clock, as far as it can be known from here: by the Date of its replies, else by the life of its quotes.
// It is known within bounds: what must not be too early is judged by the earliest that it can be, and the other way round.
import {limits} from '../contract/limits.ts'

export interface ServerClock {
  // What time it is at the service, in milliseconds: at the earliest, and at the latest.
  earliest(): number
  latest(): number
  // How long something takes, whatever becomes of the clock on the wall.
  ticks(): number
  observeDate(date: string | null): void
  // A quote lives for five minutes, so its expiry says when it was made; used where replies carry no date.
  observeQuote(expiresAt: number): void
  // How far the service was ahead in an earlier run, used until a reply says it anew.
  assumeOffset(aheadMs: number | undefined): void
  aheadMs(): number
}

const quoteLifetimeMs = limits.quoteLifetimeSeconds * 1000
// Dates of replies are whole seconds.
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
  // Two ways to count what has passed since: the wall may be set, and the ticks stand still while the machine sleeps.
  const getElapsed = (since: Observation) => [wall() - since.wall, ticks() - since.ticks]
  // Without any date, the wall of this machine and what quotes say are two witnesses; neither is believed alone.
  const estimates = () => [wall(), wall() + (aheadByQuote ?? assumed ?? 0)]
  return {
    ticks,
    earliest: () => Math.floor(observed ? observed.at + Math.min(...getElapsed(observed)) : Math.min(...estimates())),
    latest: () =>
      Math.ceil(observed ? observed.at + dateStepMs + Math.max(...getElapsed(observed)) : Math.max(...estimates())),
    aheadMs: () => Math.round(observed ? observed.at - observed.wall : (aheadByQuote ?? assumed ?? 0)),
    observeDate(date) {
      const at = Date.parse(date ?? '')
      if (!Number.isNaN(at)) observed = {at, wall: wall(), ticks: ticks()}
    },
    observeQuote(expiresAt) {
      aheadByQuote ??= expiresAt - quoteLifetimeMs - wall()
    },
    assumeOffset(earlier) {
      assumed ??= earlier
    },
  }
}
