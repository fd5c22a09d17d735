// What an operator looks at first in the morning: what needs a person, the most urgent first, what is under way, and who waits for verification.
import {readCode} from '../../../contract/loose.ts'
import {countNoun, quoteForShell} from '../../../values/text.ts'
import {dayMs, secondMs} from '../../../values/time.ts'
import {formatLag, formatMoney, renderCode, renderStatus, renderTime, toText, toTime} from '../../format.ts'
import {type Content, type Html, html} from '../../html.ts'
import {type Column, renderCard, renderCustomerLink, renderItemLink, renderTable} from '../../parts.ts'
import {type ConsoleContext, type NewestItems, addCount, paths, sayNone} from '../context.ts'
import {isOpen} from '../money-sums.ts'
import type {FleetState, JournalPayment, LooseCustomer, LooseTransaction, WaitingApproval} from '../source.ts'
import {type CustomerNames, findCustomerNames} from './list-page.ts'
import {formatSource} from './transactions.ts'

export const recentDays = 7
const rowsMax = 10

// One thing that a person has to do.
interface Need {
  what: Content
  who: Content
  since: unknown
  action: Content
  // Whether it comes before what has waited for longer.
  isUrgent?: boolean
  // Of the journal rather than of the service, so that the clock of this machine tells for how long.
  isOfJournal?: boolean
}

export interface Found {
  transactions: NewestItems<LooseTransaction>
  customers: NewestItems<LooseCustomer>
  payments: readonly JournalPayment[]
  // The transactions whose bad ending a person has dealt with.
  dealtWith: ReadonlySet<string>
  approvals: readonly WaitingApproval[]
  fleet?: FleetState | undefined
}

const hasStatus = (status: string) => (transaction: LooseTransaction) =>
  readCode(transaction.transactionStatus) === status

const byAge = (one: {since: unknown}, other: {since: unknown}) => (toTime(one.since) ?? 0) - (toTime(other.since) ?? 0)

// What an operator has to look at within so many days.
const isRecent = (now: number, at: unknown) => now - (toTime(at) ?? 0) <= recentDays * dayMs

const readJournalNow = ({source, now}: ConsoleContext) => source.journal?.readNow?.() ?? now

const notPaidWords: Readonly<Record<string, string>> = {
  REJECTED: 'the service refused it',
  STOPPED: 'svc did not send it',
  INTENDED: 'it was begun, and is not sent',
  QUOTED: 'it was begun, and is not sent',
}

// One that is being paid is in these states for a moment.
const begunStates = new Set(['INTENDED', 'QUOTED', 'ARMED'])
const begunMaxMs = 20 * secondMs

function listPaymentNeeds(context: ConsoleContext, {payments}: Found, names: CustomerNames): Need[] {
  const now = readJournalNow(context)
  const toNeed = ({key, updatedAt, customerId, source: from}: JournalPayment, what: string, action: Content): Need => ({
    what: html`<a href="${context.link(paths.payment, {key})}">${toText(key)}</a>,
      ${formatMoney(from?.sourceAmount, from?.sourceCurrency)}: ${what}`,
    who: renderCustomerLink(context, customerId, names.get(toText(customerId))),
    since: updatedAt,
    action,
  })
  const isInHand = ({state, updatedAt}: JournalPayment) =>
    begunStates.has(state) && now - (toTime(updatedAt) ?? 0) <= begunMaxMs
  const found = payments.filter((each) => !isInHand(each))
  return [
    ...found
      .filter(({state}) => state === 'UNKNOWN' || state === 'ARMED')
      .map((each) =>
        toNeed(
          each,
          'whether it was paid is not known',
          html`Find out: ${renderCode(`svc journal settle ${quoteForShell(each.key)}`)}`,
        ),
      ),
    ...found
      .filter(({state, updatedAt}) => Object.hasOwn(notPaidWords, state) && isRecent(now, updatedAt))
      .map((each) =>
        toNeed(
          each,
          notPaidWords[each.state] ?? '',
          html`<a href="${context.link(paths.payment, {key: each.key})}">See why, and pay again</a>`,
        ),
      ),
  ]
}

const countApprovals = (needed: number, given: number) =>
  `needs ${countNoun(needed, 'approval')} and has ${given === 0 ? 'none' : given}`

