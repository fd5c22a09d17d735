// Keeps to what the service takes, so that nobody has to choose it: how many payments at a time, and how many requests in a second.
// It begins with a few payments at a time and adds to them while replies do not become slower. The first refusal with 429 tells the
// rate: what was accepted until the service takes requests again. From then on requests keep to a little less, and with each that is
// accepted to a little more, until the next refusal.
import {isFailing, retryAfterMs} from '../../client/retries.ts'
import type {ReplyHead, Service} from '../protocol/service.ts'

const tooManyRequests = 429
const placesAtStart = 4
// If nobody says how many.
export const placesUsual = 16
// What each reply adds to them at first.
const risePerReply = 0.5

// If the service does not say when to come back.
const refusedForMs = 1_000
// What is kept of the rate at a refusal, and by how much each accepted request raises it.
const rateShare = 0.95
const growthByReply = 1.0001
const intervalMaxMs = 10_000

// Replies have become slow if they take so many times as long as the fastest, and so much longer.
const slowFactor = 2.5
const slowMs = 25
// The weight of the last reply in the average, and how much the fastest is forgotten with each.
const averageWeight = 0.1
const fastestGrowth = 1.0001

export class Throttle {
  readonly #now: () => number
  readonly #placesMax: number
  #places: number
  // Nothing is sent before, because the service asked for it.
  #closedUntilMs = 0
  // The time between two requests, and when the next one may be sent. No rate is known before the first refusal.
  #intervalMs = 0
  #nextAtMs = 0
  readonly #startedMs: number
  #accepted = 0
  // Until a sign that it is enough.
  #isRising = true
  readonly #quoteTimes = new ReplyTimes()
  readonly #sendTimes = new ReplyTimes()
  readonly #isChosen: boolean

  // If somebody chose how many, it begins with all of them.
  constructor({placesMax, now = () => performance.now()}: {placesMax?: number | undefined; now?: () => number} = {}) {
    this.#now = now
    this.#isChosen = placesMax !== undefined
    this.#placesMax = placesMax ?? placesUsual
    this.#places = placesMax ?? placesAtStart
    this.#startedMs = now()
  }

  // How many payments may be under way at the same time.
  get places(): number {
    return Math.max(1, Math.floor(this.#places))
  }

  // Must be called with every reply, including those before a retry.
  observe({status, headers}: ReplyHead): void {
    if (!isFailing(status)) {
      this.#accepted += 1
      this.#intervalMs /= growthByReply
      return
    }
    const requestedMs = retryAfterMs(headers)
    if (status === tooManyRequests) this.#noteRefusal(requestedMs ?? refusedForMs)
    else if (requestedMs !== undefined) this.#closedUntilMs = this.#now() + requestedMs
  }

  // Returns the service with `wait` called before each request that has to wait. An armed payment is sent without waiting, because
  // its quote is about to expire; the next quote waits for it.
  wrap(service: Service, wait: (ms: number) => Promise<void>): Service {
    const waitIfNeeded = async () => {
      const atMs = Math.max(this.#closedUntilMs, this.#takeTurn())
      const leftMs = atMs - this.#now()
      if (leftMs > 0) await wait(leftMs)
    }
    return {
      quote: async (content, isGuaranteed) => {
        await waitIfNeeded()
        return this.#measure(this.#quoteTimes, service.quote(content, isGuaranteed))
      },
      send: (bytes, idempotencyKey) => {
        this.#takeTurn()
        return this.#measure(this.#sendTimes, service.send(bytes, idempotencyKey))
      },
      async *transactions(customerId, options) {
        await waitIfNeeded()
        yield* service.transactions(customerId, options)
      },
    }
  }

  // When the next request may be sent, if a rate is known.
  #takeTurn(): number {
    if (this.#intervalMs === 0) return 0
    const atMs = Math.max(this.#nextAtMs, this.#now())
    this.#nextAtMs = atMs + this.#intervalMs
    return atMs
  }

  // Several requests that were under way are refused together, and tell no more than the first.
  #noteRefusal(forMs: number): void {
    const now = this.#now()
    const isSameRefusal = now < this.#closedUntilMs
    this.#closedUntilMs = Math.max(this.#closedUntilMs, now + forMs)
    if (isSameRefusal) return
    const known = this.#intervalMs || (this.#closedUntilMs - this.#startedMs) / Math.max(1, this.#accepted)
    this.#intervalMs = Math.min(intervalMaxMs, known / rateShare)
    this.#nextAtMs = this.#closedUntilMs
    this.#isRising = false
    this.#places = Math.max(1, this.#places / 2)
  }

  async #measure<T>(times: ReplyTimes, request: Promise<T>): Promise<T> {
    const startedMs = this.#now()
    const reply = await request
    this.#adapt(times.add(this.#now() - startedMs))
    return reply
  }

  // What somebody chose is only lowered by refusals.
  #adapt(isSlow: boolean): void {
    if (isSlow && this.#isChosen) return
    if (isSlow) this.#isRising = false
    // Otherwise one more for each round of all places, or one less.
    const step = this.#isRising ? risePerReply : (isSlow ? -1 : 1) / this.#places
    this.#places = Math.min(this.#placesMax, Math.max(1, this.#places + step))
  }
}

// How long the replies to requests of one kind take.
class ReplyTimes {
  #averageMs: number | undefined
  #fastestMs = Infinity

  // Returns whether they have become slow.
  add(ms: number): boolean {
    this.#fastestMs = Math.min(ms, this.#fastestMs * fastestGrowth)
    this.#averageMs = this.#averageMs === undefined ? ms : this.#averageMs + (ms - this.#averageMs) * averageWeight
    return this.#averageMs > this.#fastestMs * slowFactor && this.#averageMs > this.#fastestMs + slowMs
  }
}
