// Rejects data for a customer whose status takes none, as the service would, before anything is sent.
import {readCode} from '../contract/loose.ts'
import {type CustomerStatus, patchableStatuses} from '../contract/vocabulary.ts'
import {SvcError} from '../errors.ts'
import {quoteForShell} from '../values/text.ts'

const badRequestStatus = 400

type LockedStatus = Exclude<CustomerStatus, 'CREATED' | 'NEEDS_ADDITIONAL_INFORMATION'>

const isLocked = (status: string): status is LockedStatus => Object.hasOwn(nextSteps, status)

const nextSteps: Readonly<Record<LockedStatus, (id: string) => string>> = {
  UNDER_REVIEW: (id) => `Wait for the outcome with \`svc customers watch ${quoteForShell(id)}\``,
  ACTIVE: () =>
    'It is verified, so there is nothing to correct; if its data has changed, contact the service’s support',
  REJECTED: () => 'Contact the service’s support',
  DEACTIVATED: () => 'Contact the service’s support',
}

// The hosted form may explain more. A verified customer does not need it.
const suggestForm = (status: LockedStatus, id: string) =>
  status === 'ACTIVE' ? '' : `, or see its hosted form with \`svc open ${quoteForShell(id)}\``

// A status that the contract does not name is left to the service (docs/assumptions.md, C11).
export function rejectIfLocked(customerId: string, customerStatus: unknown, {hasForm = false} = {}): void {
  const status = readCode(customerStatus)
  if (!isLocked(status)) return
  const form = hasForm ? suggestForm(status, customerId) : ''
  throw new SvcError({
    error: 'PATCH_NOT_ALLOWED',
    kind: 'refused',
    statusCode: badRequestStatus,
    message: `The customer is ${status}, and data is accepted only while it is ${patchableStatuses.join(' or ')}`,
    hint: `${nextSteps[status](customerId)}${form}; nothing was sent`,
  })
}
