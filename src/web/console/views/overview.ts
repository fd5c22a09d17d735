// The first page of the console: what needs a person, the money of today, what is under way, and who waits.
import {customerStatuses} from '../../../contract/vocabulary.ts'
import {readCode} from '../../../contract/loose.ts'
import {countNoun} from '../../../values/text.ts'
import {dayMs} from '../../../values/time.ts'
import {type Content, html, type Html} from '../../html.ts'
import {
  type ConsoleContext,
  type ConsolePage,
  type NewestItems,
  type Outcome,
  paths,
  readNewest,
  tryRead,
} from '../context.ts'
import {getTone, toWords} from '../../format.ts'
import {renderBars, renderCard, renderFailure} from '../../parts.ts'
import type {LooseCustomer} from '../source.ts'
import {renderCaps, renderFleet, renderLastMonth, renderRepeated, renderToday} from './figures.ts'
import {type Found, recentDays, renderNeeds, renderUnderWay, renderWaiting} from './work-list.ts'

// How many customers are in each status.
function renderStatuses({link}: ConsoleContext, {items, isCut}: NewestItems<LooseCustomer>): Html {
  const counts = Map.groupBy(items, ({customerStatus}) => readCode(customerStatus) || 'NO STATUS')
  const known: readonly string[] = customerStatuses
  const statuses = [...known, ...[...counts.keys()].filter((status) => !known.includes(status))]
  const bars = statuses.flatMap((status) => {
    const value = counts.get(status)?.length ?? 0
    const label = html`<a href="${link(paths.customers, {status})}">${toWords(status)}</a>`
    return value === 0 ? [] : [{label, value, tone: getTone(status)}]
  })
  const note = isCut ? `Among the newest ${items.length}.` : `${countNoun(items.length, 'customer')} in all.`
  return renderCard('Customers', renderBars('statuses', bars), {note})
}

// What failed for the same reason is said once.
const listFailures = (...outcomes: ReadonlyArray<Outcome<unknown>>): Content =>
  [...new Set(outcomes.map(({failure}) => failure).filter((failure) => failure !== undefined))].map(renderFailure)

// What the journal of this machine knows. Nothing where there is none.
async function readJournal({source: {journal, readMax}, now}: ConsoleContext) {
  const sinceMs = (journal?.readNow?.() ?? now) - recentDays * dayMs
  const [open = [], newest = [], dealtWith] = await Promise.all([
    journal?.listOpenPayments(sinceMs),
    journal?.listPayments(readMax),
    journal?.listDealtWith(),
  ])
  return {open, newest, dealtWith}
}

async function readControls({source, now}: ConsoleContext) {
  const controls = source.journal?.controls
  const [approvals = [], caps = [], fleet] = await Promise.all([
    controls?.listApprovalsAsked(),
    controls?.listCaps(now),
    controls?.readFleet(),
  ])
  return {approvals, caps, fleet}
}

const nothing = {items: [], isCut: false}

async function readAll(context: ConsoleContext) {
  const {source} = context
  const [transactions, customers, journal, controls] = await Promise.all([
    tryRead(context, () => readNewest((page) => source.listTransactions(page), source.readMax)),
    tryRead(context, () => readNewest((page) => source.listCustomers(page), source.readMax)),
    tryRead(context, () => readJournal(context)),
    tryRead(context, () => readControls(context)),
  ])
  const {approvals = [], caps = [], fleet} = controls.value ?? {}
  const found: Found = {
    transactions: transactions.value ?? nothing,
    customers: customers.value ?? nothing,
    payments: journal.value?.open ?? [],
    dealtWith: journal.value?.dealtWith ?? new Set(),
    approvals,
    fleet,
  }
  const payments = journal.value?.newest ?? []
  return {transactions, customers, payments, found, caps, failed: [journal, controls, transactions, customers]}
}

export async function renderOverview(context: ConsoleContext): Promise<ConsolePage> {
  const {transactions, customers, payments, found, caps, failed} = await readAll(context)
  const needs = await tryRead(context, () => renderNeeds(context, found))
  const underWay = transactions.value && (await renderUnderWay(context, found))
  return {
    title: 'Overview',
    status: transactions.failure !== undefined && customers.failure !== undefined ? 502 : 200,
    body: [
      html`<div class="head"><h1>Overview</h1></div>`,
      html`<div id="work" data-live>
        ${listFailures(...failed, needs)} ${needs.value}
        <div class="columns three">
          ${transactions.value && [renderToday(context, transactions.value), renderLastMonth(context, transactions.value)]}
          ${renderCaps(caps)} ${renderFleet(context, found.fleet)}
        </div>
        ${renderRepeated(context, payments, found.transactions.items)}
        <div class="grid">${underWay} ${customers.value && renderWaiting(context, found)}</div>
        ${customers.value && renderStatuses(context, customers.value)}
      </div>`,
    ],
  }
}
