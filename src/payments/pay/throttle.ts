// Leaves the service alone for as long as it asks for with Retry-After, and begins payments more slowly once it was asked too often.
import {isFailing, retryAfterMs} from '../../client/retries.ts'
import type {ReplyHead, Service} from '../protocol/service.ts'

// How many payments of a file or a batch are made at the same time, if nobody says how many.
export const concurrencyDefault = 16

const tooManyRequests = 429
// If the service does not say when to come back.
const refusedForMs = 1_000
// For so long after such a refusal, payments begin one after the other with a gap.
const slowForMs = 300_000
const gapMs = 200

export class Throttle {
  #closedUntilMs = 0
  #slowUntilMs = 0
  #nextBeginMs = 0

  // Must be called with every reply, including those before a retry.
  observe({status, headers}: ReplyHead): void {
    if (!isFailing(status)) return
    const nowMs = performance.now()
    const isTooOften = status === tooManyRequests
    if (isTooOften) this.#slowUntilMs = nowMs + slowForMs
    const forMs = retryAfterMs(headers) ?? (isTooOften ? refusedForMs : 0)
    this.#closedUntilMs = Math.max(this.#closedUntilMs, nowMs + forMs)
  }

  // Returns the service with `wait` called before each request that has to wait. An armed payment is sent without waiting, because
  // its quote is about to expire; the next quote waits for it.
  wrap(service: Service, wait: (ms: number) => Promise<void>): Service {
    const waitUntil = async (untilMs: number) => {
      const leftMs = untilMs - performance.now()
      if (leftMs > 0) await wait(leftMs)
    }
    const waitWhileClosed = () => waitUntil(this.#closedUntilMs)
    return {
      quote: async (content, isGuaranteed) => {
        const beginMs = Math.max(performance.now(), this.#closedUntilMs, this.#nextBeginMs)
        this.#nextBeginMs = beginMs + (beginMs < this.#slowUntilMs ? gapMs : 0)
        await waitUntil(beginMs)
        return service.quote(content, isGuaranteed)
      },
      send: (bytes, idempotencyKey) => service.send(bytes, idempotencyKey),
      async *transactions(customerId, options) {
        await waitWhileClosed()
        yield* service.transactions(customerId, options)
      },
    }
  }
}
