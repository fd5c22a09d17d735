// The gate between a command and the service. A command authorizes each write before it sends it; the client calls
// `enforce` for every request but GET and HEAD, so a command that forgot to authorize a write cannot send it.
import type {Caller} from './caller.ts'
import {
  type DryRun,
  type WriteRequest,
  createUnconfirmedError,
  isQuote,
  needsConfirmation,
  rejectIfReadOnly,
  rejectInDryRun,
  rejectUnapproved,
  rejectUncheckedSpending,
} from './write-policy.ts'

// A query changes nothing about what may be written.
const toKey = ({method, path}: WriteRequest) => `${method} ${path.split('?', 1)[0]}`

export class WriteGate {
  readonly #caller: Caller
  readonly #getDryRun: () => DryRun | undefined
  readonly #authorized = new Map<string, WriteRequest>()

  constructor(caller: Caller, getDryRun: () => DryRun | undefined) {
    this.#caller = caller
    this.#getDryRun = getDryRun
  }

  // Throws if the profile or a dry run forbids the write, even if a person confirms it.
  check(write: WriteRequest): void {
    rejectInDryRun(write, this.#getDryRun)
    rejectIfReadOnly(this.#caller, write)
    rejectUncheckedSpending(this.#caller, write)
    rejectUnapproved(this.#caller, write)
  }

  // Called once the write is confirmed, where it needs that. The write stays authorized, since a payment may be sent again.
  authorize(write: WriteRequest): void {
    this.check(write)
    this.#authorized.set(toKey(write), write)
  }

  enforce({method, path}: {method: string; path: string}): void {
    const authorized = this.#authorized.get(toKey({method, path}))
    const {checksLimits = false, checksApprovals = false} = authorized ?? {}
    const write = {method, path, checksLimits, checksApprovals}
    this.check(write)
    if (authorized) return
    if (needsConfirmation(this.#caller, write)) throw createUnconfirmedError(this.#caller, write)
    if (!isQuote(write))
      throw new Error(`${method} ${path} was not sent: its command did not authorize it with authorizeWrite`)
  }
}
