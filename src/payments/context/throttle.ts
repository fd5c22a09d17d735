// Leaves the service alone for as long as it asks for with Retry-After, and slows down once it was
// asked too often.
import {isFailing, retryAfterMs} from '../../client/retries.ts'
import type {ReplyHead, Service} from '../protocol/service.ts'

const tooManyRequests = 429
// The wait after such a refusal if the service does not say when to come back.
const refusedForMs = 1_000
// The time after such a refusal in which quotes and lists are requested one by one, with a gap.
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

  // Returns when the next request may begin. Waiting requests follow one another: if all came back
  // at once, most would be refused again.
  #takeTurn(): number {
    const beginMs = Math.max(performance.now(), this.#closedUntilMs, this.#nextBeginMs)
    this.#nextBeginMs = beginMs + (beginMs < this.#slowUntilMs ? gapMs : 0)
    return beginMs
  }

  // Returns the service with `wait` called before each quote and each list that has to wait. An
  // armed payment is sent at once, because its quote is about to expire; the requests after it
  // wait.
  wrap(service: Service, wait: (ms: number) => Promise<void>): Service {
    const waitForTurn = async () => {
      let isOver = false
      while (!isOver) {
        const beginMs = this.#takeTurn()
        if (beginMs > performance.now()) await wait(beginMs - performance.now())
        // A wait that was cut short is over, whatever the service asked for meanwhile.
        isOver = performance.now() < beginMs || performance.now() >= this.#closedUntilMs
      }
    }

    return {
      quote: async (content, isGuaranteed) => {
        await waitForTurn()
        return service.quote(content, isGuaranteed)
      },
      send: (bytes, idempotencyKey) => service.send(bytes, idempotencyKey),
      async *transactions(customerId, options) {
        await waitForTurn()
        yield* service.transactions(customerId, options)
      },
    }
  }
}
