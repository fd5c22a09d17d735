// The list of all customers.
import {isUuid} from '../../../contract/ids.ts'
import {issueCodes} from '../../../contract/issue-codes.ts'
import {customerStatuses} from '../../../contract/vocabulary.ts'
import {readCode} from '../../../contract/loose.ts'
import {html} from '../../html.ts'
import {type ConsoleContext, type ConsolePage, paths} from '../context.ts'
import {renderCodeWords, renderEmail, renderStatus, renderTime, toText, toWords} from '../../format.ts'
import {type Column, renderCustomerLink} from '../../parts.ts'
import type {LooseCustomer} from '../source.ts'
import {renderList} from './list-page.ts'

// What an issue means: as the service says it, or else what its code means.
export function describeIssue(issue: {code?: unknown; message?: unknown} | null): string {
  const message = toText(issue?.message)
  if (message !== '') return message
  const code = readCode(issue?.code)
  return issueCodes.find((each) => each.code === code)?.meaning ?? toWords(issue?.code)
}

const listIssues = ({verificationIssues: issues}: LooseCustomer) => (Array.isArray(issues) ? issues : [])

const createCustomerColumns = (context: ConsoleContext): Column<LooseCustomer>[] => [
  {header: 'Name', render: ({customerId, name}) => renderCustomerLink(context, customerId, toText(name))},
  {header: 'Status', render: ({customerStatus}) => renderStatus(customerStatus)},
  {
    header: 'Issues',
    render: (customer) => listIssues(customer).map((issue) => html`<div>${renderCodeWords(issue?.code)}</div>`),
  },
  {header: 'Type', render: ({customerType}) => toWords(customerType), isMinor: true, isShort: true},
  {header: 'Email', render: ({email}) => renderEmail(email), isLong: true},
  {header: 'Updated (UTC)', render: ({updatedAt}) => renderTime(updatedAt)},
  {header: 'ID', render: ({customerId}) => renderCustomerLink(context, customerId), isMinor: true, isShort: true},
]

export const renderCustomers = (context: ConsoleContext): Promise<ConsolePage> =>
  renderList<LooseCustomer>(context, {
    command: 'svc customers list --all',
    search: {
      label: 'Name, email, id or issue',
      choice: {name: 'status', label: 'Status', values: customerStatuses},
    },
    listTexts: (customer) => [
      customer.name,
      customer.email,
      customer.customerId,
      ...listIssues(customer).map((issue) => issue?.code),
    ],
    hasChoice: ({customerStatus}, value) => readCode(customerStatus) === value,
    readPage: (query) => context.source.listCustomers(query),
    prepareColumns: async () => createCustomerColumns(context),
    empty: html`There are no customers. <code>svc customers create</code> makes one.`,
    // One that is older than those that were searched can still be read by its id.
    suggestOther: (search) =>
      isUuid(search.trim()) &&
      html`<a href="${context.link(paths.customer, {id: search.trim()})}">Look for the customer with this id</a>`,
  })
