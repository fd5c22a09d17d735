// Searches customers as a person types, by name, email and id. Active ones come first.
import stringWidth from 'string-width'
import type {Client} from '../client/client.ts'
import {PagedSearch} from '../cli/ids/paged-search.ts'
import {cleanText} from '../cli/output/clean.ts'
import {truncateToWidth} from '../cli/output/live-line.ts'
import {toText} from '../cli/output/view.ts'
import type {Choice} from '../cli/wizard/choices.ts'
import {lineWidth} from '../cli/wizard/print.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'

const customersReadMax = 2000

const uuidLength = 36
// The pointer before a choice, and the space before the id.
const besidesLength = 5
const nameLengthMin = 12

const getName = ({name, customerId}: LooseCustomer) => cleanText(toText(name) || toText(customerId))

const isActive = ({customerStatus}: LooseCustomer) => readCode(customerStatus) === 'ACTIVE'

// One line with aligned ids, such as: Zoë Ångström  4738020a-…
function toChoice(customer: LooseCustomer): Choice<string> {
  const {customerId, customerStatus} = customer
  const nameWidth = Math.max(nameLengthMin, lineWidth() - uuidLength - besidesLength)
  const status = isActive(customer) ? '' : ` (${cleanText(toText(customerStatus))})`
  const id = cleanText(toText(customerId))
  const name = truncateToWidth(`${getName(customer)}${status}`, nameWidth)
  const gap = ' '.repeat(Math.max(0, nameWidth - stringWidth(name)))
  return {name: `${name}${gap} ${id}`, value: toText(customerId), short: getName(customer)}
}

export class CustomerSearch extends PagedSearch<LooseCustomer> {
  constructor(client: Client, organizationId?: string) {
    const query = {...(organizationId && {organizationId})}
    super((page) => client.customers.list({...query, ...page}), {
      itemsKey: 'customers',
      singular: 'customer',
      plural: 'customers',
      countMax: customersReadMax,
      getSearchText: ({name, email, customerId}) => [name, email, customerId].map(toText).join('\n'),
      toChoice,
      isLast: (customer) => !isActive(customer),
    })
  }

  // The customer's name if it has been read, else the id.
  describe(customerId: unknown): string {
    const customer = this.items.find((each) => each.customerId === customerId)
    return customer ? getName(customer) : cleanText(toText(customerId))
  }
}
