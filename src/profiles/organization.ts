// Says who is calling, for which organization, and what he may do. The interface names an organization only in customers, so that
// of the first one in the list is taken if the profile has none (docs/assumptions.md, L12).
import {type SpendingLimits, hasLimits} from '../controls/limits.ts'
import {isRecord} from '../values/records.ts'
import type {Caller} from './caller.ts'
import type {Environment} from './profiles.ts'

// What `svc whoami` prints.
export interface CallerSummary {
  profile?: string | undefined
  source: 'profile' | 'environment'
  chosenBy?: string | undefined
  environment: Environment
  baseUrl: string
  service: string
  credential: 'JWT' | 'API_KEY'
  expiresAt?: string
  // That of the profile, else that of the first customer in the list, since the interface has no other way to ask.
  organization?: string | undefined
  organizationOf?: 'profile' | 'customer'
  readOnly: boolean
  // What the caller may do, in words.
  may: string
  limits?: SpendingLimits | undefined
  // The journal of the profile, if it has one of its own.
  journal?: string
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

export function findOrganization(
  {organization}: {organization?: string | undefined},
  customers: unknown,
): Pick<CallerSummary, 'organization' | 'organizationOf'> {
  if (organization) return {organization, organizationOf: 'profile'}
  const first: unknown = Array.isArray(customers) ? customers[0] : undefined
  const found = isRecord(first) ? first['organizationId'] : undefined
  return typeof found === 'string' && found !== '' ? {organization: found, organizationOf: 'customer'} : {}
}

// The organization, with where it is from if the profile does not state it.
export const describeOrganization = ({
  organization,
  organizationOf,
}: Pick<CallerSummary, 'organization' | 'organizationOf'>): string | undefined =>
  organization && organizationOf === 'customer' ? `${organization} (of the first customer listed)` : organization

// Who is calling, as far as both `svc status` and its short form `svc whoami` say it.
export type CallerOverview = Omit<CallerSummary, 'service' | 'credential' | 'expiresAt' | 'journal'>

export const describeCaller = (caller: Caller, customers: unknown): CallerOverview => ({
  profile: caller.profileName,
  source: caller.profileName ? 'profile' : 'environment',
  chosenBy: caller.chosenBy,
  environment: caller.environment,
  baseUrl: caller.baseUrl,
  ...findOrganization(caller, customers),
  readOnly: caller.readOnly,
  may: describePermissions(caller),
  limits: caller.spending,
})
