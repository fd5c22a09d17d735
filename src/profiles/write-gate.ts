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
  rejectUncheckedSpending,
} from './write-policy.ts'

interface Authorization {
  isConfirmed: boolean
  checksLimits: boolean
}

// A query changes nothing about what may be written.
const toKey = ({method, path}: WriteRequest) => `${method} ${path.split('?', 1)[0]}`

export class WriteGate {
  readonly #caller: Caller
  readonly #getDryRun: () => DryRun | undefined
  readonly #authorized = new Map<string, Authorization>()

  constructor(caller: Caller, getDryRun: () => DryRun | undefined) {
    this.#caller = caller
    this.#getDryRun = getDryRun
  }

  // Throws if the profile or a dry run forbids the write, whatever a person confirms.
  check(write: WriteRequest): void {
    rejectInDryRun(write, this.#getDryRun())
    rejectIfReadOnly(this.#caller, write)
    rejectUncheckedSpending(this.#caller, write)
  }

  // Lets the write through later. It stays authorized, since a payment may be sent again.
  authorize(write: WriteRequest, isConfirmed: boolean): void {
    this.check(write)
    this.#authorized.set(toKey(write), {isConfirmed, checksLimits: write.checksLimits ?? false})
  }

  enforce(request: {method: string; path: string}): void {
    const authorization = this.#authorized.get(toKey(request))
    const {method, path} = request
    const write = {method, path, checksLimits: authorization?.checksLimits ?? false}
    this.check(write)
    if (!authorization?.isConfirmed && needsConfirmation(this.#caller, write))
      throw createUnconfirmedError(this.#caller, write)
    if (!authorization && !isQuote(write))
      throw new Error(`${method} ${path} was not sent: its command did not authorize it with authorizeWrite`)
  }
}
