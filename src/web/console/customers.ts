// Customers: why one has not been paid, its verification, its accounts, payments and rules.
import {issueCodes} from '../../contract/issue-codes.ts'
import {hasFinalStatus, readBadEnding, readCode} from '../../contract/loose.ts'
import {customerStatuses, customerTypes} from '../../contract/vocabulary.ts'
import {nameFields} from '../../forms/name-fields.ts'
import {createVerificationNodes} from '../../forms/verification.ts'
import {unknownStates} from '../../values/attention.ts'
import {isMadeUpEvent} from '../../values/event-ids.ts'
import {lookUp, readText} from '../../values/records.ts'
import {capitalize} from '../../values/text.ts'
import {renderCode, renderStatus, renderTime, toText, toTime, toWords} from '../format.ts'
import {getTone} from '../tones.ts'
import {type Content, html} from '../html.ts'
import {type Moment, renderLead} from '../parts.ts'
import {accounts, readOwned} from './accounts.ts'
import {type ConsoleContext, paths, readNewest, tryRead} from './context.ts'
import {type Noun, createIdFields, linkCustomer, linkForm, renderRelated} from './noun.ts'
import {linkPayment} from './payments.ts'
import {rules} from './rules.ts'
import type {ConsoleEvent, LooseCustomer, LooseIssues, StatusChange} from './source.ts'
import {linkTransaction, transactions} from './transactions.ts'
import {type CustomerSituation, findWords} from './words.ts'

// Few enough to see at a glance; the list of the noun has the rest.
const relatedMax = 10
const eventsMax = 30

const changeWords: Readonly<Record<string, string>> = {
  UNDER_REVIEW: 'Data sent',
  NEEDS_ADDITIONAL_INFORMATION: 'Refused, to be corrected',
  ACTIVE: 'Accepted',
  REJECTED: 'Rejected for good',
  DEACTIVATED: 'Deactivated',
}

const listIssues = (issues: LooseIssues) => (Array.isArray(issues) ? issues : [])

// The meaning of an issue: in the service's words, with the labels of the hosted forms, or else
// that of its code.
function describeIssue(issue: {code?: unknown; message?: unknown} | null): string {
  const code = readCode(issue?.code)
  const message = nameFields(toText(issue?.message), customerTypes.flatMap(createVerificationNodes))
  return capitalize(message) || (issueCodes.find((each) => each.code === code)?.meaning ?? toWords(issue?.code))
}

export const renderReasons = (issues: LooseIssues): Content =>
  listIssues(issues).length > 0 &&
  html`<ul>
    ${listIssues(issues).map(
      (issue) =>
        html`<li>${describeIssue(issue)} <code title="The code of the service">${toText(issue?.code)}</code></li>`,
    )}
  </ul>`

