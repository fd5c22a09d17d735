// What needs a person, the most urgent first, each with what to do about it.
import {findAttention} from '../../values/attention.ts'
import {countNoun, quoteForShell} from '../../values/text.ts'
import {formatLag, formatMoney, renderCode, toText, toTime} from '../format.ts'
import {type Content, type Html, html} from '../html.ts'
import {type Column, renderCard, renderNext, renderTable} from '../parts.ts'
import {type ConsoleContext, type Cut, addCount, sayNone} from './context.ts'
import {type Names, findNames, linkCustomer} from './noun.ts'
import {formatPaid, linkPayment} from './payments.ts'
import type {FleetState, JournalPayment, LooseCustomer, LooseTransaction, WaitingApproval} from './source.ts'
import {linkTransaction} from './transactions.ts'
import {findWords} from './words.ts'

const rowsMax = 10

interface Need {
  what: Content
  who?: Content
  since: unknown
  action: Content
  // By the clock that `since` is of.
  now: number
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
  return ms === undefined ? '' : html`<time datetime="${toText(since)}">${formatLag(Math.max(0, now - ms))}</time>`
}

// The journal is written by the clock of this machine. That of a sandbox may have been advanced.
export const readJournalNow = ({source, now}: ConsoleContext) => source.journal?.readNow?.() ?? now

const listApprovalNeeds = ({approvals}: Found, now: number): Need[] =>
  approvals.map(({name, sums, needed, given, next, at}) => {
    const asked = [toText(name), ...sums.map(({currency, amount}) => formatMoney(amount, currency))].join(', ')
    return {
      what: `${asked}: needs ${countNoun(needed, 'approval')} and has ${given === 0 ? 'none' : given}`,
      who: 'Those who may approve',
      since: at,
      action: html`Approve: ${renderCode(toText(next))}`,
      now,
    }
  })

// A batch that is paused for want of an approval is among what waits for one.
function listFleetNeeds({fleet, approvals}: Found, now: number): Need[] {
  if (!fleet) return []
  const asked = new Set(approvals.map(({name}) => name))
  const idle = {
    what: `${countNoun(fleet.waiting, 'row')} of batches: nobody works on them`,
    since: fleet.oldestAt,
    action: html`Start a worker: ${renderCode('svc payouts work')}`,
    now,
  }
  const paused = fleet.paused
    .filter(({id}) => !asked.has(id))
    .map(({id, name, waiting, submittedAt}) => ({
      what: `The batch ${toText(name)} is paused with ${countNoun(waiting, 'row')} to pay`,
      since: submittedAt,
      action: html`Go on: ${renderCode(`svc payouts resume ${quoteForShell(id)}`)}`,
      now,
    }))
  return [...(fleet.inFlight === 0 && fleet.waiting > 0 ? [idle] : []), ...paused]
}

// Payments come first: what is unknown must not be paid again, and what was refused is owed. What has ended comes before what has
// waited for longer.
function listNeeds(context: ConsoleContext, found: Found, names: Names): Need[] {
  const [now, journalNow] = [context.now, readJournalNow(context)]
  const reads = {...found, transactions: found.transactions.items, customers: found.customers.items}
  const attention = findAttention(reads, {journalMs: journalNow, serviceMs: now})
  const toPaymentNeed = (payment: JournalPayment): Need => {
    const words = findWords('payment', payment.state)
    return {
      what: html`${linkPayment(context, payment)}, ${formatPaid(payment)}: ${words.sentence}`,
      who: linkCustomer(context, payment.customerId, names),
      since: payment.updatedAt,
      action: renderNext(words, payment.key),
      now: journalNow,
    }
  }
  const toTransactionNeed =
    (since: 'createdAt' | 'updatedAt') =>
    (transaction: LooseTransaction): Need => {
      const words = findWords('transaction', transaction.transactionStatus)
      return {
        what: html`${linkTransaction(context, transaction)}: ${words.sentence}`,
        who: linkCustomer(context, transaction.customerId, names),
        since: transaction[since],
        action: renderNext(words, ''),
        now,
      }
    }
  const toCustomerNeed = ({customerId, customerStatus, name, updatedAt}: LooseCustomer): Need => {
    const words = findWords('customer', customerStatus)
    return {
      what: words.sentence,
      who: linkCustomer(context, customerId, {}, toText(name)),
      since: updatedAt,
      action: renderNext(words, toText(customerId)),
      now,
    }
  }
  const ended = [
    ...attention.failedTransactions.map(toTransactionNeed('updatedAt')),
    ...attention.rejectedCustomers.map(toCustomerNeed),
  ]
  const waiting = [
    ...attention.awaitingTransfers.map(toTransactionNeed('createdAt')),
    ...attention.corrections.map(toCustomerNeed),
  ]
  return [
    ...[...attention.unknownPayments, ...attention.failedPayments].map(toPaymentNeed),
    ...listApprovalNeeds(found, journalNow),
    ...listFleetNeeds(found, journalNow),
    ...ended.toSorted(byAge),
    ...waiting.toSorted(byAge),
  ]
}

const columns: Array<Column<Need>> = [
  {header: 'What', render: ({what}) => what},
  {header: 'Who', render: ({who}) => who},
  {header: 'For', render: ({since, now}) => renderAge(now, since), isShort: true},
  {header: 'What to do', render: ({action}) => action},
]

export async function renderNeeds(context: ConsoleContext, found: Found): Promise<Html> {
  const {transactions, customers, payments} = found
  const needs = listNeeds(context, found, await findNames(context, [...transactions.items, ...payments]))
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
