// The columns of the customer that something belongs to, and how its name is read.
import type {Column} from '../cli/output/view.ts'

interface Owned {
  readonly customerId?: unknown
}

export const customerColumn = 'customer'

// The column of the name, which shows the id while the name is not known, and the column of the id itself.
export const createCustomerColumns = <T extends Owned>(
  rank: number,
  shown: 'screen' | 'record' = 'screen',
): Array<Column<T>> => [
  {
    name: customerColumn,
    header: 'CUSTOMER',
    value: ({customerId}) => customerId,
    rank,
    kind: 'name',
    shown,
  },
  {
    name: 'customerId',
    // In CSV, which has no names.
    short: customerColumn,
    header: 'CUSTOMER ID',
    value: ({customerId}) => customerId,
    rank,
    kind: 'id',
    shown: 'onRequest',
  },
]
