// What an operator looks at first in the morning: what needs a person, the most urgent first, the money of today, what is under way and late, and who waits
// for verification.
import type {Big} from 'big.js'
import {readCode} from '../../../contract/loose.ts'
import {roundAmount} from '../../../values/currencies.ts'
import {quoteForShell} from '../../../values/text.ts'
import {dayMs} from '../../../values/time.ts'
import {
  formatAmount,
  formatLag,
  formatMoney,
  renderCode,
  renderStatus,
  renderTime,
  toText,
  toTime,
  toWords,
} from '../../format.ts'
import {type Content, type Html, html} from '../../html.ts'
import {
  type Column,
  renderCard,
  renderCustomerLink,
  renderFigure,
  renderItemLink,
  renderTable,
  renderTransactionLink,
} from '../../parts.ts'
import {type ConsoleContext, paths} from '../context.ts'
import type {LooseCustomer, LooseTransaction} from '../source.ts'
import {compareToday, computeSettlementTimes, isOpen, rankCurrencies} from '../transaction-figures.ts'
import {type CustomerNames, findCustomerNames} from './list-page.ts'
import {formatSource} from './transactions.ts'

const recentDays = 7
const rowsMax = 10
const currenciesMax = 2
// So many times as long as usual is late.
const lateFactor = 3

// One thing that a person has to do.
interface Need {
  what: Content
  who: Content
  since: unknown
  action: Content
}

interface Found {
  transactions: readonly LooseTransaction[]
  customers: readonly LooseCustomer[]
}

const hasStatus = (status: string) => (transaction: LooseTransaction) =>
  readCode(transaction.transactionStatus) === status

const byAge = (one: {since: unknown}, other: {since: unknown}) => (toTime(one.since) ?? 0) - (toTime(other.since) ?? 0)

async function listPaymentNeeds(context: ConsoleContext): Promise<Need[]> {
  const {source} = context
  const payments = (await source.journal?.listPayments(source.readMax)) ?? []
  const unknown = payments.filter(({state}) => state === 'UNKNOWN')
  const names = await findCustomerNames(context, unknown)
  return unknown.map(({key, updatedAt, customerId, source: from}) => ({
    what: html`<a href="${context.link(paths.payment, {key})}">${toText(key)}</a>,
      ${formatMoney(from?.sourceAmount, from?.sourceCurrency)}: whether it was paid is not known`,
    who: renderCustomerLink(context, customerId, names.get(toText(customerId))),
    since: updatedAt,
    action: html`Find out: ${renderCode(`svc journal settle ${quoteForShell(key)}`)}`,
  }))
}

function listTransactionNeeds(context: ConsoleContext, {transactions}: Found, names: CustomerNames): Need[] {
  const isRecent = ({updatedAt}: LooseTransaction) => context.now - (toTime(updatedAt) ?? 0) <= recentDays * dayMs
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
    ...transactions
      .filter((each) => hasStatus('FAILED')(each) && isRecent(each))
      .map((each) => toNeed(each, 'failed: the money did not arrive', each.updatedAt, 'See why, and pay again')),
    ...transactions
      .filter(hasStatus('AWAITING_TRANSFER'))
      .map((each) => toNeed(each, 'waits for money from outside', each.createdAt, 'See where to send it')),
  ]
}

const listCustomerNeeds = (context: ConsoleContext, {customers}: Found): Need[] =>
  customers
    .filter(({customerStatus}) => readCode(customerStatus) === 'NEEDS_ADDITIONAL_INFORMATION')
    .map((customer) => ({
      what: 'Has to correct something to be verified',
      who: renderCustomerLink(context, customer.customerId, toText(customer.name)),
      since: customer.updatedAt,
      action: renderCustomerLink(context, customer.customerId, 'See what, and send the form'),
    }))

const renderAge = ({now}: ConsoleContext, since: unknown): Content => {
  const ms = toTime(since)
  return ms === undefined ? '' : html`<span title="${toText(since)}">${formatLag(Math.max(0, now - ms))}</span>`
}

const describeMore = (count: number, which = 'oldest'): string | undefined =>
  count > rowsMax ? `The ${rowsMax} ${which} of ${count}.` : undefined

export async function renderNeeds(context: ConsoleContext, found: Found): Promise<Html> {
  const names = await findCustomerNames(context, found.transactions)
  const needs = [
    ...(await listPaymentNeeds(context)),
    ...listTransactionNeeds(context, found, names),
    ...listCustomerNeeds(context, found).toSorted(byAge),
  ]
  const columns: Array<Column<Need>> = [
    {header: 'What', render: ({what}) => what},
    {header: 'Who', render: ({who}) => who},
    {header: 'For', render: ({since}) => renderAge(context, since), isShort: true},
    {header: 'What to do', render: ({action}) => action},
  ]
  const table = renderTable({
    id: 'needs',
    caption: 'What needs a person',
    columns,
    items: needs.slice(0, rowsMax),
    empty: 'Nothing needs you now.',
  })
  return renderCard(needs.length > 0 ? `Needs you: ${needs.length}` : 'Needs you', table, {
    note: describeMore(needs.length, 'most urgent'),
  })
}

