// The ids of the interface: what identifies each thing, and what a UUID looks like.

const idKinds = ['customers', 'accounts', 'transactions', 'rules', 'quotes'] as const
type IdKind = (typeof idKinds)[number]

interface Ids {
  // The field that identifies a thing of this topic.
  idField: string
  // The field of a reply that lists such things.
  itemsKey?: string
}

const ids: Readonly<Record<IdKind, Ids>> = {
  customers: {idField: 'customerId', itemsKey: 'customers'},
  accounts: {idField: 'paymentAccountId', itemsKey: 'paymentAccounts'},
  transactions: {idField: 'transactionId', itemsKey: 'transactions'},
  rules: {idField: 'id', itemsKey: 'automationRules'},
  quotes: {idField: 'quoteId'},
}

const isIdKind = (topic: string): topic is IdKind => Object.hasOwn(ids, topic)

// `name` is that of an endpoint, such as customers.list.
export function getIdField(name: string): string {
  const topic = name.slice(0, name.indexOf('.'))
  return isIdKind(topic) ? ids[topic].idField : 'id'
}

export function getIdFieldOfList(itemsKey: string): string {
  const kind = idKinds.find((each) => ids[each].itemsKey === itemsKey)
  return kind ? ids[kind].idField : 'id'
}

// Of any version and in any case: the interface says only "UUID format".
export const uuidPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

export const isUuid = (text: string): boolean => uuidPattern.test(text)
