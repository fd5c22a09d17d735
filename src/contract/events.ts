// Webhook events. There is one, which the interface spells in two ways.
import {customer} from './customers.ts'

export const customerUpdated = {
  name: 'customer.updated',
  alsoWritten: ['customer.update'],
  payload: customer,
} as const
