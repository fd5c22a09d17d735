// Changes what a profile may write: caps, allowed destinations, resending, and the read-only mark.
import {badUsage} from '../errors.ts'
import type {Caller} from './caller.ts'
import {type Profile, requireProfile, updateSettings} from './profiles.ts'
import type {ResendPolicy} from './service-knowledge.ts'
import {type SpendingLimits, hasLimits} from '../controls/limits.ts'

export interface PermissionChange {
  paymentMax?: Readonly<Record<string, string>> | undefined
  dayMax?: Readonly<Record<string, string>> | undefined
  // Payment accounts to add to the allowed destinations.
  allow?: readonly string[] | undefined
  // Remove all caps and destinations first.
  clearLimits?: boolean | undefined
  resend?: ResendPolicy | undefined
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

const capPattern = /^([A-Za-z][A-Za-z0-9]{1,15})=(\d{1,30}(?:\.\d{1,30})?)$/

// Parses flag values such as USD=1000.
export function parseCaps(pairs: readonly string[], flag: string): Record<string, string> | undefined {
  if (pairs.length === 0) return undefined
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, currency, amount] = capPattern.exec(pair) ?? []
      if (currency !== undefined && amount !== undefined) return [currency.toUpperCase(), amount]
      throw badUsage(`${flag} "${pair}" is not a currency and an amount`, 'Write USD=1000; nothing was changed')
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

export async function updatePermissions(name: string, change: PermissionChange): Promise<Profile> {
  requireProfile(name)
  await updateSettings((settings) => {
    const {limits: before, resend: resendBefore, readOnly: readOnlyBefore, ...profile} = requireProfile(name)
    const limits = mergeLimits(change.clearLimits ? {} : (before ?? {}), change)
    const resend = change.resend ?? resendBefore
    const readOnly = change.readOnly ?? readOnlyBefore
    settings.profiles[name] = {
      ...profile,
      ...(limits && {limits}),
      ...(resend && {resend}),
      ...(readOnly && {readOnly}),
      ...(change.duplicateWindow !== undefined && {duplicateWindow: change.duplicateWindow}),
    }
  })
  return requireProfile(name)
}
