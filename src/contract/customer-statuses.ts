// The types and statuses of customers, apart from the schemas, so that naming one does not load zod.

export const customerTypes = ['INDIVIDUAL', 'BUSINESS'] as const

export const customerStatuses = [
  'CREATED',
  'UNDER_REVIEW',
  'NEEDS_ADDITIONAL_INFORMATION',
  'ACTIVE',
  'REJECTED',
  'DEACTIVATED',
] as const

export type CustomerStatus = (typeof customerStatuses)[number]

// The service rejects PATCH in every other status with PATCH_NOT_ALLOWED.
export const patchableStatuses: readonly CustomerStatus[] = ['CREATED', 'NEEDS_ADDITIONAL_INFORMATION']

// Only customers in these statuses have verification issues.
export const statusesWithIssues: readonly CustomerStatus[] = [
  'NEEDS_ADDITIONAL_INFORMATION',
  'UNDER_REVIEW',
  'REJECTED',
]
