// How a whole run treats a service that is failing: it gives up before it becomes a flood, and waits where it is asked to.
import {setTimeout as sleep} from 'node:timers/promises'
import {isFailing} from '../client/retries.ts'
import {SvcError} from '../errors.ts'
import type {ReplyHead} from '../payments/retry-after.ts'
import type {Service} from '../payments/service.ts'
import type {Halt} from './stop-reason.ts'

// So many failures a run may spend, with every retry counted; each answer gives a part of one back, so that a service that
// fails now and then is borne for as long as the run takes, and one that fails more than every third time is not
// (docs/assumptions.md, P15).
const failuresMax = 60
const regainedByAnswer = 0.5
const quietMaxMs = 60_000

export interface Courtesy {
  // Hears every reply, those before a retry included.
  hear(reply: ReplyHead): void
  // The same service, with every silence counted.
  around(service: Service): Service
}

export function courtesyOf(halt: Halt): Courtesy {
  let left = failuresMax
  const failed = () => {
    left -= 1
    if (left <= 0) halt.stop('service')
  }
  // Where there was no reply at all, nobody else has counted it.
  const counted = async <T>(work: Promise<T>): Promise<T> => {
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
    hear({status}) {
      if (isFailing(status)) failed()
      else left = Math.min(failuresMax, left + regainedByAnswer)
    },
    around: (service) => ({
      quote: (content, isGuaranteed) => counted(service.quote(content, isGuaranteed)),
      send: (bytes, idempotencyKey) => counted(service.send(bytes, idempotencyKey)),
      async *transactions(customerId) {
        const pages = service.transactions(customerId)[Symbol.asyncIterator]()
        for (;;) {
          const {done, value} = await counted(pages.next())
          if (done) return
          yield value
        }
      },
    }),
  }
}

// A service that asks for more patience than this is asked again after this.
export const waitedQuietly = (halt: Halt) => (ms: number) => pausedFor(Math.min(quietMaxMs, ms), halt)

// A pause that ends early when the run does.
export async function pausedFor(ms: number, {signal}: Halt): Promise<void> {
  if (ms <= 0 || signal.aborted) return
  await sleep(ms, undefined, {signal}).catch(() => {})
}
