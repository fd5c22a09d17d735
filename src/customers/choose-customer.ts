// Lets the user choose a customer whose data needs correction, the longest waiting first.
import type {Client} from '../client/client.ts'
import {rejectCutList, walkPages} from '../client/paging.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {cleanText} from '../cli/output/clean.ts'
import {formatMinute, toText} from '../cli/output/view.ts'
import {truncateToWidth} from '../cli/output/live-line.ts'
import {startProgress} from '../cli/output/streams.ts'
import {lineWidth} from '../cli/wizard/print.ts'
import {pick} from '../cli/prompts/ask.ts'
import {listCustomers} from './answers.ts'
import {sortByWaiting} from './sort-by-waiting.ts'

const needsCorrection = ({customerStatus}: LooseCustomer) =>
  typeof customerStatus === 'string' ? readCode(customerStatus) === 'NEEDS_ADDITIONAL_INFORMATION' : undefined

async function listWaitingCustomers(client: Client, organizationId: string | undefined): Promise<LooseCustomer[]> {
  const progress = startProgress()
  const query = {...(organizationId && {organizationId})}
  const waiting: LooseCustomer[] = []
  try {
    const fetchPage = (page: {pageSize: number; pageToken?: string}) => listCustomers(client, {...query, ...page})
    for await (const {items, read, envelope} of walkPages(fetchPage, 'customers', {
      all: true,
      filter: needsCorrection,
    })) {
      waiting.push(...(items as LooseCustomer[]))
      // That nobody waits is certain only of a whole list.
      if (waiting.length === 0) rejectCutList(envelope)
      progress.report(`${read?.items} customers read…`)
    }
  } finally {
    progress.end()
  }
  return sortByWaiting(waiting)
}

// The pointer in front of a choice.
const pointerWidth = 3

const toCleanText = (value: unknown) => cleanText(toText(value))

function toChoice({customerId, name, customerType, updatedAt, email}: LooseCustomer) {
  const since = toCleanText(formatMinute(updatedAt)) || 'an unknown time'
  const label = `${toCleanText(name)}, ${toCleanText(customerType)}, since ${since}`
  const value = toText(customerId)
  return {
    name: truncateToWidth(label, lineWidth() - pointerWidth),
    value,
    short: toCleanText(name) || value,
    description: [toCleanText(email), value].filter(Boolean).join(', '),
  }
}

// Returns the id of the chosen customer, or undefined if no customer is waiting.
export async function chooseCustomer(client: Client, organizationId?: string): Promise<string | undefined> {
  const choices = (await listWaitingCustomers(client, organizationId)).map(toChoice).filter(({value}) => value !== '')
  if (choices.length === 0) return undefined
  const question = `Which customer? (${choices.length} waiting, longest first)`
  return pick(question, choices)
}