const listApprovalNeeds = ({approvals}: Found): Need[] =>
  approvals.map(({name, sums, needed, given, next, at}) => ({
    what: `${[toText(name), ...sums.map(({currency, amount}) => formatMoney(amount, currency))].join(', ')}: ${countApprovals(needed, given)}`,
    who: 'Those who may approve',
    since: at,
    action: html`Approve: ${renderCode(toText(next))}`,
  }))

// A batch that is paused for want of an approval is among what waits for one.
function listFleetNeeds({fleet, approvals}: Found): Need[] {
  if (!fleet) return []
  const {workers, waiting, paused, oldestAt} = fleet
  const asked = new Set(approvals.map(({name}) => name))
  const idle: Need = {
    what: `${countNoun(waiting, 'row')} of batches: nobody works on ${waiting === 1 ? 'it' : 'them'}`,
    who: '',
    since: oldestAt,
    action: html`Start a worker: ${renderCode('svc payouts work')}`,
  }
  return [
    ...(workers === 0 && waiting > 0 ? [idle] : []),
    ...paused
      .filter(({id}) => !asked.has(id))
      .map(({id, name, waiting: rows, submittedAt}) => ({
        what: `The batch ${toText(name)} is paused with ${countNoun(rows, 'row')} to pay`,
        who: '',
        since: submittedAt,
        action: html`Go on: ${renderCode(`svc payouts resume ${quoteForShell(id)}`)}`,
      })),
  ]
}

function listTransactionNeeds(
  context: ConsoleContext,
  {transactions: {items}, dealtWith}: Found,
  names: CustomerNames,
): Need[] {
  const toNeed = (transaction: LooseTransaction, what: string, since: unknown, action: string): Need => ({
    what: `${formatSource(transaction)} ${what}`,
    who: renderCustomerLink(context, transaction.customerId, names.get(toText(transaction.customerId))),
    since,
    action: renderItemLink(context, {
      path: paths.transaction,
      id: transaction.transactionId,
      customerId: transaction.customerId,
      text: action,
    }),
  })
  return [
    ...items
      .filter((each) => hasStatus('FAILED')(each) && isRecent(context.now, each.updatedAt))
      .filter(({transactionId}) => !dealtWith.has(toText(transactionId)))
      .map((each) => toNeed(each, 'failed: the money did not arrive', each.updatedAt, 'See why, and pay again'))
      .map((need) => ({...need, isUrgent: true})),
    ...items
      .filter(hasStatus('AWAITING_TRANSFER'))
      .map((each) => toNeed(each, 'waits for money from outside', each.createdAt, 'See where to send it')),
  ]
}

const listCustomerNeeds = (context: ConsoleContext, {customers: {items}}: Found): Need[] => {
  const toNeed = ({customerId, name, updatedAt}: LooseCustomer, what: string, action: string): Need => ({
    what,
    who: renderCustomerLink(context, customerId, toText(name)),
    since: updatedAt,
    action: renderCustomerLink(context, customerId, action),
  })
  const hasCustomerStatus = (status: string) => (customer: LooseCustomer) =>
    readCode(customer.customerStatus) === status
  return [
    ...items
      .filter((each) => hasCustomerStatus('REJECTED')(each) && isRecent(context.now, each.updatedAt))
      .map((each) => ({...toNeed(each, 'Was refused, and cannot be paid', 'See why'), isUrgent: true})),
    ...items
      .filter(hasCustomerStatus('NEEDS_ADDITIONAL_INFORMATION'))
      .map((each) => toNeed(each, 'Has to correct something to be verified', 'See what, and send the form')),
  ]
}

const renderAge = (now: number, since: unknown): Content => {
  const ms = toTime(since)
  return ms === undefined ? '' : html`<span title="${toText(since)}">${formatLag(Math.max(0, now - ms))}</span>`
}

