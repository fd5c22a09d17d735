// Names the field that identifies what an endpoint is about.
import type {WireEndpoint} from '../contract/wire.frozen.ts'

const idFields = new Map([
  ['customers', 'customerId'],
  ['accounts', 'paymentAccountId'],
  ['quotes', 'quoteId'],
  ['transactions', 'transactionId'],
  ['rules', 'id'],
])

export const getIdField = ({name}: Pick<WireEndpoint, 'name'>): string => idFields.get(name.split('.')[0] ?? '') ?? 'id'
