// The ids of the interface: what identifies each thing, and what a UUID looks like.

export const idKinds = ['customers', 'accounts', 'transactions', 'rules', 'quotes'] as const
export type IdKind = (typeof idKinds)[number]

interface Ids {
  // The field that identifies a thing of this topic.
  idField: string
  // Other fields that name such a thing.
  otherFields?: readonly string[]
  // The field of a reply that lists such things.
  itemsKey?: string
}

const ids: Readonly<Record<IdKind, Ids>> = {
  customers: {idField: 'customerId', itemsKey: 'customers'},
  accounts: {
    idField: 'paymentAccountId',
    otherFields: ['sourcePaymentAccountId', 'destinationPaymentAccountId'],
    itemsKey: 'paymentAccounts',
  },
  transactions: {idField: 'transactionId', itemsKey: 'transactions'},
  rules: {idField: 'id', itemsKey: 'automationRules'},
  quotes: {idField: 'quoteId'},
}

const findIdField = (isMeant: (kind: IdKind) => boolean): string => {
  const kind = idKinds.find(isMeant)
  return kind ? ids[kind].idField : 'id'
}

// `name` is that of an endpoint, such as customers.list.
export const getIdField = (name: string): string => findIdField((kind) => name.startsWith(`${kind}.`))

export const getIdFieldOfList = (itemsKey: string): string => findIdField((kind) => ids[kind].itemsKey === itemsKey)

// Fields that name a thing wherever they occur. `id` may be the id of anything.
export const kindsByIdField: ReadonlyMap<string, IdKind> = new Map(
  idKinds.flatMap((kind) =>
    [ids[kind].idField, ...(ids[kind].otherFields ?? [])]
      .filter((field) => field !== 'id')
      .map((field): [string, IdKind] => [field, kind]),
  ),
)

// Of any version and in any case: the interface says only "UUID format".
export const uuidPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

export const isUuid = (text: string): boolean => uuidPattern.test(text)
