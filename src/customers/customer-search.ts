// Searches customers as a person types, by name, email and id. Active ones come first.
import stringWidth from 'string-width'
import type {Client} from '../client/client.ts'
import {PagedSearch} from '../cli/ids/paged-search.ts'
import {cleanText} from '../cli/output/clean.ts'
import {truncateToWidth} from '../cli/output/live-line.ts'
import {toText} from '../cli/output/view.ts'
import type {Choice} from '../cli/wizard/choices.ts'
import {lineWidth} from '../cli/wizard/print.ts'
import {customerStatuses} from '../contract/vocabulary.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {listCustomers} from './answers.ts'

const customersReadMax = 2000

const statusWidth = Math.max(...customerStatuses.map(({length}) => length))
// The pointer before a choice, and the gap before the status.
const besidesWidth = 4
const nameWidthMin = 12
const nameWidthMax = 40

const getName = ({name, customerId}: LooseCustomer) => cleanText(toText(name) || toText(customerId))

export const isActive = ({customerStatus}: LooseCustomer) => readCode(customerStatus) === 'ACTIVE'

// One line with aligned statuses, such as: Zoë Ångström  ACTIVE
function toChoice(customer: LooseCustomer): Choice<string> {
  const {customerId, customerStatus} = customer
  const width = lineWidth() - besidesWidth - statusWidth
  const nameWidth = Math.min(nameWidthMax, Math.max(nameWidthMin, width))
  const name = truncateToWidth(getName(customer), nameWidth)
  const gap = ' '.repeat(Math.max(0, nameWidth - stringWidth(name)) + 2)
  return {
    name: `${name}${gap}${cleanText(toText(customerStatus))}`.trimEnd(),
    value: toText(customerId),
    short: getName(customer),
    description: cleanText(toText(customerId)),
  }
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
    const customer = this.findKnown(customerId)
    return customer ? getName(customer) : cleanText(toText(customerId))
  }
}
