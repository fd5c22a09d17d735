// The organization of a caller. The interface names it only in customers, so that of the first one in the list is taken if the
// profile has none (docs/assumptions.md, L12).
import type {CallerSummary} from './caller.ts'

export function findOrganization(
  {organization}: {organization?: string | undefined},
  customers: unknown,
): Pick<CallerSummary, 'organization' | 'organizationOf'> {
  if (organization) return {organization, organizationOf: 'profile'}
  const [first] = Array.isArray(customers) ? (customers as Array<{organizationId?: unknown} | null>) : []
  const found = first?.organizationId
  return typeof found === 'string' && found !== '' ? {organization: found, organizationOf: 'customer'} : {}
}
