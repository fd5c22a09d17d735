// The first page of the console: what needs a person, the money of today, what is under way, and who waits.
import {Big} from 'big.js'
import {hasFinalStatus, readBadEnding, readCode} from '../../contract/loose.ts'
import {customerStatuses} from '../../contract/vocabulary.ts'
import {attentionDays} from '../../values/attention.ts'
import {roundAmount} from '../../values/currencies.ts'
import {parsePositiveDecimal} from '../../values/money.ts'
import {countNoun} from '../../values/text.ts'
import {dayMs} from '../../values/time.ts'
import {formatAmount, renderStatus, toCurrency, toText, toTime, toWords} from '../format.ts'
import {getTone} from '../tones.ts'
import {type Content, type Html, html} from '../html.ts'
import {type Column, renderBars, renderCard, renderFailure, renderFigure, renderTable} from '../parts.ts'
import {
  type ConsoleContext,
  type ConsolePage,
  type Cut,
  addCount,
  paths,
  readNewest,
  sayNone,
  tryRead,
} from './context.ts'
import {byAge, readJournalNow, renderAge, renderNeeds} from './needs.ts'
import {findNames, linkCustomer} from './noun.ts'
import type {LooseCustomer, LooseTransaction} from './source.ts'
import {isToBeSent, linkTransaction} from './transactions.ts'

const rowsMax = 10
const notAddedUp = 'Not added up'

// The transactions that were made since then and did not end badly. Undefined if the list was read
// in part, and not as far back.
function findSince({items, isCut}: Cut<LooseTransaction>, fromMs: number): LooseTransaction[] | undefined {
  const getMs = ({createdAt}: LooseTransaction) => toTime(createdAt) ?? 0
  if (isCut && items.every((each) => getMs(each) > fromMs)) return undefined
  return items.filter((each) => getMs(each) >= fromMs && !readBadEnding(each))
}

// Exactly, as decimals, and each currency by itself.
export function addUp(amounts: readonly (readonly [currency: unknown, amount: unknown])[]): string {
  const sums = new Map<string, Big>()
  for (const [currency, amount] of amounts) {
    const label = toCurrency(currency)
    const value = parsePositiveDecimal(toText(amount))
    if (label !== '' && value?.gt('0')) sums.set(label, (sums.get(label) ?? new Big(0)).plus(value))
  }
  return [...sums]
    .map(([currency, sum]) => `${formatAmount(roundAmount(sum.toFixed(), currency))} ${currency}`)
    .join(', ')
}

// What was sent since midnight UTC.
function renderToday({now}: ConsoleContext, list: Cut<LooseTransaction>): Html {
  const today = findSince(list, Math.floor(now / dayMs) * dayMs)
  if (!today)
    return renderFigure('Sent today', notAddedUp, [
      `More than the newest ${list.items.length} transactions are of today.`,
    ])
  const addUpSources = (items: readonly LooseTransaction[]) =>
    addUp(items.map(({source}) => [source?.sourceCurrency, source?.sourceAmount]))
  const sent = today.filter((each) => !isToBeSent(each))
  const rest = addUpSources(today.filter(isToBeSent))
  return renderFigure('Sent today', addUpSources(sent) || 'Nothing', [
    `${countNoun(sent.length, 'transaction')} since midnight UTC.`,
    rest !== '' && `${rest} still to be sent.`,
  ])
}

// The fees of this month (UTC) so far, of every transaction of the service. `svc report` has those
// of the journal.
function renderFees({now}: ConsoleContext, list: Cut<LooseTransaction>): Html {
  const date = new Date(now)
  const start = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth()))
  const made = findSince(list, start.getTime())
  const fees = made?.flatMap(({fees: charged}) =>
    [charged?.svcFee, charged?.developerFee].map((fee) => [charged?.feeCurrency, fee?.feeAmount] as const),
  )
  return renderFigure(
    `Fees in ${start.toLocaleString('en-GB', {month: 'long', year: 'numeric', timeZone: 'UTC'})}`,
    fees ? addUp(fees) || 'None' : notAddedUp,
    [made && `Of ${countNoun(made.length, 'transaction')} so far, whoever made them.`],
  )
}

interface Waiting {
  what: Content
  status: unknown
  since: unknown
}

