// What needs a person, the most urgent first, each with what to do about it.
import {readCode} from '../../contract/loose.ts'
import {countNoun, quoteForShell} from '../../values/text.ts'
import {dayMs, secondMs} from '../../values/time.ts'
import {formatLag, formatMoney, renderCode, toText, toTime} from '../format.ts'
import {type Content, type Html, html} from '../html.ts'
import {type Column, renderCard, renderItemLink, renderTable} from '../parts.ts'
import {type ConsoleContext, type Cut, addCount, paths, sayNone} from './context.ts'
import {type CustomerNames, findNames, linkCustomer} from './noun.ts'
import {formatPaid, linkPayment} from './payments.ts'
import type {FleetState, JournalPayment, LooseCustomer, LooseTransaction, WaitingApproval} from './source.ts'
import {formatSource} from './transactions.ts'

// What an operator has to look at within so many days.
export const recentDays = 7
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

const paymentNeeds: Readonly<Record<string, string>> = {
  UNKNOWN: 'whether it was paid is not known',
  ARMED: 'whether it was paid is not known',
  REJECTED: 'the service refused it',
  STOPPED: 'svc did not send it',
  INTENDED: 'it was begun, and is not sent',
  QUOTED: 'it was begun, and is not sent',
}

// One that is being paid is in these states for a moment.
const begunStates = new Set(['INTENDED', 'QUOTED', 'ARMED'])
const begunMaxMs = 20 * secondMs

// What was stopped before the time that it was meant for needs nobody.
export const hasCome = ({slot}: JournalPayment, now: number) => (toTime(slot) ?? 0) <= now

// What is unknown stays until it is known, however old; the rest for some days.
function listPaymentNeeds(context: ConsoleContext, {payments}: Found, names: CustomerNames): Need[] {
  const now = readJournalNow(context)
  const isUnknown = ({state}: JournalPayment) => state === 'UNKNOWN' || state === 'ARMED'
  const found = payments.filter((payment) => {
    const age = now - (toTime(payment.updatedAt) ?? 0)
    if (begunStates.has(payment.state) && age <= begunMaxMs) return false
    return isUnknown(payment) || (paymentNeeds[payment.state] && age <= recentDays * dayMs && hasCome(payment, now))
  })
  const [unknown, others] = [found.filter(isUnknown), found.filter((payment) => !isUnknown(payment))]
  return [...unknown, ...others].map((payment) => ({
    what: html`${linkPayment(context, payment)}, ${formatPaid(payment)}: ${paymentNeeds[payment.state]}`,
    who: linkCustomer(context, payment.customerId, names.get(toText(payment.customerId))),
    since: payment.updatedAt,
    action: isUnknown(payment)
      ? html`Find out: ${renderCode(`svc journal settle ${quoteForShell(payment.key)}`)}`
      : html`<a href="${context.link(paths.payment, {key: payment.key})}">See why, and pay again</a>`,
  }))
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

// By status: what is wrong, what the link says, and whether it is shown for some days only, before what has waited for longer.
interface StatusNeed {
  what: string
  action: string
  isRecent?: true
}

const transactionNeeds: Readonly<Record<string, StatusNeed>> = {
  FAILED: {what: 'failed: the money did not arrive', action: 'See why, and pay again', isRecent: true},
  AWAITING_TRANSFER: {what: 'waits for money from outside', action: 'See where to send it'},
}

const customerNeeds: Readonly<Record<string, StatusNeed>> = {
  REJECTED: {what: 'Was refused, and cannot be paid', action: 'See why', isRecent: true},
  NEEDS_ADDITIONAL_INFORMATION: {
    what: 'Has to correct something to be verified',
    action: 'See what, and send the form',
  },
}

function listServiceNeeds(context: ConsoleContext, {transactions, customers, dealtWith}: Found, names: CustomerNames) {
  const ofTransactions = transactions.items
    .filter(({transactionId}) => !dealtWith.has(toText(transactionId)))
    .flatMap((transaction) => {
      const {transactionId: id, customerId, transactionStatus, createdAt, updatedAt} = transaction
      const need = transactionNeeds[readCode(transactionStatus)]
      if (!need) return []
      return {
        isRecent: need.isRecent === true,
        what: `${formatSource(transaction)} ${need.what}`,
        who: linkCustomer(context, customerId, names.get(toText(customerId))),
        since: need.isRecent ? updatedAt : createdAt,
        action: renderItemLink(context, {path: paths.transaction, id, customerId, text: need.action}),
      }
    })
  const ofCustomers = customers.items.flatMap(({customerId, name, customerStatus, updatedAt}) => {
    const need = customerNeeds[readCode(customerStatus)]
    if (!need) return []
    return {
      isRecent: need.isRecent === true,
      what: need.what,
      who: linkCustomer(context, customerId, toText(name)),
      since: updatedAt,
      action: linkCustomer(context, customerId, need.action),
    }
  })
  const all = [...ofTransactions, ...ofCustomers].toSorted(byAge)
  const recent = all.filter(({isRecent, since}) => isRecent && context.now - (toTime(since) ?? 0) <= recentDays * dayMs)
  return [...recent, ...all.filter(({isRecent}) => !isRecent)]
}

// Payments come first: what is unknown must not be paid again, and what was refused is owed.
export async function renderNeeds(context: ConsoleContext, found: Found): Promise<Html> {
  const {transactions, customers, payments} = found
  const names = await findNames(context, [...transactions.items, ...payments])
  const journalNow = readJournalNow(context)
  const ours = [...listPaymentNeeds(context, found, names), ...listApprovalNeeds(found), ...listFleetNeeds(found)]
  const needs = [
    ...ours.map((need) => ({...need, now: journalNow})),
    ...listServiceNeeds(context, found, names).map((need) => ({...need, now: context.now})),
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