export async function renderNeeds(context: ConsoleContext, found: Found): Promise<Html> {
  const {transactions, customers, payments} = found
  const names = await findCustomerNames(context, [...transactions.items, ...payments])
  // Payments come first: what is unknown must not be paid again, and what was refused is owed.
  const payFirst = [...listPaymentNeeds(context, found, names), ...listApprovalNeeds(found), ...listFleetNeeds(found)]
  const [urgent, others] = [true, false].map((wanted) =>
    [...listTransactionNeeds(context, found, names), ...listCustomerNeeds(context, found)]
      .filter(({isUrgent = false}) => isUrgent === wanted)
      .toSorted(byAge),
  )
  const needs = [...payFirst.map((need) => ({...need, isOfJournal: true})), ...(urgent ?? []), ...(others ?? [])]
  const columns: Array<Column<Need>> = [
    {header: 'What', render: ({what}) => what},
    {header: 'Who', render: ({who}) => who},
    {
      header: 'For',
      render: ({since, isOfJournal}) => renderAge(isOfJournal ? readJournalNow(context) : context.now, since),
      isShort: true,
    },
    {header: 'What to do', render: ({action}) => action},
  ]
  const cut = [transactions, customers].find(({isCut}) => isCut) ?? transactions
  const renderPart = (id: string, caption: string, items: readonly Need[]) =>
    renderTable({id, caption, columns, items, empty: sayNone(cut, 'Nothing needs you now')})
  const rest = needs.slice(rowsMax)
  return renderCard(addCount('Needs you', needs.length, cut), [
    renderPart('needs', 'What needs a person', needs.slice(0, rowsMax)),
    rest.length > 0 &&
      html`<details id="more-needs">
        <summary>${rest.length} more, less urgent</summary>
        ${renderPart('needs-rest', 'What else needs a person', rest)}
      </details>`,
  ])
}

export async function renderUnderWay(context: ConsoleContext, {transactions}: Found): Promise<Html> {
  const open = transactions.items
    .filter((each) => isOpen(each) && !hasStatus('AWAITING_TRANSFER')(each))
    .map((transaction) => ({transaction, since: transaction.createdAt}))
    .toSorted(byAge)
  const names = await findCustomerNames(context, transactions.items)
  const columns: Array<Column<(typeof open)[number]>> = [
    {
      header: 'Sent',
      render: ({transaction}) => {
        const {transactionId: id, customerId} = transaction
        return renderItemLink(context, {path: paths.transaction, id, customerId, text: formatSource(transaction)})
      },
      isNumber: true,
    },
    {
      header: 'Customer',
      render: ({transaction: {customerId}}) => renderCustomerLink(context, customerId, names.get(toText(customerId))),
    },
    {header: 'For', render: ({since}) => renderAge(context.now, since), isShort: true},
    {header: 'Status', render: ({transaction}) => renderStatus(transaction.transactionStatus)},
  ]
  const table = renderTable({
    id: 'under-way',
    caption: 'Transactions under way',
    columns,
    items: open.slice(0, rowsMax),
    empty: sayNone(transactions, 'No money is under way'),
  })
  return renderCard(addCount('Under way', open.length, transactions), table, {note: describeShown(open, transactions)})
}

function describeShown(found: readonly unknown[], {items, isCut}: NewestItems<unknown>): string | undefined {
  if (found.length > rowsMax) return `The ${rowsMax} oldest${isCut ? ` among the newest ${items.length}` : ''}.`
  return isCut && found.length > 0 ? `Among the newest ${items.length}.` : undefined
}

// In these statuses the next step is the service's or the customer's.
const waitingWords: Readonly<Record<string, string>> = {
  CREATED: 'its data, which nobody has sent',
  UNDER_REVIEW: 'the service, which checks the data',
}

export function renderWaiting(context: ConsoleContext, {customers}: Found): Html {
  const waiting = customers.items
    .filter(({customerStatus}) => Object.hasOwn(waitingWords, readCode(customerStatus)))
    .map((customer) => ({customer, since: customer.updatedAt}))
    .toSorted(byAge)
  const columns: Array<Column<(typeof waiting)[number]>> = [
    {
      header: 'Customer',
      render: ({customer}) => renderCustomerLink(context, customer.customerId, toText(customer.name)),
    },
    {header: 'Waits for', render: ({customer: {customerStatus}}) => waitingWords[readCode(customerStatus)]},
    {header: 'For', render: ({since}) => renderAge(context.now, since), isShort: true},
    {header: 'Since (UTC)', render: ({since}) => renderTime(since), isMinor: true},
  ]
  const table = renderTable({
    id: 'waiting',
    caption: 'Who waits for verification',
    columns,
    items: waiting.slice(0, rowsMax),
    empty: sayNone(customers, 'Nobody waits for verification'),
  })
  const title = addCount('Waiting for verification', waiting.length, customers)
  return renderCard(title, table, {note: describeShown(waiting, customers)})
}
