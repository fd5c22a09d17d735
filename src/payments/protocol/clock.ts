// The service's clock, estimated from the Date header of its replies, or else from the expiry of
// its quotes. The estimate has an earliest and a latest bound; each check uses the bound that is
// safe for it.
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
  // A quote is valid for five minutes, so its expiry tells when it was made. Used if replies have
  // no Date header.
  observeQuote(expiresAt: number): void
  // Whether the service has said what time it is there, by a Date header or by a quote.
  isObserved(): boolean
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
  let firstQuote: Observation | undefined
  let lastQuote: Observation | undefined
  let assumed: number | undefined

  const observe = (at: number): Observation => ({at, wall: wall(), ticks: ticks()})

  // Elapsed time is measured by two clocks: the wall clock may be changed, and the monotonic clock
  // stops while the machine sleeps.
  const getElapsed = (since: Observation) => [wall() - since.wall, ticks() - since.ticks]
  const addLeast = (since: Observation) => since.at + Math.min(...getElapsed(since))
  const addMost = (since: Observation) => since.at + Math.max(...getElapsed(since))

  // Without a Date header, the clock of this machine and the expiry of a quote give two estimates.
  // A service may return an old quote again, whose expiry makes its time seem earlier, so the
  // latest bound also counts the first quote.
  const estimateEarliest = () => Math.min(wall(), lastQuote ? addLeast(lastQuote) : wall() + (assumed ?? 0))
  const estimateLatest = () =>
    Math.max(
      wall(),
      ...(firstQuote && lastQuote ? [addMost(firstQuote), addMost(lastQuote)] : [wall() + (assumed ?? 0)]),
    )

  const getAhead = ({at, wall: atWall}: Observation) => Math.round(at - atWall)
  const observedAheadMs = () => observed && getAhead(observed)

  return {
    wall,
    ticks,
    earliest: () => Math.floor(observed ? addLeast(observed) : estimateEarliest()),
    latest: () => Math.ceil(observed ? addMost(observed) + dateStepMs : estimateLatest()),
    aheadMs: () => observedAheadMs() ?? (lastQuote ? getAhead(lastQuote) : Math.round(assumed ?? 0)),
    observedAheadMs,
    isObserved: () => (observed ?? lastQuote) !== undefined,
    observeDate(date) {
      const at = readHttpDateMs(date)
      if (at !== undefined) observed = observe(at)
    },
    observeQuote(expiresAt) {
      lastQuote = observe(expiresAt - quoteLifetimeMs)
      firstQuote ??= lastQuote
    },
    assumeOffset(earlier) {
      assumed ??= earlier
    },
  }
}
