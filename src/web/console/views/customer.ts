// The page of one customer: why it has not been paid, its verification, its accounts, payments and rules.
import {isMadeUpEvent} from '../../../values/event-ids.ts'
import {address, businessInfo, kybData, kycData} from '../../../contract/customers.ts'
import {findLabels} from '../../../contract/labels.ts'
import {readCode} from '../../../contract/loose.ts'
import {lookUp, readText} from '../../../values/records.ts'
import {lowerFirst} from '../../../values/text.ts'
import {type Content, html} from '../../html.ts'
import {getTone, renderCode, renderStatus, renderTime, toText, toTime, toWords} from '../../format.ts'
import {
  type Moment,
  renderCard,
  renderFacts,
  renderItemLink,
  renderLead,
  renderOutcome,
  renderTable,
  renderTimeline,
} from '../../parts.ts'
import {type ConsoleContext, type ConsolePage, paths, tryRead} from '../context.ts'
import type {
  ConsoleAccount,
  ConsoleEvent,
  JournalPayment,
  LooseCustomer,
  LooseIssues,
  LooseTransaction,
  StatusChange,
} from '../source.ts'
import {type CustomerSituation, findWords} from '../words.ts'
import {createAccountColumns} from './accounts.ts'
import {describeIssue} from './customers.ts'
import {renderPaymentLink} from './journal.ts'
import {renderItem} from './list-page.ts'
import {createRuleColumns} from './rules.ts'
import {formatSource, hasEndedBadly, isFinal, renderRelatedTransactions} from './transactions.ts'

// Few enough to see at a glance; the list of the noun has the rest.
const relatedMax = 10
const eventsMax = 30

