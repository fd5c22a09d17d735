// Whether the data of a customer can be changed now, judged as the service would, before anything is sent to it.
import {type CustomerStatus, patchableStatuses} from '../contract/customers.ts'
import {SvcError} from '../errors.ts'

const badRequestStatus = 400

type LockedStatus = Exclude<CustomerStatus, 'CREATED' | 'NEEDS_ADDITIONAL_INFORMATION'>

// What can be done instead, in each status that takes no data.
const nextSteps: Readonly<Record<LockedStatus, (id: string) => string>> = {
  UNDER_REVIEW: (id) => `Wait for the outcome with \`svc customers watch ${id}\``,
  ACTIVE: () =>
    'It is verified, so there is nothing to correct; if its data has changed, contact the service’s support',
  REJECTED: () => 'Contact the service’s support',
  DEACTIVATED: () => 'Contact the service’s support',
}

// The hosted form may say more, or take what a request cannot bring; a verified customer has no use for it.
const suggestForm = (status: LockedStatus, id: string) =>
  status === 'ACTIVE' ? '' : `, or look into its hosted form with \`svc customers open ${id}\``

// A status that the interface does not name is left to the service (docs/assumptions.md, C11).
export function rejectIfLocked(customerId: string, status: unknown, {hasForm = false} = {}): void {
  if (typeof status !== 'string' || !Object.hasOwn(nextSteps, status)) return
  const locked = status as LockedStatus
  const form = hasForm ? suggestForm(locked, customerId) : ''
  throw new SvcError({
    error: 'PATCH_NOT_ALLOWED',
    kind: 'refused',
    statusCode: badRequestStatus,
    message: `The customer is ${status}, and data is taken only while it is ${patchableStatuses.join(' or ')}`,
    hint: `${nextSteps[locked](customerId)}${form}; nothing was sent`,
  })
}
