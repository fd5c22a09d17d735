// Probes of random services, with replies that are lost and runs that are killed: whatever happens, a probe never says that
// keys or quotes protect a payment where they do not, and never makes more than it announces.
import {describe, expect, it} from 'vitest'
import {SvcError} from '../../src/errors.ts'
import {createGenerator} from '../payments/random-runs.ts'
import {seed} from '../support/seed.ts'
import {Killed, createStage} from './stage.ts'

const stories = 30
const runsMax = 6
const minuteMs = 60_000
// Until then the same request is tried: the quote is valid for five minutes.
const triedUntilMs = 280_000
const transactionsPerRunMax = 14

function createRandom(start: number) {
  const next = createGenerator(start)
  return {
    pick: <T>(values: readonly [T, ...T[]]): T => values[Math.floor(next() * values.length)] ?? values[0],
    below: (limit: number) => Math.floor(next() * limit),
    isTrue: (probability: number) => next() < probability,
  }
}

describe(`random services from seed ${seed} (SVC_TEST_SEED repeats it)`, () => {
  it.each(Array.from({length: stories}, (_, index) => index))('story %i', async (index) => {
    const random = createRandom(seed + index)
    const behaviour = {
      keys: random.pick(['honoured', 'refused', 'per-body', 'other-body-refused', 'ignored'] as const),
      keysForgottenAfterMs: random.pick([Infinity, Infinity, minuteMs, 2 * minuteMs, 4 * minuteMs]),
      areRefusalsReplayed: random.isTrue(0.3),
      quotes: random.pick(['single', 'many'] as const),
      expiredQuotes: random.pick(['refused', 'accepted'] as const),
      listLagMs: random.pick([0, 0, 20_000, 3 * minuteMs]),
      listOrder: random.pick(['newest', 'oldest', 'mixed'] as const),
      hasDate: random.isTrue(0.8),
    }
    const {service, run} = await createStage(behaviour)
    const lostCount = random.below(4)
    for (let lost = 0; lost < lostCount; lost++) {
      service.script({
        skip: random.below(14),
        acts: random.pick<'at once' | 'never' | {afterMs: number}>(['at once', 'never', {afterMs: 90_000}]),
        reply: random.pick(['reset', 'truncated'] as const),
      })
    }
    const isForgetful = behaviour.keysForgottenAfterMs < triedUntilMs
    const isSameSafe = behaviour.quotes === 'single' || (behaviour.keys !== 'ignored' && !isForgetful)
    const isOtherSafe = !isForgetful && behaviour.keys !== 'ignored' && behaviour.keys !== 'per-body'
    for (let runs = 0; runs < runsMax; runs++) {
      let killIn = random.isTrue(0.5) ? random.below(30) : Infinity
      const before = service.transactions.length
      const ended = await run({
        isQuick: random.isTrue(0.2),
        checkpoint() {
          if (killIn-- === 0) throw new Killed()
        },
      }).catch((error: unknown) => {
        if (error instanceof Killed || error instanceof SvcError) return undefined
        throw error
      })
      expect(service.transactions.length - before).toBeLessThanOrEqual(transactionsPerRunMax)
      service.clock.advance(random.pick([1_000, minuteMs, 60 * minuteMs]))
      if (!ended) continue
      const {sameRequest, otherRequest, usedQuote, expiredQuote} = ended.knowledge
      if (sameRequest && sameRequest !== 'created') expect(isSameSafe).toBe(true)
      if (otherRequest && otherRequest !== 'created') expect(isOtherSafe).toBe(true)
      if (usedQuote === 'rejected') expect(behaviour.quotes).toBe('single')
      if (expiredQuote === 'rejected') expect(behaviour.expiredQuotes).toBe('refused')
      // Without lost replies nothing is left open.
      if (lostCount > 0) continue
      if (sameRequest === 'created') expect(isSameSafe).toBe(false)
      if (otherRequest === 'created') expect(isOtherSafe).toBe(false)
    }
  })
})