const listReasons = (issues: LooseIssues): Content =>
  Array.isArray(issues) &&
  issues.length > 0 &&
  html`<ul>
    ${issues.map(
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

const toMoment = ({at, to, issues, isMadeUp, changed = []}: StatusChange): Moment => ({
  at,
  what: html`${lookUp(changeWords, readCode(to))} ${renderStatus(to)}`,
  detail: [changed.length > 0 && `Changed: ${changed.map(describeField).join(', ')}.`, listReasons(issues)],
  tone: getTone(to),
  isMadeUp,
})

const toEventMoment = ({eventId, at, type, customerStatus = '', issues}: ConsoleEvent): Moment =>
  isMadeUpEvent(eventId)
    ? {at, what: html`Made up: ${renderStatus(customerStatus, 'quiet')}`, detail: 'The customer did not change.'}
    : {
        ...toMoment({at, from: '', to: customerStatus, issues}),
        detail: [`Reported by ${toText(type)}`, listReasons(issues)],
      }

// Changes that the sandbox recorded, otherwise those that events reported, otherwise only the last one.
function listMoments(
  {customerStatus: status, updatedAt, verificationIssues: issues}: LooseCustomer,
  changes: readonly StatusChange[],
  events: readonly ConsoleEvent[],
): Moment[] {
  if (changes.length > 0) return changes.map(toMoment)
  const reports = events.filter((event) => event.customerStatus !== undefined)
  const last = toMoment({at: toText(updatedAt), from: '', to: toText(status), issues})
  const isKnown = reports.some(({eventId}) => !isMadeUpEvent(eventId))
  return [...(isKnown ? [] : [last]), ...reports.map(toEventMoment)].toSorted(
    (one, other) => (toTime(one.at) ?? 0) - (toTime(other.at) ?? 0),
  )
}

async function renderVerification(context: ConsoleContext, customer: LooseCustomer, id: string): Promise<Content> {
  const {source} = context
  const read = await tryRead(context, async () => {
    const changes = (await source.listStatusChanges?.(id)) ?? []
    const events = changes.length === 0 ? ((await source.events?.listEvents(eventsMax, id)) ?? []) : []
    return listMoments(customer, changes, events)
  })
  return renderCard(
    'Verification',
    renderOutcome(read, (moments) => renderTimeline('customer-timeline', moments, 'Nothing has happened yet.')),
    {
      note:
        !source.listStatusChanges &&
        'The service tells the last change only; events that were received fill in the rest.',
    },
  )
}

const hasStatus = (status: string) => (account: ConsoleAccount) => readCode(account.paymentAccountStatus) === status

const belongsTo = (id: string) => (payment: JournalPayment) =>
  readText(payment.customerId).toLowerCase() === id.toLowerCase()

interface Situation {
  words: CustomerSituation
  payment?: JournalPayment | undefined
  transaction?: LooseTransaction | undefined
}

function assessPayments(newest: LooseTransaction | undefined, open: readonly JournalPayment[]): Situation | undefined {
  const unknown = open.find(({state}) => state === 'UNKNOWN' || state === 'ARMED')
  if (unknown) return {words: 'PAYMENT_UNKNOWN', payment: unknown}
  const notMade = open.find(({updatedAt}) => (toTime(updatedAt) ?? 0) > (toTime(newest?.createdAt) ?? 0))
  return notMade && {words: 'PAYMENT_NOT_MADE', payment: notMade}
}

function assessTransaction(transaction: LooseTransaction | undefined): Situation {
  if (!transaction) return {words: 'NO_PAYMENT'}
  const {transactionStatus: status} = transaction
  if (hasEndedBadly(transaction)) return {words: 'PAYMENT_FAILED', transaction}
  if (isFinal(status)) return {words: 'PAYMENT_ARRIVED', transaction}
  return {words: readCode(status) === 'AWAITING_TRANSFER' ? 'PAYMENT_WAITS' : 'PAYMENT_UNDER_WAY', transaction}
}

// What keeps a verified customer from being paid, or how the last payment stands.
async function assessVerified({source}: ConsoleContext, id: string): Promise<Situation> {
  const [accounts, transactions] = await Promise.all([
    source.listAccounts(id),
    source.listTransactions({customerId: id, pageSize: 1}),
  ])
  const [newest] = transactions.items
  const open = (await source.journal?.listOpenPayments(toTime(newest?.createdAt) ?? 0)) ?? []
  const byPayment = assessPayments(newest, open.filter(belongsTo(id)))
  if (byPayment) return byPayment
  if (!accounts.items.some(hasStatus('ACTIVE'))) {
    return {words: accounts.items.some(hasStatus('PENDING')) ? 'ACCOUNT_PENDING' : 'NO_ACCOUNT'}
  }
  return assessTransaction(newest)
}

async function renderAnswer(context: ConsoleContext, customer: LooseCustomer, id: string): Promise<Content> {
  const {customerStatus: status, verificationIssues: issues} = customer
  if (readCode(status) !== 'ACTIVE') return renderLead(findWords('customer', status), id, listReasons(issues))
  // What could not be read is not guessed at: the rest of the page says why.
  const {value = {words: 'NOT_READ'}} = await tryRead<Situation>(context, () => assessVerified(context, id))
  const {words, payment, transaction} = value
  const about = payment
    ? renderPaymentLink(context, payment)
    : transaction && [
        renderItemLink(context, {
          path: paths.transaction,
          id: transaction.transactionId,
          customerId: transaction.customerId,
          text: formatSource(transaction),
        }),
        html` ${renderTime(transaction.updatedAt)} UTC`,
      ]
  return renderLead(findWords('customer', words), id, about)
}

async function renderRelated(context: ConsoleContext, id: string): Promise<Content> {
  const {source, link} = context
  const [accounts, transactions, rules] = await Promise.all([
    tryRead(context, () => source.listAccounts(id)),
    renderRelatedTransactions(context, {
      title: 'Last payments',
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
  return [transactions, renderCard('Accounts', accountTable), renderCard('Rules', ruleTable)]
}

// The form of a real customer is opened with svc, so that nobody fills it in by mistake.
const renderDetails = ({source}: ConsoleContext, customer: LooseCustomer) =>
  renderFacts([
    ['Email', toText(customer.email)],
    ['Type', toWords(customer.customerType)],
    ['Last change', renderTime(customer.updatedAt)],
    [
      'Form',
      !source.isReadOnly &&
        typeof customer.verificationLink === 'string' &&
        html`<a href="${customer.verificationLink}">The hosted form</a>`,
    ],
    [
      'Payment methods',
      Array.isArray(customer.availablePaymentMethods) && customer.availablePaymentMethods.map(toText).join(', '),
    ],
    ['ID', renderCode(toText(customer.customerId))],
    ['Organization', renderCode(toText(customer.organizationId))],
  ])

export async function renderCustomer(context: ConsoleContext): Promise<ConsolePage> {
  const id = context.query['id'] ?? ''
  return renderItem(context, {
    find: () => context.source.findCustomer(id),
    missing: html`There is no customer ${renderCode(toText(id))}.`,
    render: async (customer) => {
      const ownId = readText(customer.customerId) || id
      const [answer, verification, related] = await Promise.all([
        renderAnswer(context, customer, ownId),
        renderVerification(context, customer, ownId),
        renderRelated(context, ownId),
      ])
      return {
        title: toText(customer.name) || 'Customer without a name',
        beside: renderStatus(customer.customerStatus),
        body: [
          answer,
          html`<div class="columns" id="customer" data-live>
            ${verification} ${renderCard('Details', renderDetails(context, customer))}
          </div>`,
          related,
          context.renderActions?.('customer'),
        ],
      }
    },
  })
}
