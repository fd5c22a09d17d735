// Failures in the middle of a wait: borne for a while, and mentioned once.
import {SvcError} from '../../errors.ts'
import {unlistedMsMax, unreachableMsMax} from './pace.ts'

interface Patience {
  msMax: number
  beginning: string
  end: string
}

const notAnswering: Patience = {
  msMax: unreachableMsMax,
  beginning: 'still looking',
  end: 'The service answers again.',
}

const notListed: Patience = {
  msMax: unlistedMsMax,
  beginning: 'a list may lag behind, so still looking',
  end: 'The service lists it now.',
}

// What the service refuses will be refused again, so there is no patience for that. What a list does not have carries no
// status: no request was answered with 404.
function patienceWith(error: unknown): Patience | undefined {
  if (!(error instanceof SvcError)) return undefined
  if (error.kind === 'unreachable') return notAnswering
  return error.kind === 'notFound' && error.statusCode === undefined ? notListed : undefined
}

export class Trouble {
  readonly #notice: (text: string) => void
  #lastGoodMs = performance.now()
  #current: Patience | undefined

  constructor(notice: (text: string) => void) {
    this.#notice = notice
  }

  // Throws what cannot be borne, or no longer.
  bear(error: unknown): void {
    const patience = patienceWith(error)
    if (!patience || performance.now() - this.#lastGoodMs > patience.msMax) throw error
    if (this.#current === patience) return
    this.#current = patience
    this.#notice(`${(error as SvcError).message}; ${patience.beginning}.`)
  }

  isOver(): void {
    this.#lastGoodMs = performance.now()
    if (this.#current) this.#notice(this.#current.end)
    this.#current = undefined
  }
}
