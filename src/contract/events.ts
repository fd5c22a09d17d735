// Webhook events. The interface spells the one event in two ways; both denote the same.
import {customer} from './customers.ts'

export const customerUpdated = {
  name: 'customer.updated',
  alsoWritten: ['customer.update'],
  payload: customer,
} as const
