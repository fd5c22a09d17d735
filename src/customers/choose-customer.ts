// Lets the user choose a customer whose data needs correction, the longest waiting first.
import type {Finder} from '../cli/ids/finder.ts'
import {pickItem} from '../cli/ids/pick-item.ts'
import {formatMinute, joinParts, toText} from '../cli/output/view.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {customerKind, readAllCustomers} from './find-customer.ts'
import {sortByWaiting} from './sort-by-waiting.ts'

const needsCorrection = (customer: LooseCustomer) =>
  readCode(customer.customerStatus) === 'NEEDS_ADDITIONAL_INFORMATION' && customerKind.getId(customer) !== ''

const describeWaiting = ({name, customerType, updatedAt}: LooseCustomer) =>
  joinParts(name, customerType, `since ${toText(formatMinute(updatedAt)) || 'an unknown time'}`)

// Returns the id of the chosen customer, or undefined if no customer is waiting.
export async function chooseCustomer(finder: Finder, organizationId?: string): Promise<string | undefined> {
  const waiting = sortByWaiting((await readAllCustomers(finder, organizationId)).filter(needsCorrection))
  if (waiting.length === 0) return undefined
  const question = `Which customer? (${waiting.length} waiting, longest first)`
  return customerKind.getId(await pickItem(question, waiting, {...customerKind, describe: describeWaiting}))
}
