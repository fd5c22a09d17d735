// Waits before the next request if the service asked for it with a Retry-After header.
import {setTimeout as sleep} from 'node:timers/promises'
import {isFailing, retryAfterMaxMs, retryAfterMs} from '../../client/retries.ts'
import type {ObservedReply} from '../../client/connection.ts'
import {SvcError} from '../../errors.ts'
import type {Service} from './service.ts'

// The code of the error if the service asks for a longer wait than svc allows.
export const askedToWaitCode = 'ASKED_TO_WAIT'

export type ReplyHead = Pick<ObservedReply, 'status' | 'headers'>

export interface RetryAfterGate {
  // Must be called with every reply, including those before a retry.
  observe(reply: ReplyHead): void
  // Returns the service with `wait` called before each request that has to wait. An armed payment is sent without waiting,
  // because its quote is about to expire.
  wrap(service: Service, wait: (ms: number) => Promise<void>): Service
}

// Waits at most as long as a read would, and at most until the run ends. Otherwise it throws.
export const waitWithinLimit = (remainingMs: () => number) => async (ms: number) => {
  if (ms > Math.min(retryAfterMaxMs, remainingMs())) {
    const wait = `asks to wait ${Math.ceil(ms / 1000)} s before the next request`
    throw new SvcError({
      error: askedToWaitCode,
      kind: 'unreachable',
      message: `The service ${wait}`,
      reason: `it ${wait}`,
      hint: 'Try again after that',
    })
  }
  await sleep(ms)
}

export function createRetryAfterGate(): RetryAfterGate {
  let untilMs = 0
  return {
    observe({status, headers}) {
      const requestedMs = isFailing(status) ? retryAfterMs(headers) : undefined
      if (requestedMs !== undefined) untilMs = performance.now() + requestedMs
    },
    wrap(service, wait) {
      const waitIfNeeded = async () => {
        const leftMs = untilMs - performance.now()
        if (leftMs > 0) await wait(leftMs)
      }
      return {
        async quote(content, isGuaranteed) {
          await waitIfNeeded()
          return service.quote(content, isGuaranteed)
        },
        send: (bytes, idempotencyKey) => service.send(bytes, idempotencyKey),
        async *transactions(customerId, options) {
          await waitIfNeeded()
          yield* service.transactions(customerId, options)
        },
      }
    },
  }
}
