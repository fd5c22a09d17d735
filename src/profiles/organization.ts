// The organization of a caller. The interface names it only in customers, so that of the newest one is taken if the profile has
// none.
import type {CallerSummary} from './caller.ts'

export function findOrganization(
  {organization}: {organization?: string | undefined},
  customers: unknown,
): Pick<CallerSummary, 'organization' | 'organizationOf'> {
  if (organization) return {organization, organizationOf: 'profile'}
  const [newest] = Array.isArray(customers) ? (customers as Array<{organizationId?: unknown} | null>) : []
  const found = newest?.organizationId
  return typeof found === 'string' && found !== '' ? {organization: found, organizationOf: 'customer'} : {}
}
