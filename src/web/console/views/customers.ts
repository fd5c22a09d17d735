// The customers, and the page of one: who it is, its verification over time, its accounts, transactions and rules.
import {readText} from '../../../values/records.ts'
import {isUuid} from '../../../contract/ids.ts'
import {customerStatuses} from '../../../contract/vocabulary.ts'
import {readCode} from '../../../contract/loose.ts'
import {type Content, html} from '../../html.ts'
import {isMadeUpEvent} from '../../../values/event-ids.ts'
import {type ConsoleContext, type ConsolePage, paths, tryRead} from '../context.ts'
import {
  getTone,
  renderCode,
  renderCodeWords,
  renderEmail,
  renderStatus,
  renderTime,
  toText,
  toTime,
  toWords,
} from '../../format.ts'
import {
  type Column,
  type Moment,
  renderCard,
  renderCustomerLink,
  renderFacts,
  renderOutcome,
  renderTable,
  renderTimeline,
} from '../../parts.ts'
import type {ConsoleEvent, LooseCustomer, StatusChange} from '../source.ts'
import {createAccountColumns} from './accounts.ts'
import {renderList, renderItem} from './list-page.ts'
import {createRuleColumns} from './rules.ts'
import {renderRelatedTransactions} from './transactions.ts'

// Few enough to see at a glance; the list of the noun has the rest.
const relatedMax = 10
const eventsMax = 30

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

// Changes of status that the sandbox recorded, otherwise those that events reported, otherwise only the last one.
function listMoments(
  customer: LooseCustomer,
  changes: readonly StatusChange[],
  events: readonly ConsoleEvent[],
): Moment[] {
  const status = customer.customerStatus
  const first = changes[0]
  const reports = events.filter(({customerStatus}) => customerStatus !== undefined).toReversed()
  const genuine = reports.filter(({eventId}) => !isMadeUpEvent(eventId))
  const madeUp = reports.filter(({eventId}) => isMadeUpEvent(eventId))
  const statuses: Moment[] = first
    ? [
        {at: undefined, what: html`At first ${renderStatus(first.from)}`, tone: getTone(first.from)},
        ...changes.map(({at, to}) => ({at, what: renderStatus(to), tone: getTone(to)})),
      ]
    : genuine.length > 0
      ? genuine.map(({at, customerStatus, type}) => ({
          at,
          what: renderStatus(customerStatus),
          detail: `Reported by ${toText(type)}`,
          tone: getTone(customerStatus),
        }))
      : [{at: customer.updatedAt, what: renderStatus(status), tone: getTone(status)}]
  const issues: Moment[] = listIssues(customer).map((issue) => ({
    at: issue?.timestamp,
    what: html`Issue <code>${toText(issue?.code)}</code>`,
    detail: toText(issue?.message),
    tone: 'open',
  }))
  const inventions: Moment[] = madeUp.map(({at, customerStatus}) => ({
    at,
    what: html`Made up: ${renderStatus(customerStatus, 'quiet')}`,
    detail: 'Sent with svc events trigger; the customer did not change',
    tone: 'quiet',
  }))
  return [...statuses, ...inventions, ...issues].toSorted(
    (one, other) => (toTime(one.at) ?? Number.NEGATIVE_INFINITY) - (toTime(other.at) ?? Number.NEGATIVE_INFINITY),
  )
}

async function renderTimelineCard(context: ConsoleContext, customer: LooseCustomer, id: string): Promise<Content> {
  const {source} = context
  const read = await tryRead(context, async () => {
    const changes = (await source.listStatusChanges?.(id)) ?? []
    const events = changes.length === 0 ? ((await source.events?.listEvents(eventsMax, id)) ?? []) : []
    return listMoments(customer, changes, events)
  })
  const note = source.listStatusChanges
    ? undefined
    : 'The service tells the last change of status only; events that were received fill in the rest.'
  return renderCard(
    'Verification',
    renderOutcome(read, (moments) => renderTimeline('customer-timeline', moments, 'Nothing has happened yet.')),
    {note},
  )
}

async function renderRelated(context: ConsoleContext, id: string): Promise<Content> {
  const {source, link} = context
  const [accounts, transactions, rules] = await Promise.all([
    tryRead(context, () => source.listAccounts(id)),
    renderRelatedTransactions(context, {
      title: 'Transactions',
      id: 'customer-transactions',
      query: {customerId: id},
      countMax: relatedMax,
      empty: 'This customer has no transactions.',
      more: html`<p><a href="${link(paths.transactions, {customer: id})}">All transactions of this customer</a></p>`,
    }),
    tryRead(context, () => source.listRules(id)),
  ])
  const accountTable = renderOutcome(accounts, ({items}) =>
    renderTable({
      id: 'customer-accounts',
      caption: 'Accounts',
      columns: createAccountColumns(context, items),
      items,
      empty: 'This customer has no accounts.',
    }),
  )
  const ruleTable = renderOutcome(rules, (items) =>
    renderTable({
      id: 'customer-rules',
      caption: 'Rules',
      columns: createRuleColumns(context),
      items: items.slice(0, relatedMax),
      empty: 'This customer has no rules.',
    }),
  )
  return [renderCard('Accounts', accountTable), transactions, renderCard('Rules', ruleTable)]
}

const renderDetails = ({source}: ConsoleContext, customer: LooseCustomer) =>
  renderFacts([
    ['ID', renderCode(toText(customer.customerId))],
    ['Email', toText(customer.email)],
    ['Type', toWords(customer.customerType)],
    ['Organization', renderCode(toText(customer.organizationId))],
    ['Updated', renderTime(customer.updatedAt)],
    [
      'Payment methods',
      Array.isArray(customer.availablePaymentMethods) && customer.availablePaymentMethods.map(toText).join(', '),
    ],
    // The hosted form of a real customer is opened with `svc customers open`, so that nobody fills it in by mistake.
    [
      'Form',
      !source.isReadOnly &&
        typeof customer.verificationLink === 'string' &&
        html`<a href="${customer.verificationLink}">Open the hosted form</a>`,
    ],
  ])

export async function renderCustomer(context: ConsoleContext): Promise<ConsolePage> {
  const id = context.query['id'] ?? ''
  return renderItem(context, {
    find: () => context.source.findCustomer(id),
    missing: html`There is no customer ${renderCode(toText(id))}.`,
    render: async (customer) => {
      const ownId = readText(customer.customerId) || id
      return {
        title: toText(customer.name) || 'Customer without a name',
        beside: renderStatus(customer.customerStatus),
        body: [
          html`<div class="columns" id="customer" data-live>
            ${renderCard('Details', renderDetails(context, customer))}
            ${await renderTimelineCard(context, customer, ownId)}
          </div>`,
          await renderRelated(context, ownId),
          context.renderActions?.('customer', id),
        ],
      }
    },
  })
}
