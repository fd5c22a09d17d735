// The work list of verification: whoever must correct something, the longest waiting first.
import type {Client} from '../client/client.ts'
import {walkPages} from '../client/paging.ts'
import {cleanText} from '../cli/output/clean.ts'
import {truncateToWidth} from '../cli/output/live-line.ts'
import {startProgress} from '../cli/output/progress.ts'
import {toText} from '../cli/output/view.ts'
import {type Item, formatMinute} from '../cli/output/format-values.ts'
import {askStandalone} from '../cli/wizard/run-wizard.ts'
import {askSelect} from '../cli/wizard/select-prompts.ts'
import {lineWidth} from '../cli/wizard/print.ts'

const needsCorrection = ({customerStatus: status}: Item) =>
  typeof status === 'string' ? status === 'NEEDS_ADDITIONAL_INFORMATION' : undefined

// Without a time that can be read nobody knows how long it waits, so it comes last.
function getWaitingSince({updatedAt}: Item): number {
  const ms = typeof updatedAt === 'string' ? Date.parse(updatedAt) : Number.NaN
  return Number.isNaN(ms) ? Number.POSITIVE_INFINITY : ms
}

const compareNumbers = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1)

async function listWaitingCustomers(client: Client, organizationId: string | undefined): Promise<Item[]> {
  const progress = startProgress()
  const query = {...(organizationId && {organizationId})}
  const found: Item[] = []
  try {
    const ask = (page: {pageSize: number; pageToken?: string}) => client.customers.list({...query, ...page})
    for await (const {items, read} of walkPages(ask, 'customers', {all: true, filter: needsCorrection})) {
      found.push(...(items as Item[]))
      progress.report(`${read?.items} customers read…`)
    }
  } finally {
    progress.end()
  }
  return found.toSorted((a, b) => compareNumbers(getWaitingSince(a), getWaitingSince(b)))
}

// Room for the mark in front of a choice.
const markWidth = 3

function toChoice(customer: Item) {
  const [name, type, since, email] = [
    customer['name'],
    customer['customerType'],
    formatMinute(customer['updatedAt']),
    customer['email'],
  ].map((value) => cleanText(toText(value)))
  const value = toText(customer['customerId'])
  const words = `${name}, ${type}, since ${since || 'an unknown time'}`
  const description = [email, value].filter(Boolean).join(', ')
  return {name: truncateToWidth(words, lineWidth() - markWidth), value, short: name || value, description}
}

// The id of the customer that was chosen, or undefined where nobody waits.
export async function chooseCustomer(client: Client, organizationId?: string): Promise<string | undefined> {
  const choices = (await listWaitingCustomers(client, organizationId)).map(toChoice).filter(({value}) => value !== '')
  if (choices.length === 0) return undefined
  const count = choices.length === 1 ? '1 waits' : `${choices.length} wait`
  return askStandalone(() => askSelect(`Which customer? (${count}, the longest waiting first)`, choices))
}
