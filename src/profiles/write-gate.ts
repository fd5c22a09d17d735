// The gate between a command and the service. A command authorizes each write before it sends it; the client calls
// `enforce` for every request but GET and HEAD, so a command that forgot to authorize a write cannot send it. Whether the policy and
// the profile let it happen is decided in controls/decide.ts; commands ask before they ask a person.
import {type WriteRequest, decideWrite, isConsequential, nameWrite} from '../controls/decide.ts'
import {SvcError, badUsage} from '../errors.ts'
import {isLoopbackUrl, isWrite} from '../values/urls.ts'
import {type Caller, describeService} from './caller.ts'
import {requireProfile, sandboxAddress} from './profiles.ts'

// A query changes nothing about what may be written.
const toKey = ({method, path}: WriteRequest) => `${method} ${path.split('?', 1)[0]}`

export class WriteGate {
  readonly #caller: Caller
  readonly #isDryRun: () => boolean
  readonly #authorized = new Map<string, WriteRequest>()

  constructor(caller: Caller, isDryRun: () => boolean) {
    this.#caller = caller
    this.#isDryRun = isDryRun
  }

  // Throws if the profile or a dry run forbids the write, even if a person confirms it.
  check(write: WriteRequest): void {
    if (isChange(write) && this.#isDryRun()) {
      throw badUsage(
        `${nameWrite(write)} is a write, and --dry-run or SVC_DRY_RUN is set`,
        'Leave --dry-run out, or unset SVC_DRY_RUN, to send it; nothing was written',
      )
    }
    decideWrite(this.#caller, write)
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
    if (!authorized && needsConfirmation(this.#caller, write)) throw createUnconfirmedError(this.#caller, write)
    if (!authorized && !isQuote(write))
      throw new Error(`${method} ${path} was not sent: its command did not authorize it with write()`)
    if (!this.#caller.binding)
      throw new Error(`${method} ${path} was not sent: its command did not read the policy with writer()`)
  }
}

// On live, scripts need --yes for writes that move money or touch a rule. People are asked everywhere.
export function needsConfirmation(caller: Caller, {method, path}: WriteRequest): boolean {
  return caller.environment === 'live' && isConsequential({method, path})
}

// Where a command acts, for people who confirm it: on https://api.example.com (work, live)
export const describePlace = (caller: Caller) =>
  `${caller.baseUrl === sandboxAddress ? 'in' : 'on'} ${describeService(caller)}`

// Ends a question about real money: " on https://api.example.com (work, live)"
export const describeLivePlace = (caller: Caller) => (caller.environment === 'live' ? ` ${describePlace(caller)}` : '')

export const createUnconfirmedError = (caller: Caller, write: WriteRequest): SvcError =>
  badUsage(`${nameWrite(write)} ${describePlace(caller)} needs a yes`, 'Say --yes if you mean it; nothing was sent')

// A quote moves no money and expires by itself, so dry runs and simulations may request one.
const isQuote = ({method, path}: WriteRequest) => method === 'POST' && path === '/quotes'

// Whether something is different at the service afterwards, apart from a quote.
export const isChange = (write: WriteRequest) => isWrite(write.method) && !isQuote(write)

// `svc sandbox` acts on the built-in sandbox, which `svc sandbox start` also serves on this machine. Naming any other
// profile on the command line is a mistake; one that is only set in the environment is meant for other commands.
export function rejectOtherThanSandbox(name: string | undefined): void {
  if (name === undefined) return
  const {baseUrl, environment} = requireProfile(name)
  if (baseUrl === sandboxAddress || (environment === 'sandbox' && isLoopbackUrl(baseUrl))) return
  throw badUsage(
    `\`svc sandbox\` acts on the built-in sandbox, and the profile "${name}" belongs to ${baseUrl}`,
    'Leave -p out, or name the profile "sandbox"; nothing was changed',
  )
}
