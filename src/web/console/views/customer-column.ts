// The column that names the customer of each item, in the lists of all customers.
import {readText} from '../../../values/records.ts'
import type {ConsoleContext} from '../context.ts'
import {type Column, renderCustomerLink} from '../../parts.ts'

export type CustomerNames = ReadonlyMap<string, string>

interface OfCustomer {
  customerId?: unknown
}

export const findCustomerNames = ({source}: ConsoleContext, items: readonly OfCustomer[]): Promise<CustomerNames> =>
  source.findNames(items.map(({customerId}) => readText(customerId)).filter(Boolean))

// There is none without names: the page of a customer has it in its title.
export const createCustomerNameColumns = (
  context: ConsoleContext,
  names: CustomerNames | undefined,
): Column<OfCustomer>[] =>
  names === undefined
    ? []
    : [
        {
          header: 'Customer',
          render: ({customerId}) => renderCustomerLink(context, customerId, names.get(readText(customerId))),
        },
      ]
