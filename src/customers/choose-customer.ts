// Lets the user choose a customer whose data needs correction, the longest waiting first.
import type {Client} from '../client/client.ts'
import {rejectCutList, walkPages} from '../client/paging.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {pickItem} from '../cli/ids/pick-item.ts'
import {formatMinute, joinParts, toText} from '../cli/output/view.ts'
import {startProgress} from '../cli/output/streams.ts'
import {listCustomers} from './answers.ts'
import {customerKind} from './find-customer.ts'
import {sortByWaiting} from './sort-by-waiting.ts'

const needsCorrection = ({customerStatus}: LooseCustomer) =>
  typeof customerStatus === 'string' ? readCode(customerStatus) === 'NEEDS_ADDITIONAL_INFORMATION' : undefined

async function listWaitingCustomers(client: Client, organizationId: string | undefined): Promise<LooseCustomer[]> {
  const progress = startProgress()
  const query = {...(organizationId && {organizationId})}
  const pages = walkPages((page) => listCustomers(client, {...query, ...page}), 'customers', {
    all: true,
    filter: needsCorrection,
  })
  const waiting: LooseCustomer[] = []
  try {
    for await (const {items, read, envelope} of pages) {
      waiting.push(...(items as LooseCustomer[]))
      // That nobody waits is certain only of a whole list.
      if (waiting.length === 0) rejectCutList(envelope)
      progress.report(`${read?.items} customers read…`)
    }
  } finally {
    progress.end()
  }
  return sortByWaiting(waiting).filter((customer) => customerKind.getId(customer) !== '')
}

const describeWaiting = ({name, customerType, updatedAt}: LooseCustomer) =>
  joinParts(name, customerType, `since ${toText(formatMinute(updatedAt)) || 'an unknown time'}`)

// Returns the id of the chosen customer, or undefined if no customer is waiting.
export async function chooseCustomer(client: Client, organizationId?: string): Promise<string | undefined> {
  const waiting = await listWaitingCustomers(client, organizationId)
  if (waiting.length === 0) return undefined
  const question = `Which customer? (${waiting.length} waiting, longest first)`
  return customerKind.getId(await pickItem(question, waiting, {...customerKind, describe: describeWaiting}))
}
