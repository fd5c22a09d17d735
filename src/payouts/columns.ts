// The columns of a payout file: the names of the flags of `svc pay`, and where each of them stands in a request for a quote.

export const columns = [
  'key',
  'customer',
  'from',
  'from-currency',
  'from-method',
  'to',
  'to-currency',
  'to-method',
  'amount',
  'developer-fee',
  'developer-fee-type',
  'max-fee',
  'min-rate',
  'min-received',
  'guarantee',
  'note',
] as const

export type Column = (typeof columns)[number]

// Without these there is no payment. The others may be left out, or left empty.
export const columnsRequired: readonly Column[] = columns.slice(0, columns.indexOf('developer-fee'))

// What is wrong with a request is told by the column that says it.
const columnsByPath: Readonly<Record<string, Column>> = {
  customerId: 'customer',
  'source.sourcePaymentAccountId': 'from',
  'source.sourceCurrency': 'from-currency',
  'source.sourcePaymentMethod': 'from-method',
  'source.sourceAmount': 'amount',
  'destination.destinationPaymentAccountId': 'to',
  'destination.destinationCurrency': 'to-currency',
  'destination.destinationPaymentMethod': 'to-method',
  'developerFee.developerFeeAmount': 'developer-fee',
  'developerFee.developerFeeType': 'developer-fee-type',
}

export const findColumnForPath = (path: string): Column | undefined => columnsByPath[path]

// A name as people and programs write it: maxFee, max_fee and "Max Fee" are max-fee.
const normalizeName = (name: string) =>
  name
    .trim()
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll(/[\s_]+/g, '-')
    .toLowerCase()

export function findColumn(name: string): Column | undefined {
  const wanted = normalizeName(name)
  return columns.find((column) => column === wanted)
}
