// Tolerates failed reads during a watch for some time, and mentions them once.
import {SvcError} from '../../errors.ts'
import {unlistedMsMax, unreachableMsMax} from './pace.ts'

interface Tolerance {
  msMax: number
  // What the notices say when the failures begin and end.
  beginning: string
  end: string
}

const unreachable: Tolerance = {
  msMax: unreachableMsMax,
  beginning: 'still trying',
  end: 'The service answers again.',
}

const unlisted: Tolerance = {
  msMax: unlistedMsMax,
  beginning: 'a list may be out of date, so still trying',
  end: 'The service lists it now.',
}

// A request that the service refused is not repeated. An item that is missing from a list has no status code, unlike one
// that the service answered with 404.
function findTolerance(error: unknown): Tolerance | undefined {
  if (!(error instanceof SvcError)) return undefined
  if (error.kind === 'unreachable') return unreachable
  return error.kind === 'notFound' && error.statusCode === undefined ? unlisted : undefined
}

export class FailureTolerance {
  readonly #notice: (text: string) => void
  #lastSuccessMs = performance.now()
  #current: Tolerance | undefined

  constructor(notice: (text: string) => void) {
    this.#notice = notice
  }

  // Throws the error if it is not tolerated, or has lasted too long.
  tolerate(error: unknown): void {
    const tolerance = findTolerance(error)
    if (!tolerance || performance.now() - this.#lastSuccessMs > tolerance.msMax) throw error
    if (this.#current === tolerance) return
    this.#current = tolerance
    this.#notice(`${(error as SvcError).message}; ${tolerance.beginning}.`)
  }

  recover(): void {
    this.#lastSuccessMs = performance.now()
    if (this.#current) this.#notice(this.#current.end)
    this.#current = undefined
  }
}
