// Watches how the service answers a worker, and says when the whole fleet should call it less.
import {isFailing, retryAfterMs} from '../client/retries.ts'
import {SvcError} from '../errors.ts'
import type {ReplyHead} from '../payments/retry-after.ts'
import type {Service} from '../payments/service.ts'

// So many failures in a row, or more than one in three over a longer time, slow the fleet down (docs/assumptions.md, P15).
const failuresMax = 6
const regainedByReply = 0.5
const tooManyRequests = 429
// How long nobody starts a row after a 429 that does not say how long.
const pauseDefaultMs = 1_000
const pauseMaxMs = 300_000

export interface ServiceWatch {
  // Must be called with every reply, including those before a retry.
  observe(reply: ReplyHead): void
  // Returns the service with requests counted that got no reply.
  wrap(service: Service): Service
}

export function createServiceWatch(onSlow: (pauseMs: number) => void): ServiceWatch {
  let failuresLeft = failuresMax
  const countFailure = (pauseMs: number) => {
    failuresLeft -= 1
    if (failuresLeft > 0) return
    failuresLeft = failuresMax
    onSlow(pauseMs)
  }
  const countMissingReply = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      const hasNoReply =
        error instanceof SvcError &&
        error.statusCode === undefined &&
        (error.kind === 'unreachable' || error.kind === 'unknownOutcome')
      if (hasNoReply) countFailure(0)
      throw error
    }
  }
  return {
    observe({status, headers}) {
      if (!isFailing(status)) {
        failuresLeft = Math.min(failuresMax, failuresLeft + regainedByReply)
        return
      }
      const askedMs = retryAfterMs(headers, Date.now())
      if (status === tooManyRequests) onSlow(Math.min(askedMs ?? pauseDefaultMs, pauseMaxMs))
      else countFailure(Math.min(askedMs ?? 0, pauseMaxMs))
    },
    wrap: (service) => ({
      quote: (content, isGuaranteed) => countMissingReply(service.quote(content, isGuaranteed)),
      send: (bytes, idempotencyKey) => countMissingReply(service.send(bytes, idempotencyKey)),
      async *transactions(customerId, options) {
        const pages = service.transactions(customerId, options)[Symbol.asyncIterator]()
        for (;;) {
          const {done, value} = await countMissingReply(pages.next())
          if (done) return
          yield value
        }
      },
    }),
  }
}
