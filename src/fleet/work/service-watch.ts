// Watches how the service answers a worker, and says when the whole fleet should call it less.
import {isFailing, retryAfterMs} from '../../client/retries.ts'
import {countMissingReplies} from '../../payments/protocol/count-missing-replies.ts'
import type {ReplyHead} from '../../payments/protocol/retry-after.ts'
import type {Service} from '../../payments/protocol/service.ts'

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
  return {
    observe({status, headers}) {
      if (!isFailing(status)) {
        failuresLeft = Math.min(failuresMax, failuresLeft + regainedByReply)
        return
      }
      const askedMs = retryAfterMs(headers)
      if (status === tooManyRequests) onSlow(Math.min(askedMs ?? pauseDefaultMs, pauseMaxMs))
      else countFailure(Math.min(askedMs ?? 0, pauseMaxMs))
    },
    wrap: (service) => countMissingReplies(service, () => countFailure(0)),
  }
}
