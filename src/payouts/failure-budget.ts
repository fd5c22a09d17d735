// How a whole run treats a service that is failing: it gives up before it becomes a flood, and waits where it is asked to.
import {setTimeout as sleep} from 'node:timers/promises'
import {isFailing} from '../client/retries.ts'
import {SvcError} from '../errors.ts'
import type {ReplyHead} from '../payments/retry-after.ts'
import type {Service} from '../payments/service.ts'
import type {Halt} from './halt.ts'

// So many failures a run may spend, with every retry counted; each answer gives a part of one back, so that a service that
// fails now and then is borne for as long as the run takes, and one that fails more than every third time is not
// (docs/assumptions.md, P15).
const failuresMax = 60
const regainedByReply = 0.5
const retryAfterMaxMs = 60_000

export interface FailureBudget {
  // Hears every reply, those before a retry included.
  observe(reply: ReplyHead): void
  // The same service, with every silence counted.
  wrap(service: Service): Service
}

export function createFailureBudget(halt: Halt): FailureBudget {
  let left = failuresMax
  const failed = () => {
    left -= 1
    if (left <= 0) halt.stop('service')
  }
  // Where there was no reply at all, nobody else has counted it.
  const countSilence = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      const isSilence =
        error instanceof SvcError &&
        error.statusCode === undefined &&
        (error.kind === 'unreachable' || error.kind === 'unknownOutcome')
      if (isSilence) failed()
      throw error
    }
  }
  return {
    observe({status}) {
      if (isFailing(status)) failed()
      else left = Math.min(failuresMax, left + regainedByReply)
    },
    wrap: (service) => ({
      quote: (content, isGuaranteed) => countSilence(service.quote(content, isGuaranteed)),
      send: (bytes, idempotencyKey) => countSilence(service.send(bytes, idempotencyKey)),
      async *transactions(customerId) {
        const pages = service.transactions(customerId)[Symbol.asyncIterator]()
        for (;;) {
          const {done, value} = await countSilence(pages.next())
          if (done) return
          yield value
        }
      },
    }),
  }
}

// A service that asks for more patience than this is asked again after this.
export const waitForRetryAfter = (halt: Halt) => (ms: number) => pauseUnlessHalted(Math.min(retryAfterMaxMs, ms), halt)

// A pause that ends early when the run does.
export async function pauseUnlessHalted(ms: number, {signal}: Halt): Promise<void> {
  if (ms <= 0 || signal.aborted) return
  await sleep(ms, undefined, {signal}).catch(() => {})
}
