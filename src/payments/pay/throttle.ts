// Leaves the service alone for as long as it asks for with Retry-After, and begins payments more slowly once it was asked too often.
import {isFailing, retryAfterMs} from '../../client/retries.ts'
import type {ReplyHead, Service} from '../protocol/service.ts'

// How many payments of a file or a batch are made at the same time, if nobody says how many.
export const concurrencyDefault = 16

const tooManyRequests = 429
// If the service does not say when to come back.
const refusedForMs = 1_000
// How much later the next payment begins: so much after the first refusal, and twice as much after each further one.
const gapFirstMs = 100
const gapMaxMs = 3_000
// It is halved after so long without a refusal: a worker may run for weeks.
const gapKeptMs = 300_000

export class Throttle {
  #closedUntilMs = 0
  #gapMs = 0
  #gapSinceMs = 0
  #nextBeginMs = 0

  // Must be called with every reply, including those before a retry.
  observe({status, headers}: ReplyHead): void {
    if (!isFailing(status)) return
    // Replies to what was sent before the first refusal say nothing new.
    const isNew = performance.now() >= this.#closedUntilMs
    if (status === tooManyRequests && isNew) {
      this.#gapMs = Math.min(gapMaxMs, Math.max(gapFirstMs, this.#gapMs * 2))
      this.#gapSinceMs = performance.now()
    }
    const forMs = retryAfterMs(headers) ?? (status === tooManyRequests ? refusedForMs : 0)
    this.#closedUntilMs = Math.max(this.#closedUntilMs, performance.now() + forMs)
  }

  // Returns the service with `wait` called before each request that has to wait. An armed payment is sent without waiting, because
  // its quote is about to expire; the next quote waits for it.
  wrap(service: Service, wait: (ms: number) => Promise<void>): Service {
    const waitIfNeeded = async () => {
      const leftMs = this.#closedUntilMs - performance.now()
      if (leftMs > 0) await wait(leftMs)
    }
    const waitForTurn = async () => {
      const nowMs = performance.now()
      if (nowMs - this.#gapSinceMs > gapKeptMs) {
        this.#gapMs = this.#gapMs > gapFirstMs ? this.#gapMs / 2 : 0
        this.#gapSinceMs = nowMs
      }
      const beginMs = Math.max(nowMs, this.#nextBeginMs)
      this.#nextBeginMs = beginMs + this.#gapMs
      if (beginMs > nowMs) await wait(beginMs - nowMs)
    }
    return {
      quote: async (content, isGuaranteed) => {
        await waitIfNeeded()
        await waitForTurn()
        return service.quote(content, isGuaranteed)
      },
      send: (bytes, idempotencyKey) => service.send(bytes, idempotencyKey),
      async *transactions(customerId, options) {
        await waitIfNeeded()
        yield* service.transactions(customerId, options)
      },
    }
  }
}
