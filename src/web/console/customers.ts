// Customers: why one has not been paid, its verification, its accounts, payments and rules.
import {address, businessInfo, kybData, kycData} from '../../contract/customers.ts'
import {issueCodes} from '../../contract/issue-codes.ts'
import {findLabels} from '../../contract/labels.ts'
import {readCode} from '../../contract/loose.ts'
import {customerStatuses} from '../../contract/vocabulary.ts'
import {isMadeUpEvent} from '../../values/event-ids.ts'
import {lookUp, readText} from '../../values/records.ts'
import {lowerFirst} from '../../values/text.ts'
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
} from '../format.ts'
import {type Content, html} from '../html.ts'
import {type Moment, renderItemLink, renderLead} from '../parts.ts'
import {accounts} from './accounts.ts'
import {type ConsoleContext, paths, tryRead} from './context.ts'
import {type Noun, linkCustomer, renderRelated} from './noun.ts'
import {linkPayment} from './payments.ts'
import {rules} from './rules.ts'
import type {ConsoleEvent, LooseCustomer, LooseIssues, LooseTransaction, StatusChange} from './source.ts'
import {formatSource, hasEndedBadly, isFinal, transactions} from './transactions.ts'
import {type CustomerSituation, findWords} from './words.ts'

// Few enough to see at a glance; the list of the noun has the rest.
const relatedMax = 10
const eventsMax = 30

// What an issue means: as the service says it, or else what its code means.
export function describeIssue(issue: {code?: unknown; message?: unknown} | null): string {
  const code = readCode(issue?.code)
  return toText(issue?.message) || (issueCodes.find((each) => each.code === code)?.meaning ?? toWords(issue?.code))
}

const listIssues = (issues: LooseIssues) => (Array.isArray(issues) ? issues : [])

const renderReasons = (issues: LooseIssues): Content =>
  listIssues(issues).length > 0 &&
  html`<ul>
    ${listIssues(issues).map(
      (issue) =>
        html`<li>${describeIssue(issue)} <code title="The code of the service">${toText(issue?.code)}</code></li>`,
    )}
  </ul>`

// What a person or a business is asked, by the names of the fields.
const fieldLabels = {...findLabels(kybData), ...findLabels(kycData)}
const partLabels = {...findLabels(address), ...findLabels(businessInfo)}

function describeField(path: string): string {
  const [field = '', part] = path.split('.')
  const label = lookUp(fieldLabels, field)?.label ?? toText(field)
  return part === undefined ? label : `${label} (${lowerFirst(lookUp(partLabels, part)?.label ?? toText(part))})`
}

const changeWords: Readonly<Record<string, string>> = {
  UNDER_REVIEW: 'Data sent',
  NEEDS_ADDITIONAL_INFORMATION: 'Refused, to be corrected',
  ACTIVE: 'Accepted',
  REJECTED: 'Rejected for good',
  DEACTIVATED: 'Deactivated',
}

const toMoment = ({at, to, issues, isMadeUp, changed = []}: Omit<StatusChange, 'from'>): Moment => ({
  at,
  what: html`${lookUp(changeWords, readCode(to))} ${renderStatus(to)}`,
  detail: [changed.length > 0 && `Changed: ${changed.map(describeField).join(', ')}.`, renderReasons(issues)],
  tone: getTone(to),
  isMadeUp,
})

const toEventMoment = ({eventId, at, type, customerStatus = '', issues}: ConsoleEvent): Moment =>
  isMadeUpEvent(eventId)
    ? {at, what: html`Made up: ${renderStatus(customerStatus, 'quiet')}`, detail: 'The customer did not change.'}
    : {
        ...toMoment({at, to: customerStatus, issues}),
        detail: [`Reported by ${toText(type)}`, renderReasons(issues)],
      }

// Changes that the sandbox recorded, otherwise those that events reported, otherwise only the last one.
async function listMoments({source}: ConsoleContext, customer: LooseCustomer, id: string): Promise<Moment[]> {
  const changes = (await source.listStatusChanges?.(id)) ?? []
  if (changes.length > 0) return changes.map(toMoment)
  const events = (await source.events?.listEvents(eventsMax, id)) ?? []
  const reports = events.filter(({customerStatus}) => customerStatus !== undefined)
  const {customerStatus: status, updatedAt, verificationIssues: issues} = customer
  const isKnown = reports.some(({eventId}) => !isMadeUpEvent(eventId))
  const last = isKnown ? [] : [toMoment({at: toText(updatedAt), to: toText(status), issues})]
  return [...last, ...reports.map(toEventMoment)].toSorted(
    (one, other) => (toTime(one.at) ?? 0) - (toTime(other.at) ?? 0),
  )
}

