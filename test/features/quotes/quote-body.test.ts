// How long a quote is valid by the local clock.
import {expect, it} from 'vitest'
import {calculateQuoteEndMs} from '../../../src/quotes/quote-body.ts'

const askedMs = Date.UTC(2026, 10, 15, 12, 0, 0, 400)
const answeredMs = askedMs + 100
const latestMs = askedMs + 300_000

it.each([
  ['2026-11-15T12:05:00Z', latestMs, 'cut to whole seconds'],
  ['2026-11-15T12:03:00Z', Date.UTC(2026, 10, 15, 12, 3), 'of a machine whose clock is ahead'],
  ['2026-11-15T12:07:00Z', latestMs, 'of a machine whose clock is behind'],
  ['2027-03-01T00:00:00Z', latestMs, 'of a sandbox that is months ahead'],
  ['2026-11-15T11:00:00Z', latestMs, 'that seems to be past'],
  ['soon', latestMs, 'that cannot be read'],
  [undefined, latestMs, 'that is missing'],
])('the expiry of a quote with expiresAt %s is at %i: one %s', (expiresAt, endMs, _why) => {
  expect(calculateQuoteEndMs(expiresAt, askedMs, answeredMs)).toBe(endMs)
})
