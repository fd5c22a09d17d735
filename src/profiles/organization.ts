// The organization of a caller. The interface names it only in customers, so that of the first one in the list is taken if the
// profile has none (docs/assumptions.md, L12).
import {isRecord} from '../values/records.ts'
import type {Caller, CallerSummary} from './caller.ts'
import {describePermissions} from './permissions.ts'

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
  ...(caller.profileName && {profile: caller.profileName}),
  source: caller.profileName ? 'profile' : 'environment',
  ...(caller.chosenBy && {chosenBy: caller.chosenBy}),
  environment: caller.environment,
  baseUrl: caller.baseUrl,
  ...findOrganization(caller, customers),
  readOnly: caller.readOnly,
  may: describePermissions(caller),
  ...(caller.spending && {limits: caller.spending}),
})
