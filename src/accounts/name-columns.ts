// The column of a table that says who is paid: a name, a bank and the last digits, instead of the id of an account.
import type {Client} from '../client/client.ts'
import type {Column, View} from '../cli/output/view.ts'
import {customerColumn} from '../customers/view.ts'
import type {Parties} from './parties.ts'

// Whom a payment goes to.
interface PayeeIds {
  customerId?: unknown
  accountId?: unknown
}

type ReadPayee<T> = (item: T) => PayeeIds

// Of a transaction, or of a payment in the journal.
export const readPayeeIds = ({customerId, destination}: Paying): PayeeIds => ({
  customerId,
  accountId: destination?.destinationPaymentAccountId,
})

interface Paying {
  readonly customerId?: unknown
  readonly destination?: {readonly destinationPaymentAccountId?: unknown} | null | undefined
}

export const payeeColumn = 'payee'

// It shows the id while the name is not known, or nothing where another column has the id. It is among the columns of a table only
// where names are read.
export const createPayeeColumn = <T>(rank: number, readPayee: ReadPayee<T> = () => ({})): Column<T> => ({
  name: payeeColumn,
  header: 'PAYEE',
  value: (item) => readPayee(item).accountId,
  rank,
  kind: 'name',
  shown: 'record',
})

interface NamesForView<T> {
  readPayee: ReadPayee<T>
  // Connects when names are first needed.
  connect: () => Promise<Client>
  notice: (text: string) => void
  // Customers alone take one read, payees one for each customer.
  hasPayees?: boolean
}

// The view with names for its customers and payees. Tables read them before they are rendered, if they have such a column.
export function withPartyNames<T>(
  view: View<T>,
  {readPayee, connect, notice, hasPayees = true}: NamesForView<T>,
): View<T> {
  let names: Parties | undefined
  const getCustomerId = (item: T) => readPayee(item).customerId
  const showName: Readonly<Record<string, (item: T) => unknown>> = {
    [customerColumn]: (item) => names?.nameCustomer(getCustomerId(item)),
    ...(hasPayees && {
      [payeeColumn]: (item: T) => names?.describeAccount(getCustomerId(item), readPayee(item).accountId),
    }),
  }
  const showNames = (column: Column<T>): Column<T> => {
    const show = showName[column.name]
    if (!show) return column
    const value = (item: T) => show(item) || column.value(item)
    return column.name === payeeColumn ? {...column, shown: 'screen', value} : {...column, value}
  }
  return {
    ...view,
    columns: view.columns.map(showNames),
    async prepareTable(items, columns) {
      await view.prepareTable?.(items, columns)
      if (!columns.some(({name}) => Object.hasOwn(showName, name))) return
      const isFirst = names === undefined
      names ??= new (await import('./parties.ts')).Parties(connect)
      const customerIds = items.map(getCustomerId)
      if (!hasPayees) return names.readCustomers(customerIds)
      await names.read(customerIds)
      const missing = names.describeMissing()
      if (isFirst && missing !== undefined) notice(missing)
    },
  }
}

export type AddNames = <T>(view: View<T>, readPayee: ReadPayee<T>) => View<T>

// Names customers and payees only where a person reads them on a screen.
export const createNameAdder =
  ({isOnScreen, ...settings}: Omit<NamesForView<unknown>, 'readPayee'> & {isOnScreen: boolean}): AddNames =>
  (view, readPayee) =>
    isOnScreen ? withPartyNames(view, {...settings, readPayee}) : view
