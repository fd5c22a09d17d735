// Stops a run: no further row is started, rows in progress are finished, and nothing waits any longer.
import {setTimeout as sleep} from 'node:timers/promises'
import {clearLiveLine} from '../../cli/output/streams.ts'
import {isFailing, retryAfterMaxMs} from '../../client/retries.ts'
import {SvcError, getExitCode} from '../../errors.ts'
import {type ReplyHead, type Service, countMissingReplies} from '../../payments/protocol/service.ts'

// Why a run stopped, as the rest of a sentence.
export const stopReasons = {
  SIGINT: 'it was interrupted',
  SIGTERM: 'it was terminated',
  timeout: '--timeout ran out',
  service: 'the service kept failing',
  credential: 'the credential was rejected',
  journal: 'the journal cannot be used',
  fault: 'svc itself failed',
} as const

export type StopReason = keyof typeof stopReasons

export class Halt {
  readonly #controller = new AbortController()
  reason: StopReason | undefined
  #stoppedTicks = Number.POSITIVE_INFINITY

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  // How long ago the run was stopped.
  get stoppedForMs(): number {
    return performance.now() - this.#stoppedTicks
  }

  // The first reason is kept.
  stop(reason: StopReason): void {
    this.reason ??= reason
    this.#stoppedTicks = Math.min(this.#stoppedTicks, performance.now())
    this.#controller.abort()
  }
}

// Stops the run when its time is up. Returns a function that cancels this.
export function haltAfter(halt: Halt, timeoutMs: number | undefined): () => void {
  if (timeoutMs === undefined) return () => {}
  const timer = setTimeout(() => halt.stop('timeout'), timeoutMs)
  return () => clearTimeout(timer)
}

const codes = {SIGINT: getExitCode('interrupted'), SIGTERM: getExitCode('terminated')} as const
const signals = ['SIGINT', 'SIGTERM'] as const

// The first signal ends a run after the rows in progress; the second ends the process at once. Replaces the other listeners of these
// signals during the work, and restores them afterwards. A signal that arrives while it has no listener is lost, so new listeners are
// added before others are removed.
export async function withSignals<T>(halt: Halt, onFirst: () => void, work: () => Promise<T>): Promise<T> {
  const replacements = signals.map((signal) => {
    const handler = () => {
      if (halt.reason === undefined) {
        halt.stop(signal)
        return onFirst()
      }
      clearLiveLine()
      process.exit(codes[signal])
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

// The failures that a run may have, counting every retry. Each successful reply gives half a failure back. So a service that
// fails now and then is tolerated for the whole run, but not one that fails more than every third time
// (docs/assumptions.md, P15).
const failuresMax = 60
const regainedByReply = 0.5

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

// Waits as long as Retry-After asks, but at most as long as a read would.
export const waitForRetryAfter = (halt: Halt) => (ms: number) => pauseUnlessHalted(Math.min(retryAfterMaxMs, ms), halt)

// Pauses, but ends early when the run is halted.
export async function pauseUnlessHalted(ms: number, {signal}: Halt): Promise<void> {
  if (ms <= 0 || signal.aborted) return
  await sleep(ms, undefined, {signal}).catch(() => {})
}

// Rows in progress read lists for so long after the run was stopped: a list may have no end. Its
// first page is always read.
const listsAfterStopMs = 5_000

const listCutShort = () =>
  new SvcError({
    error: 'UNREACHABLE',
    kind: 'unreachable',
    message: 'The run was stopped before the list of transactions came to its end',
    hint: 'Run it again, and allow more with --timeout',
  })

export const endListsAfter = (halt: Halt, service: Service): Service => ({
  ...service,
  async *transactions(customerId, options) {
    let pages = 0
    for await (const page of service.transactions(customerId, options)) {
      if (pages++ > 0 && halt.stoppedForMs > listsAfterStopMs) throw listCutShort()
      yield page
    }
  },
})
