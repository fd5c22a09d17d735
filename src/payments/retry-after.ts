// Leaves a service alone for as long as it asks for.
import {isFailing, retryAfterMaxMs, retryAfterMs} from '../client/retries.ts'
import type {Connection} from '../client/connection.ts'
import {SvcError} from '../errors.ts'
import type {Service} from './service.ts'

// The code of the error where a service asks for more patience than there is.
export const askedToWaitCode = 'ASKED_TO_WAIT'

export type ReplyHead = Parameters<NonNullable<Connection['onReply']>>[0]

export interface RetryAfterGate {
  // Hears every reply, those before a retry included.
  observe(reply: ReplyHead): void
  // The same service, before which `wait` is asked to let so many milliseconds pass. What is armed is sent at once, since
  // its quote is running out; it is looked for first where it was sent before.
  wrap(service: Service, wait: (ms: number) => Promise<void>): Service
}

// Waits no longer than a read does, and no longer than there is patience: then it is told instead.
export const waitWithinLimit = (remainingMs: () => number) => async (ms: number) => {
  if (ms > Math.min(retryAfterMaxMs, remainingMs())) {
    throw new SvcError({
      error: askedToWaitCode,
      kind: 'unreachable',
      message: `The service asks to be left alone for ${Math.ceil(ms / 1000)} s`,
      hint: 'Try again after that',
    })
  }
  await new Promise((resolve) => setTimeout(resolve, ms))
}

export function createRetryAfterGate(): RetryAfterGate {
  let untilMs = 0
  return {
    observe({status, headers}) {
      const askedMs = isFailing(status) ? retryAfterMs(headers, Date.now()) : undefined
      if (askedMs !== undefined) untilMs = performance.now() + askedMs
    },
    wrap(service, wait) {
      const pause = async () => {
        const leftMs = untilMs - performance.now()
        if (leftMs > 0) await wait(leftMs)
      }
      return {
        async quote(content, isGuaranteed) {
          await pause()
          return service.quote(content, isGuaranteed)
        },
        send: (bytes, idempotencyKey) => service.send(bytes, idempotencyKey),
        async *transactions(customerId, how) {
          await pause()
          yield* service.transactions(customerId, how)
        },
      }
    },
  }
}
