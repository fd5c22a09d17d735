// What needs a person, the most urgent first, each with what to do about it.
import {readCode} from '../../contract/loose.ts'
import {type Attention, findAttention} from '../../values/attention.ts'
import {countNoun, quoteForShell} from '../../values/text.ts'
import {formatLag, formatMoney, renderCode, toText, toTime} from '../format.ts'
import {type Content, type Html, html} from '../html.ts'
import {type Column, renderCard, renderItemLink, renderTable} from '../parts.ts'
import {type ConsoleContext, type Cut, addCount, paths, sayNone} from './context.ts'
import {type CustomerNames, findNames, linkCustomer} from './noun.ts'
import {formatPaid, linkPayment} from './payments.ts'
import type {FleetState, JournalPayment, LooseCustomer, LooseTransaction, WaitingApproval} from './source.ts'
import {formatSource} from './transactions.ts'

const rowsMax = 10

interface Need {
  what: Content
  who?: Content
  since: unknown
  action: Content
}

export interface Found {
  transactions: Cut<LooseTransaction>
  customers: Cut<LooseCustomer>
  payments: readonly JournalPayment[]
  // The transactions whose bad ending a person has dealt with.
  dealtWith: ReadonlySet<string>
  approvals: readonly WaitingApproval[]
  fleet?: FleetState | undefined
}

export const byAge = (one: {since: unknown}, other: {since: unknown}) =>
  (toTime(one.since) ?? 0) - (toTime(other.since) ?? 0)

export const renderAge = (now: number, since: unknown): Content => {
  const ms = toTime(since)
  return ms === undefined ? '' : html`<span title="${toText(since)}">${formatLag(Math.max(0, now - ms))}</span>`
}

// The journal is written by the clock of this machine. That of a sandbox may have been advanced.
export const readJournalNow = ({source, now}: ConsoleContext) => source.journal?.readNow?.() ?? now

const paymentWords: Readonly<Record<string, string>> = {
  REJECTED: 'the service refused it',
  STOPPED: 'svc did not send it',
  INTENDED: 'it was begun, and is not sent',
  QUOTED: 'it was begun, and is not sent',
}

type FoundAttention = Attention<JournalPayment, LooseTransaction, LooseCustomer>

function listPaymentNeeds(
  context: ConsoleContext,
  {unknownPayments, failedPayments}: FoundAttention,
  names: CustomerNames,
): Need[] {
  const toNeed = (payment: JournalPayment, words: string, action: Content): Need => ({
    what: html`${linkPayment(context, payment)}, ${formatPaid(payment)}: ${words}`,
    who: linkCustomer(context, payment.customerId, names.get(toText(payment.customerId))),
    since: payment.updatedAt,
    action,
  })
  const explain = ({key}: JournalPayment) =>
    html`<a href="${context.link(paths.payment, {key})}">See why, and pay again</a>`
  return [
    ...unknownPayments.map((payment) => {
      const settle = renderCode(`svc journal settle ${quoteForShell(payment.key)}`)
      return toNeed(payment, 'whether it was paid is not known', html`Find out: ${settle}`)
    }),
    ...failedPayments.map((payment) => toNeed(payment, paymentWords[payment.state] ?? '', explain(payment))),
  ]
}

const listApprovalNeeds = ({approvals}: Found): Need[] =>
  approvals.map(({name, sums, needed, given, next, at}) => {
    const asked = [toText(name), ...sums.map(({currency, amount}) => formatMoney(amount, currency))].join(', ')
    return {
      what: `${asked}: needs ${countNoun(needed, 'approval')} and has ${given === 0 ? 'none' : given}`,
      who: 'Those who may approve',
      since: at,
      action: html`Approve: ${renderCode(toText(next))}`,
    }
  })