const describeUsual = (usual: Big | undefined, currency: string, days: number): string =>
  usual
    ? `${formatAmount(roundAmount(usual.toFixed(), currency))} ${currency} on an average day of the last ${days}.`
    : 'There is no day before to compare it with.'

// Of each currency that is used much, what was sent today.
export const renderToday = ({now}: ConsoleContext, {transactions}: Found): Html[] =>
  rankCurrencies(transactions)
    .map((currency) => ({currency, ...compareToday(transactions, currency, now)}))
    .filter(({today, usual}) => today.gt('0') || usual?.gt('0'))
    .slice(0, currenciesMax)
    .map(({currency, today, count, usual, days}) => {
      return renderFigure(
        `Sent today in ${currency}`,
        `${formatAmount(roundAmount(today.toFixed(), currency))} ${currency}`,
        [
          `${count === 1 ? '1 transaction' : `${count} transactions`} since midnight UTC. ${describeUsual(usual, currency, days)}`,
        ],
      )
    })

export async function renderUnderWay(context: ConsoleContext, {transactions}: Found): Promise<Html> {
  const usual = new Map(computeSettlementTimes(transactions).map(({method, medianMs}) => [method, medianMs]))
  const open = transactions
    .filter((each) => isOpen(each) && !hasStatus('AWAITING_TRANSFER')(each))
    .map((transaction) => {
      const usualMs = usual.get(toText(transaction.destination?.destinationPaymentMethod))
      const ageMs = context.now - (toTime(transaction.createdAt) ?? context.now)
      return {transaction, since: transaction.createdAt, usualMs, isLate: ageMs > (usualMs ?? dayMs) * lateFactor}
    })
    .toSorted(byAge)
  const names = await findCustomerNames(context, transactions)
  const late = open.filter(({isLate}) => isLate).length
  const columns: Array<Column<(typeof open)[number]>> = [
    {
      header: 'Transaction',
      render: ({transaction: each}) => renderTransactionLink(context, each.transactionId, each.customerId),
    },
    {
      header: 'Customer',
      render: ({transaction: {customerId}}) => renderCustomerLink(context, customerId, names.get(toText(customerId))),
    },
    {header: 'Sent', render: ({transaction}) => formatSource(transaction), isNumber: true},
    {header: 'For', render: ({since}) => renderAge(context, since), isShort: true},
    {header: 'Usually', render: ({usualMs}) => usualMs !== undefined && formatLag(usualMs), isShort: true},
    {
      header: 'Status',
      render: ({transaction, isLate}) =>
        isLate ? renderStatus('LATE', 'bad') : renderStatus(transaction.transactionStatus),
    },
  ]
  const table = renderTable({
    id: 'under-way',
    caption: 'Transactions under way',
    columns,
    items: open.slice(0, rowsMax),
    empty: 'No money is under way.',
  })
  const title = open.length === 0 ? 'Under way' : `Under way: ${open.length}${late > 0 ? `, ${late} late` : ''}`
  return renderCard(title, table, {note: describeMore(open.length)})
}

// In these statuses the next step is the service's or the customer's.
const waitingStatuses = new Set(['CREATED', 'UNDER_REVIEW'])

export function renderWaiting(context: ConsoleContext, {customers}: Found): Html {
  const waiting = customers
    .filter(({customerStatus}) => waitingStatuses.has(readCode(customerStatus)))
    .map((customer) => ({customer, since: customer.updatedAt}))
    .toSorted(byAge)
  const columns: Array<Column<(typeof waiting)[number]>> = [
    {
      header: 'Customer',
      render: ({customer}) => renderCustomerLink(context, customer.customerId, toText(customer.name)),
    },
    {
      header: 'Waits for',
      render: ({customer: {customerStatus}}) =>
        readCode(customerStatus) === 'CREATED'
          ? 'its data, which nobody has sent'
          : `the service: ${toWords(customerStatus)}`,
    },
    {header: 'For', render: ({since}) => renderAge(context, since), isShort: true},
    {header: 'Since (UTC)', render: ({since}) => renderTime(since), isMinor: true},
  ]
  const table = renderTable({
    id: 'waiting',
    caption: 'Who waits for verification',
    columns,
    items: waiting.slice(0, rowsMax),
    empty: 'Nobody waits for verification.',
  })
  return renderCard(
    waiting.length > 0 ? `Waiting for verification: ${waiting.length}` : 'Waiting for verification',
    table,
    {
      note: describeMore(waiting.length),
    },
  )
}
