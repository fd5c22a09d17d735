// The service's clock, as far as it can be known from here: by the Date of its replies, else by the life of its quotes.
// It is known within bounds: what must not be too early is judged by the earliest that it can be, and the other way round.
import {limits} from '../contract/limits.ts'

export interface ServerClock {
  // What time it is at the service, in milliseconds: at the earliest, and at the latest.
  earliest(): number
  latest(): number
  // How long something takes, whatever becomes of the clock on the wall.
  ticks(): number
  hear(date: string | null): void
  // A quote lives for five minutes, so its expiry says when it was made; used where replies carry no date.
  hearQuote(expiresAt: number): void
  // How far the service was ahead in an earlier run, used until a reply says it anew.
  assume(aheadMs: number | undefined): void
  aheadMs(): number
}

const quoteLifetimeMs = limits.quoteLifetimeSeconds * 1000
// Dates of replies are whole seconds.
const dateStepMs = 1_000

interface Heard {
  at: number
  wall: number
  ticks: number
}

export function serverClock(wall: () => number = Date.now, ticks: () => number = () => performance.now()): ServerClock {
  let heard: Heard | undefined
  let aheadByQuote: number | undefined
  let assumed: number | undefined
  // Two ways to count what has passed since: the wall may be set, and the ticks stand still while the machine sleeps.
  const passed = (since: Heard) => [wall() - since.wall, ticks() - since.ticks]
  // Without any date, the wall of this machine and what quotes say are two witnesses; neither is believed alone.
  const witnesses = () => [wall(), wall() + (aheadByQuote ?? assumed ?? 0)]
  return {
    ticks,
    earliest: () => Math.floor(heard ? heard.at + Math.min(...passed(heard)) : Math.min(...witnesses())),
    latest: () => Math.ceil(heard ? heard.at + dateStepMs + Math.max(...passed(heard)) : Math.max(...witnesses())),
    aheadMs: () => Math.round(heard ? heard.at - heard.wall : (aheadByQuote ?? assumed ?? 0)),
    hear(date) {
      const at = Date.parse(date ?? '')
      if (!Number.isNaN(at)) heard = {at, wall: wall(), ticks: ticks()}
    },
    hearQuote(expiresAt) {
      aheadByQuote ??= expiresAt - quoteLifetimeMs - wall()
    },
    assume(earlier) {
      assumed ??= earlier
    },
  }
}
