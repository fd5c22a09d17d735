// The gate between a command and the service. A command authorizes each write before it sends it; the client calls
// `enforce` for every request but GET and HEAD, so a command that forgot to authorize a write cannot send it. What a
// profile lets svc write is decided here too; commands check it before they ask.
import {createLimitError, hasLimits} from '../controls/limits.ts'
import {SvcError, badUsage} from '../errors.ts'
import {isLoopbackUrl, isWrite} from '../values/urls.ts'
import type {Caller} from './caller.ts'
import {requireProfile, sandboxAddress} from './profiles.ts'

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

export interface WriteRequest {
  method: string
  path: string
  // Set by a command that validates what it writes against the profile's limits before it sends.
  checksLimits?: boolean
  // Set by a command that makes sure that what it writes was approved, and that its payees have waited.
  checksApprovals?: boolean
}

// How a dry run was requested: with the command's own flag, or with a variable that the command has no flag for.
export type DryRun = 'flag' | 'variable'

// Paths whose writes move money, or create, change or delete a rule that does. They match anywhere in the path: a false
// match costs one confirmation, a miss costs money.
const consequentialPath = /\b(transactions|automation-rules)\b/

const decodingsMax = 3

// The path as the service may read it. URLs drop tabs and turn backslashes into slashes, and a proxy may decode the path
// again, so the policy looks at the decoded form.
function decodePath(path: string): string {
  const known = decodedPaths.get(path)
  if (known !== undefined) return known
  const decoded = decodeRepeatedly(path)
  if (decodedPaths.size < decodedPathsMax) decodedPaths.set(path, decoded)
  return decoded
}

// A run of payments sends to the same two paths, thousands of times.
const decodedPaths = new Map<string, string>()
const decodedPathsMax = 16

function decodeRepeatedly(path: string): string {
  let decoded = URL.parse(`https://service.invalid${path}`)?.pathname ?? path
  for (let times = 0; times < decodingsMax; times++) {
    decoded = decoded.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
  return decoded.toLowerCase()
}

// On live, writes that move money or touch a rule need a person's yes, or --yes.
export function needsConfirmation(caller: Caller, {method, path}: WriteRequest): boolean {
  return caller.environment === 'live' && isWrite(method) && consequentialPath.test(decodePath(path))
}

// Where a command acts, for people who confirm it: on https://api.example.com (work, live)
export const describePlace = ({baseUrl, label, environment}: Caller) =>
  baseUrl === sandboxAddress ? 'in the embedded sandbox' : `on ${baseUrl} (${label}, ${environment})`

export const describeWrite = ({baseUrl, label, environment}: Caller, {method, path}: WriteRequest) =>
  `${method} ${path} on ${baseUrl} (${label}, ${environment})`

export const createUnconfirmedError = (caller: Caller, write: WriteRequest): SvcError =>
  badUsage(`${describeWrite(caller, write)} needs a yes`, 'Say --yes if you mean it; nothing was sent')

function rejectIfReadOnly(caller: Caller, {method, path}: WriteRequest): void {
  if (!caller.readOnly || !isWrite(method)) return
  throw badUsage(
    `${method} ${path} is a write, and ${caller.label} is read-only`,
    'Use a profile that may write; nothing was sent',
  )
}

// A quote moves no money and expires by itself, so dry runs and simulations may request one.
const isQuote = ({method, path}: WriteRequest) => method === 'POST' && path === '/quotes'

// Whether something is different at the service afterwards, apart from a quote.
export const isChange = (write: WriteRequest) => isWrite(write.method) && !isQuote(write)

function rejectInDryRun(write: WriteRequest, getDryRun: () => DryRun | undefined): void {
  if (!isChange(write)) return
  const dryRun = getDryRun()
  if (!dryRun) return
  const what = `${write.method} ${write.path} is a write`
  if (dryRun === 'flag')
    throw badUsage(`${what}, and --dry-run is set`, 'Leave --dry-run out to send it; nothing was written')
  throw badUsage(
    `${what}, SVC_DRY_RUN is set, and this command has no --dry-run`,
    'Unset SVC_DRY_RUN to send it; nothing was written',
  )
}

// Deleting a rule spends nothing. Everything else on these paths may, and the path does not say how much or where to.
const canSpend = ({method, path}: WriteRequest) =>
  isWrite(method) &&
  consequentialPath.test(decodePath(path)) &&
  !(method === 'DELETE' && !/\btransactions\b/.test(decodePath(path)))

// A profile with limits does not send what was not validated against them.
function rejectUncheckedSpending(caller: Caller, write: WriteRequest): void {
  if (write.checksLimits || !hasLimits(caller.spending ?? {}) || !canSpend(write)) return
  throw createLimitError(
    `What ${write.method} ${write.path} would pay, and where to, is not known here, and ${caller.label} has limits`,
    'Use `svc pay`, or `svc rules create` for a rule, which check it against them; nothing was sent',
  )
}

// A profile that wants approvals, or lets new payees wait, does not send what nobody can have approved.
function rejectUnapproved(caller: Caller, write: WriteRequest): void {
  const isControlled = (caller.approvals?.required ?? 0) > 0 || (caller.coolDownMs ?? 0) > 0
  if (write.checksApprovals || !isControlled || !canSpend(write)) return
  throw new SvcError({
    error: 'NOT_APPROVED',
    kind: 'limit',
    message: `${write.method} ${write.path} cannot be approved, and ${caller.label} wants approvals or lets new payees wait`,
    hint: 'Use a file that others can approve with `svc approve FILE`: `svc pay -f`, `svc payouts run`, `svc rules apply -f`; nothing was sent',
  })
}

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
