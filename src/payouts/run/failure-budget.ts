// Limits how many failures of the service a run tolerates before it stops.
import {setTimeout as sleep} from 'node:timers/promises'
import {isFailing} from '../../client/retries.ts'
import {countMissingReplies} from '../../payments/protocol/count-missing-replies.ts'
import type {ReplyHead} from '../../payments/protocol/retry-after.ts'
import type {Service} from '../../payments/protocol/service.ts'
import type {Halt} from './halt.ts'

// The failures that a run may have, counting every retry. Each successful reply gives half a failure back. So a service that
// fails now and then is tolerated for the whole run, but not one that fails more than every third time
// (docs/assumptions.md, P15).
const failuresMax = 60
const regainedByReply = 0.5
const retryAfterMaxMs = 60_000

export interface FailureBudget {
  // Must be called with every reply, including those before a retry.
  observe(reply: ReplyHead): void
  // Returns the service with requests counted that got no reply.
  wrap(service: Service): Service
}

export function createFailureBudget(halt: Halt): FailureBudget {
  let failuresLeft = failuresMax
  const countFailure = () => {
    failuresLeft -= 1
    if (failuresLeft <= 0) halt.stop('service')
  }
  return {
    observe({status}) {
      if (isFailing(status)) countFailure()
      else failuresLeft = Math.min(failuresMax, failuresLeft + regainedByReply)
    },
    wrap: (service) => countMissingReplies(service, countFailure),
  }
}

// Waits as long as Retry-After asks, but at most a minute.
export const waitForRetryAfter = (halt: Halt) => (ms: number) => pauseUnlessHalted(Math.min(retryAfterMaxMs, ms), halt)

// Pauses, but ends early when the run is halted.
export async function pauseUnlessHalted(ms: number, {signal}: Halt): Promise<void> {
  if (ms <= 0 || signal.aborted) return
  await sleep(ms, undefined, {signal}).catch(() => {})
}