// A batch that is paused for want of an approval is among what waits for one.
function listFleetNeeds({fleet, approvals}: Found): Need[] {
  if (!fleet) return []
  const {workers, waiting, oldestAt} = fleet
  const asked = new Set(approvals.map(({name}) => name))
  const idle = {
    what: `${countNoun(waiting, 'row')} of batches: nobody works on ${waiting === 1 ? 'it' : 'them'}`,
    since: oldestAt,
    action: html`Start a worker: ${renderCode('svc payouts work')}`,
  }
  const paused = fleet.paused
    .filter(({id}) => !asked.has(id))
    .map(({id, name, waiting: rows, submittedAt}) => ({
      what: `The batch ${toText(name)} is paused with ${countNoun(rows, 'row')} to pay`,
      since: submittedAt,
      action: html`Go on: ${renderCode(`svc payouts resume ${quoteForShell(id)}`)}`,
    }))
  return [...(workers === 0 && waiting > 0 ? [idle] : []), ...paused]
}

const endingWords: Readonly<Record<string, string>> = {
  FAILED: 'failed: the money did not arrive',
  CANCELLED: 'was cancelled: the money did not arrive',
  EXPIRED: 'expired: the money did not come in time',
}

// What has ended comes before what has waited for longer.
function listServiceNeeds(context: ConsoleContext, found: FoundAttention, names: CustomerNames): Need[] {
  const toTransactionNeed = (transaction: LooseTransaction, words: string, since: unknown, text: string): Need => {
    const {transactionId: id, customerId} = transaction
    return {
      what: `${formatSource(transaction)} ${words}`,
      who: linkCustomer(context, customerId, names.get(toText(customerId))),
      since,
      action: renderItemLink(context, {path: paths.transaction, id, customerId, text}),
    }
  }
  const toCustomerNeed = ({customerId, name, updatedAt}: LooseCustomer, what: string, action: string): Need => ({
    what,
    who: linkCustomer(context, customerId, toText(name)),
    since: updatedAt,
    action: linkCustomer(context, customerId, action),
  })
  const ended = [
    ...found.failedTransactions.map((each) => {
      const words = endingWords[readCode(each.transactionStatus)] ?? ''
      return toTransactionNeed(each, words, each.updatedAt, 'See why, and pay again')
    }),
    ...found.rejectedCustomers.map((each) => toCustomerNeed(each, 'Was refused, and cannot be paid', 'See why')),
  ]
  const waiting = [
    ...found.awaitingTransfers.map((each) =>
      toTransactionNeed(each, 'waits for money from outside', each.createdAt, 'See where to send it'),
    ),
    ...found.corrections.map((each) =>
      toCustomerNeed(each, 'Has to correct something to be verified', 'See what, and send the form'),
    ),
  ]
  return [...ended.toSorted(byAge), ...waiting.toSorted(byAge)]
}

// Payments come first: what is unknown must not be paid again, and what was refused is owed.
export async function renderNeeds(context: ConsoleContext, found: Found): Promise<Html> {
  const {transactions, customers, payments} = found
  const names = await findNames(context, [...transactions.items, ...payments])
  const journalNow = readJournalNow(context)
  const reads = {...found, transactions: transactions.items, customers: customers.items}
  const attention = findAttention(reads, {journalMs: journalNow, serviceMs: context.now})
  const ours = [...listPaymentNeeds(context, attention, names), ...listApprovalNeeds(found), ...listFleetNeeds(found)]
  const needs = [
    ...ours.map((need) => ({...need, now: journalNow})),
    ...listServiceNeeds(context, attention, names).map((need) => ({...need, now: context.now})),
  ]
  const columns: Array<Column<Need & {now: number}>> = [
    {header: 'What', render: ({what}) => what},
    {header: 'Who', render: ({who}) => who},
    {header: 'For', render: ({since, now}) => renderAge(now, since), isShort: true},
    {header: 'What to do', render: ({action}) => action},
  ]
  const cut = [transactions, customers].find(({isCut}) => isCut) ?? transactions
  const renderPart = (id: string, caption: string, items: typeof needs) =>
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
