// The statuses of a customer. Every change of status happens here and follows this table.
import type {CustomerStatus} from '../../../contract/customer-statuses.ts'
import type {CustomerRow, StoredIssue} from './customer-store.ts'
import type {RequestContext} from '../request-context.ts'
import {recordStatusChange} from '../../store/status-changes.ts'
import {emitCustomerUpdated} from '../webhooks/emit.ts'

// The interface shows no transition into REJECTED or DEACTIVATED. These transitions are assumed, and so is that both
// statuses are final (docs/assumptions.md, V7).
const transitions: Readonly<Record<CustomerStatus, readonly CustomerStatus[]>> = {
  CREATED: ['UNDER_REVIEW'],
  UNDER_REVIEW: ['ACTIVE', 'NEEDS_ADDITIONAL_INFORMATION', 'REJECTED'],
  NEEDS_ADDITIONAL_INFORMATION: ['UNDER_REVIEW'],
  ACTIVE: ['DEACTIVATED'],
  REJECTED: [],
  DEACTIVATED: [],
}

export const canMove = (from: CustomerStatus, to: CustomerStatus): boolean => transitions[from].includes(to)

export function moveCustomer(
  context: RequestContext,
  row: CustomerRow,
  to: CustomerStatus,
  issues: readonly StoredIssue[],
) {
  if (!canMove(row.customerStatus, to)) throw new Error(`A customer cannot move from ${row.customerStatus} to ${to}`)
  context.database.run(
    'update customers set customerStatus = ?, updatedAt = ?, issues = ? where customerId = ?',
    to,
    context.now,
    JSON.stringify(issues),
    row.customerId,
  )
  recordStatusChange(context, row.customerId, row.customerStatus, to)
  emitCustomerUpdated(context, row.customerId)
}
