// The ids of the interface: what identifies each thing, and what a UUID looks like.

// By the topic of the endpoints.
const idFields: Readonly<Record<string, string>> = {
  customers: 'customerId',
  accounts: 'paymentAccountId',
  transactions: 'transactionId',
  rules: 'id',
  quotes: 'quoteId',
}

// `name` is that of an endpoint, such as customers.list.
export const getIdField = (name: string): string => idFields[name.slice(0, name.indexOf('.'))] ?? 'id'

// Of any version and in any case: the interface says only "UUID format".
export const uuidPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

export const isUuid = (text: string): boolean => uuidPattern.test(text)
