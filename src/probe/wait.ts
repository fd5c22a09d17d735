// Waits for a moment of the service's clock, and reads the list meanwhile.
import {limits} from '../contract/limits.ts'
import {type ProbeContext, requireTime} from './context.ts'
import {getFirstUse} from './outcomes.ts'
import type {ListWatch} from './list-watch.ts'
import type {SentTry} from './probe-state.ts'
import type {Moment} from './tries.ts'

// A key that a service forgets after a minute is forgotten by then.
const afterMinuteMs = 65_000
// The last try before a quote expires needs time to arrive.
const lateMarginMs = 20_000
const arrivalMs = 5_000
// The clocks of a service's machines may differ.
const expiredMarginMs = 10_000

const pauseFirstMs = 1_000
const pauseMaxMs = 15_000
// Each read also shows the service's clock.
const readEveryMs = 30_000

// A quote is valid for five minutes, even if it expires by another clock than that of the Date header.
const quoteLifetimeMs = limits.quoteLifetimeSeconds * 1000

// The quote must be valid when a request that uses it arrives.
const getLifeLeft = ({clock, time}: ProbeContext, {quoteExpiresAt = 0, armedAt}: SentTry) =>
  Math.min(quoteExpiresAt - clock.latest(), armedAt + quoteLifetimeMs - time.now())

// The last try of a key must come after this part of the quote's life has passed since the first use of the key.
const lateAgeMin = 0.85

// Whether a try at this moment can still use the first transaction: its quote must be valid then, and its key old enough.
export function canReach(context: ProbeContext, moment: Moment, first: SentTry): boolean {
  if (moment !== 'minute' && moment !== 'late') return getLifeLeft(context, first) > arrivalMs
  const waitMs = Math.max(0, getWaitMs(context, moment, first))
  if (getLifeLeft(context, first) - waitMs <= arrivalMs) return false
  if (moment === 'minute') return true
  const momentMs = context.time.now() + waitMs
  return momentMs - getFirstUse(context.state, first) >= lateAgeMin * (momentMs - first.armedAt)
}

// How long it is until the moment.
export function getWaitMs(context: ProbeContext, moment: Moment, first?: SentTry): number {
  const {state, time, clock} = context
  if (moment === 'minute' && first) return getFirstUse(state, first) + afterMinuteMs - time.now()
  if (moment === 'late' && first) return getLifeLeft(context, first) - lateMarginMs
  if (moment !== 'expired' || !state.oldQuote) return 0
  const {expiresAt, takenAt} = state.oldQuote
  return expiredMarginMs + Math.max(expiresAt - clock.earliest(), takenAt + quoteLifetimeMs - time.now())
}

// Whether the clock of the service stands still, or is much slower than this one, so that its quotes do not expire.
function hasStopped({time, clock}: ProbeContext, started: {now: number; service: number}): boolean {
  const waitedMs = time.now() - started.now
  return waitedMs >= readEveryMs && clock.earliest() - started.service < waitedMs / 2
}

// Returns false if the clock of the service stands still, so that the moment never comes.
export async function waitFor(
  context: ProbeContext,
  list: ListWatch,
  words: string,
  getLeftMs: () => number,
): Promise<boolean> {
  const {time, clock} = context
  let pauseMs = pauseFirstMs
  let readAt = time.now()
  const started = {now: time.now(), service: clock.earliest()}
  for (let leftMs = getLeftMs(); leftMs > 0; leftMs = getLeftMs()) {
    requireTime(context, Math.min(leftMs, pauseMaxMs))
    context.report(words, time.now() + leftMs)
    await time.sleep(Math.min(leftMs, pauseMs))
    pauseMs = Math.min(pauseMaxMs, pauseMs * 2)
    if (!list.isWaiting && time.now() - readAt < readEveryMs) continue
    await list.read({isComplete: false})
    readAt = time.now()
    if (hasStopped(context, started)) return false
  }
  return true
}
