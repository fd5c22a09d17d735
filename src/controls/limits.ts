// What a profile limits: sums and payees, how long a new payee waits, and how long a payment is remembered to notice a second one.
import {SvcError, badUsage} from '../errors.ts'
import {readDurationMs} from '../values/time.ts'

// Amounts are decimal strings, by the label of the source currency.
export interface SpendingLimits {
  paymentMax?: Readonly<Record<string, string>> | undefined
  dayMax?: Readonly<Record<string, string>> | undefined
  // The only payment accounts that may be paid to.
  destinations?: readonly string[] | undefined
}

export const hasLimits = ({paymentMax, dayMax, destinations}: SpendingLimits) =>
  Boolean(paymentMax ?? dayMax ?? destinations)

// Whose approval a payment needs.
export interface ApprovalPolicy {
  // How many people have to approve. 0 if only new payees and the policy itself can be approved.
  required: number
  // Sums up to which no approval is needed, by currency. Without them it always is.
  above?: Readonly<Record<string, string>> | undefined
  // Those who may approve.
  approvers: readonly Signer[]
}

// Somebody who may sign, known by his keys.
export interface Signer {
  name: string
  // Public keys in the form of OpenSSH, without comments.
  keys: readonly string[]
}

// What stops a payment, or what would pay.
export const createRefusal = (error: string, message: string, hint: string, cause?: unknown) =>
  new SvcError({error, kind: 'limit', message, hint, cause})

// Reads 24h, 2d or 30m; 0 turns the control off. Undefined for anything else.
export const readWaitMs = (text: string): number | undefined =>
  /^(?:0|\d{1,5}[mhd])$/.test(text) ? readDurationMs(text) : undefined

export const waitRule = 'is not a number of days, hours or minutes'

export function parseWait(text: string, from: string): string {
  if (readWaitMs(text) !== undefined) return text
  throw badUsage(`${from} "${text}" ${waitRule}`, 'Write 24h, 2d or 30m; 0 turns it off')
}

// How long svc remembers a payment to ask about a second one of the same amount to the same account. The variable overrides the
// profile, and is the only source for callers without one.
export function readDuplicateWindowMs(stored = '0'): number {
  const variable = process.env['SVC_DUPLICATE_WINDOW']
  const from = variable ? 'SVC_DUPLICATE_WINDOW' : 'The duplicateWindow of the profile'
  return readWaitMs(parseWait(variable || stored, from)) ?? 0
}

export const getDuplicateWindow = (profile: {duplicateWindow?: string | undefined}) => profile.duplicateWindow ?? '3d'
