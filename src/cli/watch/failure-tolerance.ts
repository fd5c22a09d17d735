// Failures in the middle of a wait: borne for a while, and mentioned once.
import {SvcError} from '../../errors.ts'
import {unlistedMsMax, unreachableMsMax} from './pace.ts'

interface Tolerance {
  msMax: number
  beginning: string
  end: string
}

const unreachable: Tolerance = {
  msMax: unreachableMsMax,
  beginning: 'still looking',
  end: 'The service answers again.',
}

const unlisted: Tolerance = {
  msMax: unlistedMsMax,
  beginning: 'a list may lag behind, so still looking',
  end: 'The service lists it now.',
}

// What the service refuses will be refused again, so there is no patience for that. What a list does not have carries no
// status: no request was answered with 404.
function findTolerance(error: unknown): Tolerance | undefined {
  if (!(error instanceof SvcError)) return undefined
  if (error.kind === 'unreachable') return unreachable
  return error.kind === 'notFound' && error.statusCode === undefined ? unlisted : undefined
}

export class FailureTolerance {
  readonly #notice: (text: string) => void
  #lastGoodMs = performance.now()
  #current: Tolerance | undefined

  constructor(notice: (text: string) => void) {
    this.#notice = notice
  }

  // Throws what cannot be borne, or no longer.
  tolerate(error: unknown): void {
    const tolerance = findTolerance(error)
    if (!tolerance || performance.now() - this.#lastGoodMs > tolerance.msMax) throw error
    if (this.#current === tolerance) return
    this.#current = tolerance
    this.#notice(`${(error as SvcError).message}; ${tolerance.beginning}.`)
  }

  recover(): void {
    this.#lastGoodMs = performance.now()
    if (this.#current) this.#notice(this.#current.end)
    this.#current = undefined
  }
}
