// The service's clock, as far as it can be known from here: by the Date of its replies, else by the life of its quotes.
import {limits} from '../contract/limits.ts'

export interface ServerClock {
  // What time it is at the service, in milliseconds. Dates of replies are whole seconds, so it may be a second later.
  now(): number
  hear(date: string | null): void
  // A quote lives for five minutes, so its expiry says when it was made; used where replies carry no date.
  hearQuote(expiresAt: number): void
  // What an earlier run knew, used until a reply says it anew.
  assume(aheadMs: number | undefined): void
  aheadMs(): number
}

const quoteLifetimeMs = limits.quoteLifetimeSeconds * 1000

export function serverClock(wall: () => number = Date.now): ServerClock {
  let ahead: number | undefined
  let aheadByQuote: number | undefined
  let assumed: number | undefined
  const aheadMs = () => ahead ?? aheadByQuote ?? assumed ?? 0
  return {
    aheadMs,
    now: () => wall() + aheadMs(),
    hear(date) {
      const at = Date.parse(date ?? '')
      if (!Number.isNaN(at)) ahead = at - wall()
    },
    assume(earlier) {
      assumed ??= earlier
    },
    hearQuote(expiresAt) {
      aheadByQuote ??= expiresAt - quoteLifetimeMs - wall()
    },
  }
}