const toMoment = ({at, to, isMadeUp, issues}: Omit<StatusChange, 'from'>): Moment => ({
  at,
  what: html`${lookUp(changeWords, readCode(to))} ${renderStatus(to)}`,
  detail: renderReasons(issues),
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
  const [newest] = items
  const madeAt = toTime(newest?.createdAt) ?? 0
  const open = ((await source.journal?.listOpenPayments(madeAt)) ?? []).filter(
    ({customerId}) => readText(customerId).toLowerCase() === id.toLowerCase(),
  )
  const unknown = open.find(({state}) => unknownStates.some((each) => each === state))
  if (unknown) return ['PAYMENT_UNKNOWN', linkPayment(context, unknown)]
  const notMade = open.find(({updatedAt}) => (toTime(updatedAt) ?? 0) > madeAt)
  if (notMade) return ['PAYMENT_NOT_MADE', linkPayment(context, notMade)]
  const has = (status: string) => owned.some(({paymentAccountStatus}) => readCode(paymentAccountStatus) === status)
  if (!has('ACTIVE')) return [has('PENDING') ? 'ACCOUNT_PENDING' : 'NO_ACCOUNT']
  if (!newest) return ['NO_PAYMENT']
  const about = [linkTransaction(context, newest), html` ${renderTime(newest.updatedAt)} UTC`]
  if (readBadEnding(newest)) return ['PAYMENT_FAILED', about]
  if (hasFinalStatus(newest)) return ['PAYMENT_ARRIVED', about]
  const isWaiting = readCode(newest.transactionStatus) === 'AWAITING_TRANSFER'
  return [isWaiting ? 'PAYMENT_WAITS' : 'PAYMENT_UNDER_WAY', about]
}

async function renderAnswer(context: ConsoleContext, customer: LooseCustomer, id: string): Promise<Content> {
  const {customerStatus: status, verificationIssues: issues} = customer
  if (readCode(status) !== 'ACTIVE') return renderLead(findWords('customer', status), id, renderReasons(issues))
  // What could not be read is not guessed at: the rest of the page says why.
  const {value = ['NOT_READ'] as const} = await tryRead(context, () => assess(context, id))
  return renderLead(findWords('customer', value[0]), id, value[1])
}

const renderAllRelated = (context: ConsoleContext, customerId: string): Promise<Content[]> =>
  Promise.all([
    renderRelated(context, transactions, {
      title: 'Last payments',
      id: 'customer-transactions',
      read: () => readNewest((page) => context.source.listTransactions({...page, customerId}), relatedMax),
      empty: 'This customer has no transactions.',
      all: context.link(paths.transactions, {customer: customerId}),
    }),
    renderRelated(context, accounts, {
      title: 'Accounts',
      id: 'customer-accounts',
      read: () => readOwned(context.source, customerId),
      empty: 'This customer has no accounts.',
    }),
    renderRelated(context, rules, {
      title: 'Rules',
      id: 'customer-rules',
      read: async () => ({items: await context.source.listRules(customerId), isCut: false}),
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
  fields: (context) => [
    {header: 'Name', render: ({customerId, name}) => linkCustomer(context, customerId, {}, toText(name)), only: 'list'},
    {header: 'Status', render: ({customerStatus}) => renderStatus(customerStatus), only: 'list'},
    {
      header: 'Issues',
      render: ({verificationIssues}) =>
        listIssues(verificationIssues).map((issue) => html`<div>${toText(issue?.code)}</div>`),
      isLong: true,
      only: 'list',
    },
    {header: 'Email', render: ({email}) => toText(email), isLong: true},
    {header: 'Type', render: ({customerType}) => toWords(customerType), isMinor: true, isShort: true},
    {header: 'Updated (UTC)', render: ({updatedAt}) => renderTime(updatedAt)},
    {header: 'Form', render: ({verificationLink}) => linkForm(context, verificationLink), only: 'page'},
    {
      header: 'Payment methods',
      render: ({availablePaymentMethods: methods}) => Array.isArray(methods) && methods.map(toText).join(', '),
      only: 'page',
    },
    ...createIdFields<LooseCustomer>(context, paths.customer, ({customerId}) => customerId),
    {header: 'Organization', render: ({organizationId}) => renderCode(toText(organizationId)), only: 'page'},
  ],
  find: ({source}, id) => source.findCustomer(id),
  show: async (context, customer) => {
    const id = readText(customer.customerId) || (context.query['id'] ?? '')
    const [lead, moments, related] = await Promise.all([
      renderAnswer(context, customer, id),
      tryRead(context, () => listMoments(context, customer, id)),
      renderAllRelated(context, id),
    ])
    const toldLast = 'The service tells the last change only; events that were received fill in the rest.'
    return {
      title: toText(customer.name) || 'Customer without a name',
      status: renderStatus(customer.customerStatus),
      lead,
      timeline: {
        title: 'Verification',
        moments: moments.value ?? [],
        note: moments.failure ?? (!context.source.listStatusChanges && toldLast),
      },
      related,
      actions: 'customer',
    }
  },
}
