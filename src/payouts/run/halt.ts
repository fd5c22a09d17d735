// Stops a run: no further row is started, rows in progress are finished, and nothing waits any longer.
import {setTimeout as sleep} from 'node:timers/promises'
import {clearLiveLine} from '../../cli/output/streams.ts'
import {isFailing} from '../../client/retries.ts'
import {getExitCode} from '../../errors.ts'
import {type ReplyHead, type Service, countMissingReplies} from '../../payments/protocol/service.ts'

export type StopReason =
  | 'SIGINT'
  | 'SIGTERM'
  | 'timeout'
  | 'failures'
  | 'service'
  | 'credential'
  | 'journal'
  | 'busyJournal'
  | 'fault'

export class Halt {
  readonly #controller = new AbortController()
  #reason: StopReason | undefined
  #isImmediate = false

  // Whether the process is about to end, and nothing more may be sent.
  get isImmediate(): boolean {
    return this.#isImmediate
  }

  get reason(): StopReason | undefined {
    return this.#reason
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  // The first reason is kept.
  stop(reason: StopReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#controller.abort()
  }

  stopAtOnce(): void {
    this.#isImmediate = true
  }
}

// Stops the run when its time is up. Returns a function that cancels this.
export function haltAfter(halt: Halt, timeoutMs: number | undefined): () => void {
  if (timeoutMs === undefined) return () => {}
  const timer = setTimeout(() => halt.stop('timeout'), timeoutMs)
  return () => clearTimeout(timer)
}

// The first signal ends a run after the rows in progress; the second ends it at once.
const codes = {SIGINT: getExitCode('interrupted'), SIGTERM: getExitCode('terminated')} as const
const signals = ['SIGINT', 'SIGTERM'] as const

// What is done between the second signal and the end of the process takes no longer than this.
const lastWorkMaxMs = 2_000

interface SignalHandlers {
  onFirst: () => void
  // Done before the process ends.
  onSecond?: () => Promise<void>
}

// Replaces the other listeners of these signals during the work, and restores them afterwards. A signal that arrives while it has
// no listener is lost, so new listeners are added before others are removed.
export async function withSignals<T>(
  halt: Halt,
  {onFirst, onSecond = async () => {}}: SignalHandlers,
  work: () => Promise<T>,
): Promise<T> {
  const replacements = signals.map((signal) => {
    const handler = () => {
      if (halt.reason === undefined) {
        halt.stop(signal)
        return onFirst()
      }
      const end = () => {
        clearLiveLine()
        process.exit(codes[signal])
      }
      // The run is already stopping, so this is the second request to stop. The third does not wait for anything.
      if (halt.isImmediate) return end()
      halt.stopAtOnce()
      void Promise.race([onSecond().catch(() => {}), sleep(lastWorkMaxMs)]).then(end)
    }
    const earlier = process.listeners(signal) as Array<() => void>
    process.on(signal, handler)
    for (const listener of earlier) process.off(signal, listener)
    return {signal, handler, earlier}
  })
  try {
    return await work()
  } finally {
    for (const {signal, handler, earlier} of replacements) {
      for (const listener of earlier) process.once(signal, listener)
      process.off(signal, handler)
    }
  }
}

// Limits how many failures of the service a run tolerates before it stops.

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
