// How often a watch reads, and how long it tolerates failures.
import {SvcError} from '../../errors.ts'

// The pause before the first read, and after every change, because changes often come in groups.
export const pauseFirstMs = 1000
const pauseMaxMs = 15_000
const pauseGrowth = 1.5
// Each pause is shortened at random by up to this share, so that watches that started together do not read together.
const jitterMax = 0.2
// The last read happens this long before the deadline.
const lastReadMs = 500

// Measured since the last successful read. After this time the failure is reported. A list may show an item that late
// (docs/assumptions.md, L5).
const failureMsMax = 10 * 60_000

export const lengthenPause = (pauseMs: number) => Math.min(pauseMaxMs, pauseMs * pauseGrowth)

// How long to pause, and whether a read follows or the time is up.
export function planPause(pauseMs: number, leftMs: number): {durationMs: number; thenRead: boolean} {
  const durationMs = pauseMs * (1 - jitterMax * Math.random())
  if (durationMs < leftMs) return {durationMs, thenRead: true}
  if (leftMs > lastReadMs) return {durationMs: leftMs - lastReadMs, thenRead: true}
  return {durationMs: Math.max(0, leftMs), thenRead: false}
}

// A request that the service refused is not repeated. An item that is missing from a list has no status code, unlike one
// that the service answered with 404.
const isTolerable = ({kind, statusCode}: SvcError) =>
  kind === 'unreachable' || (kind === 'notFound' && statusCode === undefined)

// Tolerates failed reads for some time, and mentions them once.
export class FailureTolerance {
  readonly #notice: (text: string) => void
  #lastSuccessMs = performance.now()
  #isFailing = false

  constructor(notice: (text: string) => void) {
    this.#notice = notice
  }

  // Throws the error if it is not tolerated, or has lasted too long.
  tolerate(error: unknown): void {
    const hasTime = performance.now() - this.#lastSuccessMs <= failureMsMax
    if (!(error instanceof SvcError) || !isTolerable(error) || !hasTime) throw error
    if (!this.#isFailing) this.#notice(`${error.message}; still trying.`)
    this.#isFailing = true
  }

  recover(): void {
    this.#lastSuccessMs = performance.now()
    if (this.#isFailing) this.#notice('It can be read again.')
    this.#isFailing = false
  }
}

// What a person who waits in a terminal is told first. The sandbox's clock runs at the speed of any clock, so what takes a day in
// it takes a day here, unless it is moved.
const sandboxNotice = 'In the sandbox, `svc sandbox clock until-idle` in another terminal moves time.'

export const describeWaiting = (isSandbox: boolean | undefined, action: 'watching' | 'waiting'): string =>
  `It may take long. Ctrl-C stops only the ${action}.${isSandbox ? ` ${sandboxNotice}` : ''}`