// The oldest of what goes on. A count, or that there is none, is said only of a whole list.
function renderOldest(
  {now}: ConsoleContext,
  list: Cut<unknown>,
  found: readonly Waiting[],
  {title, id, none}: {title: string; id: string; none: string},
): Html {
  const columns: Array<Column<Waiting>> = [
    {header: 'What', render: ({what}) => what},
    {header: 'Status', render: ({status}) => renderStatus(status)},
    {header: 'For', render: ({since}) => renderAge(now, since), isShort: true},
  ]
  const items = found.toSorted(byAge).slice(0, rowsMax)
  const isPart = list.isCut || found.length > rowsMax
  const note = isPart && items.length > 0 && sayNone(list, `The ${items.length} oldest`)
  return renderCard(
    addCount(title, found.length, list),
    renderTable({id, caption: title, columns, items, empty: sayNone(list, none)}),
    {note},
  )
}

async function renderUnderWay(context: ConsoleContext, list: Cut<LooseTransaction>): Promise<Html> {
  const open = list.items.filter(
    (each) => !hasFinalStatus(each) && readCode(each.transactionStatus) !== 'AWAITING_TRANSFER',
  )
  const names = await findNames(context, open)
  const found = open.map((each) => ({
    what: html`${linkTransaction(context, each)} ${linkCustomer(context, each.customerId, names)}`,
    status: each.transactionStatus,
    since: each.createdAt,
  }))
  return renderOldest(context, list, found, {title: 'Under way', id: 'under-way', none: 'No money is under way'})
}

function renderWaiting(context: ConsoleContext, list: Cut<LooseCustomer>): Html {
  const found = list.items
    .filter(({customerStatus}) => readCode(customerStatus) === 'UNDER_REVIEW')
    .map(({customerId, name, customerStatus, updatedAt}) => ({
      what: linkCustomer(context, customerId, {}, toText(name)),
      status: customerStatus,
      since: updatedAt,
    }))
  const words = {title: 'Waiting for verification', id: 'waiting', none: 'Nobody waits for verification'}
  return renderOldest(context, list, found, words)
}

// How many customers are in each status.
function renderStatuses({link}: ConsoleContext, {items, isCut}: Cut<LooseCustomer>): Html {
  const counts = Map.groupBy(items, ({customerStatus}) => readCode(customerStatus) || 'NO STATUS')
  const bars = [...new Set<string>([...customerStatuses, ...counts.keys()])].flatMap((status) => {
    const value = counts.get(status)?.length ?? 0
    const label = html`<a href="${link(paths.customers, {status})}">${toWords(status)}</a>`
    return value === 0 ? [] : [{label, value, tone: getTone(status)}]
  })
  const note = isCut ? `Among the newest ${items.length}.` : `${countNoun(items.length, 'customer')} in all.`
  return renderCard('Customers', renderBars('statuses', bars), {note})
}

const nothing = {items: [], isCut: false}

export async function renderOverview(context: ConsoleContext): Promise<ConsolePage> {
  const {source} = context
  const {journal} = source
  const since = readJournalNow(context) - attentionDays * dayMs
  const [transactions, customers, journalRead, controls] = await Promise.all([
    tryRead(context, () => readNewest((page) => source.listTransactions(page), source.readMax)),
    tryRead(context, () => readNewest((page) => source.listCustomers(page), source.readMax)),
    // What is unknown is asked for by its state, however old it is.
    tryRead(context, () => Promise.all([journal?.listOpenPayments(since), journal?.listDealtWith()])),
    tryRead(context, () => Promise.all([journal?.controls?.listApprovalsAsked(), journal?.controls?.readFleet()])),
  ])
  const [payments = [], dealtWith = new Set<string>()] = journalRead.value ?? []
  const [approvals = [], fleet] = controls.value ?? []
  const read = {transactions: transactions.value ?? nothing, customers: customers.value ?? nothing}
  const needs = await tryRead(context, () => renderNeeds(context, {...read, payments, dealtWith, approvals, fleet}))
  const failures = [journalRead, controls, transactions, customers, needs].map(({failure}) => failure)
  return {
    title: 'Overview',
    status: transactions.failure !== undefined && customers.failure !== undefined ? 502 : 200,
    body: [
      html`<div class="head"><h1>Overview</h1></div>`,
      html`<div id="work" data-live>
        ${[...new Set(failures)].map((failure) => failure !== undefined && renderFailure(failure))} ${needs.value}
        <div class="columns">
          ${transactions.value && [renderToday(context, read.transactions), renderFees(context, read.transactions)]}
        </div>
        <div class="grid">
          ${transactions.value && (await renderUnderWay(context, read.transactions))}
          ${customers.value && renderWaiting(context, customers.value)}
        </div>
        ${customers.value && renderStatuses(context, customers.value)}
      </div>`,
    ],
  }
}
