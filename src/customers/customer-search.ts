// Searches customers as a person types, by name, email and id. Active ones come first.
import type {Client} from '../client/client.ts'
import {PagedSearch} from '../cli/ids/paged-search.ts'
import {truncateToWidth} from '../cli/output/live-line.ts'
import {joinParts, toText} from '../cli/output/view.ts'
import type {Choice} from '../cli/wizard/choices.ts'
import {lineWidth} from '../cli/wizard/print.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {listCustomers} from './answers.ts'

const customersReadMax = 2000

// The pointer before a choice.
const pointerWidth = 2

export const isActive = ({customerStatus}: LooseCustomer) => readCode(customerStatus) === 'ACTIVE'

// Such as: Zoë Ångström, ACTIVE
function toChoice({customerId, name, customerStatus}: LooseCustomer): Choice<string> {
  const value = toText(customerId)
  const short = toText(name) || value
  const label = truncateToWidth(joinParts(short, customerStatus), lineWidth() - pointerWidth)
  return {name: label, value, short, description: value}
}

export class CustomerSearch extends PagedSearch<LooseCustomer> {
  constructor(client: Client, organizationId?: string) {
    const query = {...(organizationId && {organizationId})}
    super((page) => listCustomers(client, {...query, ...page}), {
      itemsKey: 'customers',
      singular: 'customer',
      plural: 'customers',
      countMax: customersReadMax,
      getSearchText: ({name, email, customerId}) => [name, email, customerId].map(toText).join('\n'),
      toChoice,
      isLast: (customer) => !isActive(customer),
    })
  }

  findKnown(customerId: unknown): LooseCustomer | undefined {
    return this.items.find((each) => each.customerId === customerId)
  }

  // The customer's name if it has been read, else the id.
  describe(customerId: unknown): string {
    return toText(this.findKnown(customerId)?.name) || toText(customerId)
  }
}
