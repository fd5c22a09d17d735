// What a profile lets a command write, and which writes on live need a person's yes.
import {badUsage} from '../errors.ts'
import {isLoopback} from './base-url.ts'
import type {Caller} from './caller.ts'
import {requireProfile, sandboxAddress} from './profiles.ts'
import {createLimitError, hasLimits} from './spending-limits.ts'

export interface WriteRequest {
  method: string
  path: string
  // Whether the command itself holds what it writes against the profile's limits, or writes nothing that they concern.
  judged?: boolean
}

const isWrite = (method: string) => method !== 'GET' && method !== 'HEAD'

// Paths whose writes move money, or arm or delete what will.
// They are looked for anywhere in the path: a false alarm costs a yes, a miss costs money.
const consequentialPath = /\b(transactions|automation-rules)\b/

const decodingsMax = 3

// The path as a service may read it, so that no spelling slips by: a URL drops tabs and turns backslashes around before
// it is sent, and a proxy may decode it once more.
function decodePath(path: string): string {
  let decoded = URL.parse(`https://service.invalid${path}`)?.pathname ?? path
  for (let times = 0; times < decodingsMax; times++) {
    decoded = decoded.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
  return decoded.toLowerCase()
}

export function needsConfirmation(caller: Caller, {method, path}: WriteRequest): boolean {
  return caller.environment === 'live' && isWrite(method) && consequentialPath.test(decodePath(path))
}

export function rejectIfReadOnly(caller: Caller, {method, path}: WriteRequest): void {
  if (!caller.readOnly || !isWrite(method)) return
  throw badUsage(
    `${method} ${path} is a write, and ${caller.label} is read-only`,
    'Use a profile that may write; nothing was sent',
  )
}

// A quote moves nothing, so a simulation may ask for one.
const harmlessPath = /^\/quotes$/

export function rejectInDryRun({method, path}: WriteRequest): void {
  if (!isWrite(method) || harmlessPath.test(path)) return
  throw badUsage(
    `${method} ${path} is a write, SVC_DRY_RUN is set, and this command has no --dry-run`,
    'Unset SVC_DRY_RUN to send it; nothing was written',
  )
}

// The controls of the sandbox act on the built-in one, which `svc sandbox start` serves on this machine as well. Whoever
// names another profile means something else; one that only stands in the environment is for other commands.
export function rejectOtherThanSandbox(name: string | undefined): void {
  if (name === undefined) return
  const {baseUrl, environment} = requireProfile(name)
  if (baseUrl === sandboxAddress || (environment === 'sandbox' && isLoopback(baseUrl))) return
  throw badUsage(
    `\`svc sandbox\` acts on the built-in sandbox, and the profile "${name}" belongs to ${baseUrl}`,
    'Leave -p out, or name the profile "sandbox"; nothing was changed',
  )
}

// Nothing is armed by a deletion, and what a transaction would be is not known from its path.
const canSpend = ({method, path}: WriteRequest) =>
  isWrite(method) &&
  consequentialPath.test(decodePath(path)) &&
  !(method === 'DELETE' && !/\btransactions\b/.test(decodePath(path)))

// What cannot be held against the limits of a profile is not sent with it.
export function rejectUncheckedSpending(caller: Caller, write: WriteRequest): void {
  if (write.judged || !hasLimits(caller.spending ?? {}) || !canSpend(write)) return
  throw createLimitError(
    `What ${write.method} ${write.path} would pay, and where to, is not known here, and ${caller.label} has limits`,
    'Use `svc pay`, or `svc rules create` for a rule, which hold it against them; nothing was sent',
  )
}
