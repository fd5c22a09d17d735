// The schema of the service's only webhook event.
import {customer} from './customers.ts'
import {customerUpdatedAlsoWritten, customerUpdatedName} from './event-names.ts'

export const customerUpdated = {
  name: customerUpdatedName,
  alsoWritten: customerUpdatedAlsoWritten,
  payload: customer,
} as const
