// What a profile limits: sums and payees, how long a new payee waits, and how long a payment is remembered to notice a second one.
import {SvcError, badUsage} from '../errors.ts'

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
  judges: Judges
}

// People who may approve, known by their keys.
export interface Judges {
  people: readonly string[]
  // The one who has this public key, in the form of OpenSSH.
  findPerson: (publicKey: string) => string | undefined
}

export const createLimitError = (message: string, hint: string, problems?: readonly string[]) =>
  new SvcError({error: 'LIMIT_REACHED', kind: 'limit', message, hint, problems})

const unitsMs: Readonly<Record<string, number>> = {m: 60_000, h: 3_600_000, d: 86_400_000}
const off = '0'

// Reads 24h, 2d or 30m; 0 turns the control off.
function toMs(text: string, digitsMax: number): number | undefined {
  if (text === off) return 0
  const [, count = '', unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? []
  return count === '' || count.length > digitsMax ? undefined : Number(count) * (unitsMs[unit] ?? 0)
}

function parseMs(text: string, from: string, {digitsMax, examples}: {digitsMax: number; examples: string}): number {
  const ms = toMs(text, digitsMax)
  if (ms !== undefined) return ms
  throw badUsage(`${from} "${text}" is not a number of days, hours or minutes`, `Write ${examples}; 0 turns it off`)
}

// How long a payee that was never paid waits for the first payment.
const coolDown = {digitsMax: 4, examples: '24h, 2d or 30m'}

export function parseCoolDown(text: string, from: string): string {
  parseMs(text, from, coolDown)
  return text
}

export const readCoolDownMs = (stored = off): number => parseMs(stored, 'The coolDown', coolDown)

// How long svc remembers a payment to ask about a second one of the same amount to the same account.
const duplicateWindow = {digitsMax: 5, examples: '3d, 12h or 30m'}
// The window of a profile that sets none.
const windowDefault = '3d'
const windowVariable = 'SVC_DUPLICATE_WINDOW'

export function parseDuplicateWindow(text: string, from: string): string {
  parseMs(text, from, duplicateWindow)
  return text
}

// The variable overrides the profile, and is the only source for callers without one.
export function readDuplicateWindowMs(stored = off): number {
  const variable = process.env[windowVariable]
  return variable
    ? parseMs(variable, windowVariable, duplicateWindow)
    : parseMs(stored, 'The duplicateWindow of the profile', duplicateWindow)
}

export const getDuplicateWindow = (profile: {duplicateWindow?: string | undefined}) =>
  profile.duplicateWindow ?? windowDefault
