// Changes what a profile may write: caps, allowed destinations, resending, and the read-only mark.
import {badUsage} from '../errors.ts'
import {parseMoney} from '../values/money.ts'
import type {Caller} from './caller.ts'
import {type Profile, requireProfile, updateSettings} from './profiles.ts'
import type {ResendAnswer} from './service-knowledge.ts'
import {type SpendingLimits, hasLimits} from '../controls/limits.ts'

export interface PermissionChange {
  paymentMax?: Readonly<Record<string, string>> | undefined
  dayMax?: Readonly<Record<string, string>> | undefined
  // Payment accounts to add to the allowed destinations.
  allow?: readonly string[] | undefined
  // Remove all caps and destinations first.
  clearLimits?: boolean | undefined
  resend?: ResendAnswer | undefined
  listLagMaxMs?: number | undefined
  readOnly?: boolean | undefined
  duplicateWindow?: string | undefined
}

// What a caller may do, in words. Its caps and destinations are listed beside it.
export function describePermissions({
  readOnly,
  environment,
  spending,
}: Pick<Caller, 'readOnly' | 'environment' | 'spending'>): string {
  if (readOnly) return 'read, and write nothing'
  const writes =
    environment === 'live' ? 'read and write; what moves real money needs a yes' : 'read and write, without real money'
  return spending && hasLimits(spending) ? `${writes}; it pays within its limits` : writes
}

// Amounts by currency, from the values of a flag.
export function parseSums(texts: readonly string[], flag: string): Record<string, string> | undefined {
  if (texts.length === 0) return undefined
  return Object.fromEntries(
    texts.map((text) => {
      const money = parseMoney(text)
      if (money) return [money.currency, money.amount]
      throw badUsage(
        `${flag} "${text}" is not an amount and a currency`,
        'Write USDC=1000 or "1000 USDC"; nothing was changed',
      )
    }),
  )
}

function mergeLimits(
  before: SpendingLimits,
  {paymentMax, dayMax, allow}: PermissionChange,
): SpendingLimits | undefined {
  const destinations = allow && [...new Set([...(before.destinations ?? []), ...allow])]
  const limits = {
    ...before,
    ...(paymentMax && {paymentMax: {...before.paymentMax, ...paymentMax}}),
    ...(dayMax && {dayMax: {...before.dayMax, ...dayMax}}),
    ...(destinations && {destinations}),
  }
  return Object.keys(limits).length > 0 ? limits : undefined
}

// The profile as it is after the change.
export function changePermissions(before: Profile, change: PermissionChange): Profile {
  const {limits: limitsBefore = {}, resend: resendBefore, readOnly: readOnlyBefore, ...profile} = before
  const limits = mergeLimits(change.clearLimits ? {} : limitsBefore, change)
  const resend = change.resend ?? resendBefore
  const readOnly = change.readOnly ?? readOnlyBefore
  return {
    ...profile,
    ...(limits && {limits}),
    ...(resend && {resend}),
    ...(readOnly && {readOnly}),
    ...(change.listLagMaxMs !== undefined && {listLagMaxMs: change.listLagMaxMs}),
    ...(change.duplicateWindow !== undefined && {duplicateWindow: change.duplicateWindow}),
  }
}

export async function updatePermissions(name: string, change: PermissionChange): Promise<Profile> {
  await updateSettings(({profiles}) => {
    profiles[name] = changePermissions(requireProfile(name), change)
  })
  return requireProfile(name)
}
