// Says who is calling, for which organization, and what he may do. The interface names an organization only in customers, so that
// of the first one in the list is taken if the profile has none (docs/assumptions.md, L12).
import {hasLimits} from '../controls/limits.ts'
import {isRecord} from '../values/records.ts'
import type {Caller} from './caller.ts'

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

interface FoundOrganization {
  organization?: string | undefined
  organizationOf?: 'profile' | 'customer'
}

export function findOrganization({organization}: FoundOrganization, customers: unknown): FoundOrganization {
  if (organization) return {organization, organizationOf: 'profile'}
  const first: unknown = Array.isArray(customers) ? customers[0] : undefined
  const found = isRecord(first) ? first['organizationId'] : undefined
  return typeof found === 'string' && found !== '' ? {organization: found, organizationOf: 'customer'} : {}
}

// The organization, with where it is from if the profile does not state it.
export const describeOrganization = ({organization, organizationOf}: FoundOrganization): string | undefined =>
  organization && organizationOf === 'customer' ? `${organization} (of the first customer listed)` : organization

// Who is calling, as far as both `svc status` and its short form `svc whoami` say it.
export const describeCaller = (caller: Caller, customers: unknown) => ({
  profile: caller.profileName,
  source: caller.profileName ? 'profile' : 'environment',
  chosenBy: caller.chosenBy,
  environment: caller.environment,
  baseUrl: caller.baseUrl,
  ...findOrganization(caller, customers),
  readOnly: caller.readOnly,
  // In words.
  may: describePermissions(caller),
  limits: caller.spending,
})

export type CallerOverview = ReturnType<typeof describeCaller>

// What `svc whoami` prints.
export interface CallerSummary extends CallerOverview {
  service: string
  credential: 'JWT' | 'API_KEY'
  expiresAt?: string
  // The journal of the profile, if it has one of its own.
  journal?: string
}