// What keeps a verified customer from being paid, or how the last payment stands.
async function assess(context: ConsoleContext, id: string): Promise<readonly [CustomerSituation, Content?]> {
  const {source} = context
  const [{items: owned}, {items}] = await Promise.all([
    source.listAccounts(id),
    source.listTransactions({customerId: id, pageSize: 1}),
  ])
  const newest: LooseTransaction | undefined = items[0]
  const madeAt = toTime(newest?.createdAt) ?? 0
  const open = ((await source.journal?.listOpenPayments(madeAt)) ?? []).filter(
    ({customerId}) => readText(customerId).toLowerCase() === id.toLowerCase(),
  )
  const unknown = open.find(({state}) => state === 'UNKNOWN' || state === 'ARMED')
  if (unknown) return ['PAYMENT_UNKNOWN', linkPayment(context, unknown)]
  const notMade = open.find(({updatedAt}) => (toTime(updatedAt) ?? 0) > madeAt)
  if (notMade) return ['PAYMENT_NOT_MADE', linkPayment(context, notMade)]
  const has = (status: string) => owned.some(({paymentAccountStatus}) => readCode(paymentAccountStatus) === status)
  if (!has('ACTIVE')) return [has('PENDING') ? 'ACCOUNT_PENDING' : 'NO_ACCOUNT']
  if (!newest) return ['NO_PAYMENT']
  const {transactionId, customerId, transactionStatus: status, updatedAt} = newest
  const about = [
    renderItemLink(context, {path: paths.transaction, id: transactionId, customerId, text: formatSource(newest)}),
    html` ${renderTime(updatedAt)} UTC`,
  ]
  if (hasEndedBadly(newest)) return ['PAYMENT_FAILED', about]
  if (isFinal(status)) return ['PAYMENT_ARRIVED', about]
  return [readCode(status) === 'AWAITING_TRANSFER' ? 'PAYMENT_WAITS' : 'PAYMENT_UNDER_WAY', about]
}

async function renderAnswer(context: ConsoleContext, customer: LooseCustomer, id: string): Promise<Content> {
  const {customerStatus: status, verificationIssues: issues} = customer
  if (readCode(status) !== 'ACTIVE') return renderLead(findWords('customer', status), id, renderReasons(issues))
  // What could not be read is not guessed at: the rest of the page says why.
  const {value = ['NOT_READ'] as const} = await tryRead(context, () => assess(context, id))
  return renderLead(findWords('customer', value[0]), id, value[1])
}

const renderAllRelated = (context: ConsoleContext, id: string): Promise<Content[]> =>
  Promise.all([
    renderRelated(context, transactions, {
      title: 'Last payments',
      id: 'customer-transactions',
      read: () => context.source.listTransactions({customerId: id, pageSize: relatedMax}),
      countMax: relatedMax,
      empty: 'This customer has no transactions.',
      more: html`<p>
        <a href="${context.link(paths.transactions, {customer: id})}">All transactions of this customer</a>
      </p>`,
    }),
    renderRelated(context, accounts, {
      title: 'Accounts',
      id: 'customer-accounts',
      read: () => context.source.listAccounts(id),
      countMax: context.source.readMax,
      empty: 'This customer has no accounts.',
    }),
    renderRelated(context, rules, {
      title: 'Rules',
      id: 'customer-rules',
      read: async () => ({items: await context.source.listRules(id)}),
      countMax: relatedMax,
      empty: 'This customer has no rules.',
    }),
  ])

export const customers: Noun<LooseCustomer> = {
  title: 'Customers',
  noun: 'customer',
  path: paths.customers,
  itemPath: paths.customer,
  command: 'svc customers list --all',
  searchLabel: 'Name, email, id or issue',
  choice: {name: 'status', label: 'Status', values: customerStatuses, read: (item) => readCode(item.customerStatus)},
  empty: html`There are no customers. <code>svc customers create</code> makes one.`,
  list: (source, query) => source.listCustomers(query),
  columns: (context) => [
    {header: 'Name', render: ({customerId, name}) => linkCustomer(context, customerId, toText(name))},
    {header: 'Status', render: ({customerStatus}) => renderStatus(customerStatus)},
    {
      header: 'Issues',
      render: ({verificationIssues}) =>
        listIssues(verificationIssues).map((issue) => html`<div>${renderCodeWords(issue?.code)}</div>`),
    },
    {header: 'Type', render: ({customerType}) => toWords(customerType), isMinor: true, isShort: true},
    {header: 'Email', render: ({email}) => renderEmail(email), isLong: true},
    {header: 'Updated (UTC)', render: ({updatedAt}) => renderTime(updatedAt)},
    {header: 'ID', render: ({customerId}) => linkCustomer(context, customerId), isMinor: true, isShort: true},
  ],
  find: ({source}, id) => source.findCustomer(id),
  show: async (context, customer) => {
    const {source} = context
    const id = readText(customer.customerId) || (context.query['id'] ?? '')
    const [lead, moments, related] = await Promise.all([
      renderAnswer(context, customer, id),
      tryRead(context, () => listMoments(context, customer, id)),
      renderAllRelated(context, id),
    ])
    const {verificationLink, availablePaymentMethods: methods} = customer
    return {
      title: toText(customer.name) || 'Customer without a name',
      status: renderStatus(customer.customerStatus),
      lead,
      timeline: {
        title: 'Verification',
        moments: moments.value ?? [],
        note:
          moments.failure ??
          (!source.listStatusChanges &&
            'The service tells the last change only; events that were received fill in the rest.'),
      },
      cards: [
        [
          'Details',
          [
            ['Email', toText(customer.email)],
            ['Type', toWords(customer.customerType)],
            ['Last change', renderTime(customer.updatedAt)],
            // The form of a real customer is opened with svc, so that nobody fills it in by mistake.
            [
              'Form',
              !source.isReadOnly &&
                typeof verificationLink === 'string' &&
                html`<a href="${verificationLink}">The hosted form</a>`,
            ],
            ['Payment methods', Array.isArray(methods) && methods.map(toText).join(', ')],
            ['ID', renderCode(toText(customer.customerId))],
            ['Organization', renderCode(toText(customer.organizationId))],
          ],
        ],
      ],
      related,
      actions: 'customer',
    }
  },
}
