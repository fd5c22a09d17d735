// The first page of the console: the work list of the day, and below it charts of volume, fees, rates, verification and settlement.
import {customerStatuses} from '../../../contract/vocabulary.ts'
import {readCode} from '../../../contract/loose.ts'
import {type Content, html, type Html} from '../../html.ts'
import {
  type MoneyOverTime,
  computeFees,
  computeSettlementTimes,
  computeVolume,
  listRates,
  rankCurrencies,
  rankPairs,
} from '../transaction-figures.ts'
import {renderBarChart, renderBars, renderLineChart} from '../../render-chart.ts'
import {
  type ConsoleContext,
  type ConsolePage,
  type NewestItems,
  type Outcome,
  paths,
  readNewest,
  tryRead,
} from '../context.ts'
import {formatAmount, formatLag, getTone, toWords} from '../../format.ts'
import {renderCard, renderFailure} from '../../parts.ts'
import type {LooseTransaction} from '../source.ts'
import {countNoun} from '../../../values/text.ts'
import {renderCaps, renderFleet, renderLastMonth, renderRepeated, renderToday} from './figures.ts'
import {type Found, renderNeeds, renderUnderWay, renderWaiting} from './work-list.ts'

const choicesMax = 6
const methodsMax = 8

// Links that choose one of the values, if there are several.
function renderChoices(context: ConsoleContext, name: string, values: readonly string[], chosen: string): Content {
  if (values.length < 2) return undefined
  const {link, query} = context
  return html`<span class="choices">
    ${values
      .slice(0, choicesMax)
      .map((value) =>
        value === chosen
          ? html`<strong aria-current="true">${value}</strong> `
          : html`<a href="${link(paths.overview, {...query, [name]: value})}">${value}</a> `,
      )}
  </span>`
}

const choose = (values: readonly string[], requested: string | undefined) =>
  values.find((value) => value === requested) ?? values[0]

const describeUnreadable = ({unreadable}: MoneyOverTime) =>
  unreadable > 0 ? ` ${unreadable} amounts are not decimals and were left out.` : ''

function renderVolume(context: ConsoleContext, transactions: readonly LooseTransaction[]): Html {
  const currencies = rankCurrencies(transactions)
  const currency = choose(currencies, context.query['currency'])
  if (currency === undefined) return renderCard('Volume', html`<p class="none">No money has moved yet.</p>`)
  const volume = computeVolume(transactions, currency)
  const total = `${formatAmount(volume.total.toFixed())} ${currency}`
  return renderCard(
    'Volume',
    renderBarChart(
      {id: 'volume', summary: `Volume in ${currency} by ${volume.step}, ${total} in total`, unit: currency},
      volume.groups,
    ),
    {
      note: html`<strong>${total}</strong> sent, by ${volume.step}.${describeUnreadable(volume)}
        ${renderChoices(context, 'currency', currencies, currency)}`,
    },
  )
}

function renderFees(context: ConsoleContext, transactions: readonly LooseTransaction[]): Html {
  const currency = choose(rankCurrencies(transactions), context.query['currency'])
  const fees = currency === undefined ? undefined : computeFees(transactions, currency)
  if (!fees || fees.groups.length === 0) return renderCard('Fees', html`<p class="none">No fees were charged yet.</p>`)
  const total = `${formatAmount(fees.total.toFixed())} ${currency}`
  return renderCard(
    'Fees',
    renderBarChart(
      {id: 'fees', summary: `Fees in ${currency} by ${fees.step}, ${total} in total`, unit: currency ?? ''},
      fees.groups,
    ),
    {note: html`<strong>${total}</strong> charged, by ${fees.step}.${describeUnreadable(fees)}`},
  )
}

function renderRates(context: ConsoleContext, transactions: readonly LooseTransaction[]): Html {
  const pairs = rankPairs(transactions)
  const pair = choose(pairs, context.query['pair'])
  const points = pair === undefined ? [] : listRates(transactions, pair)
  const last = points.at(-1)
  if (pair === undefined || !last) {
    return renderCard('Rates', html`<p class="none">No currency was exchanged for another yet.</p>`)
  }
  const summary = `Rate of ${pair} in ${points.length} transactions, last ${last.value.toFixed()}`
  return renderCard('Rates', renderLineChart({id: 'rates', summary, unit: pair}, points), {
    note: html`<strong>${last.value.toFixed()}</strong> last, ${pair}. ${renderChoices(context, 'pair', pairs, pair)}`,
  })
}

function renderSettlement(transactions: readonly LooseTransaction[]): Html {
  const times = computeSettlementTimes(transactions).slice(0, methodsMax)
  if (times.length === 0)
    return renderCard('Time to settle', html`<p class="none">No transaction was completed yet.</p>`)
  const bars = times.map(({method, count, medianMs, slowestMs}) => ({
    label: html`${method} <small>${countNoun(count, 'transaction')}, slowest ${formatLag(slowestMs)}</small>`,
    value: medianMs,
    text: html`<strong>${formatLag(medianMs)}</strong>`,
  }))
  return renderCard('Time to settle', renderBars('settlement', bars, {hasLongLabels: true}), {
    note: 'Median from creation to the last update of completed transactions, by how the money arrives.',
  })
}

const describeCount = (count: number, isCut: boolean, noun: string) =>
  count === 1 && !isCut ? `One ${noun}.` : `${isCut ? 'The newest' : 'All'} ${countNoun(count, noun)}.`

interface CustomerCounts {
  counts: Readonly<Record<string, number>>
  note: string
}

async function countCustomers({source}: ConsoleContext): Promise<CustomerCounts> {
  if (source.countCustomers) return {counts: await source.countCustomers(), note: 'All customers.'}
  const {items, isCut} = await readNewest((page) => source.listCustomers(page), source.readMax)
  const counts: Record<string, number> = {}
  for (const {customerStatus} of items) {
    const status = readCode(customerStatus) || 'NO STATUS'
    counts[status] = (counts[status] ?? 0) + 1
  }
  return {counts, note: describeCount(items.length, isCut, 'customer')}
}

const sumCounts = (counts: Readonly<Record<string, number>>, statuses: readonly string[]) =>
  statuses.reduce((total, status) => total + (counts[status] ?? 0), 0)

// How far customers have come, then where those stand that have not arrived.
function renderFunnel({link}: ConsoleContext, {counts, note}: CustomerCounts): Html {
  const all = Object.values(counts).reduce((total, count) => total + count, 0)
  if (all === 0) return renderCard('Verification', html`<p class="none">There are no customers yet.</p>`)
  const share = (count: number) => `${Math.round((count / all) * 100)} %`
  const known: readonly string[] = customerStatuses
  // What a status means that the interface does not name is unknown.
  const submitted = sumCounts(
    counts,
    known.filter((status) => status !== 'CREATED'),
  )
  const approved = sumCounts(counts, ['ACTIVE', 'DEACTIVATED'])
  const others = Object.keys(counts).filter((status) => !known.includes(status))
  const stages = [
    {label: 'Registered', count: all, tone: 'quiet' as const},
    {label: 'Submitted', count: submitted, tone: 'quiet' as const},
    {label: 'Approved', count: approved, tone: 'good' as const},
  ]
  const statuses = [...customerStatuses, ...others].filter((status) => (counts[status] ?? 0) > 0)
  return renderCard(
    'Verification',
    html`<div class="columns">
      <div>
        <h3>How far they came</h3>
        ${renderBars(
          'funnel',
          stages.map(({label, count, tone}) => ({
            label,
            value: count,
            tone,
            text: html`<strong>${count}</strong> ${share(count)}`,
          })),
        )}
      </div>
      <div>
        <h3>Where they are</h3>
        ${renderBars(
          'statuses',
          statuses.map((status) => ({
            label: html`<a href="${link(paths.customers, {status})}">${toWords(status)}</a>`,
            value: counts[status] ?? 0,
            tone: getTone(status),
            text: html`<strong>${counts[status] ?? 0}</strong>`,
          })),
        )}
      </div>
    </div>`,
    {note, isWide: true},
  )
}

const describeRead = ({items, isCut}: NewestItems<LooseTransaction>) =>
  items.length === 1 && !isCut
    ? 'The charts show the only transaction.'
    : `The charts show ${isCut ? 'the newest' : 'all'} ${countNoun(items.length, 'transaction')}.`

// What failed for the same reason is said once.
const listFailures = (...outcomes: ReadonlyArray<Outcome<unknown>>): Content =>
  [...new Set(outcomes.map(({failure}) => failure).filter((failure) => failure !== undefined))].map(renderFailure)

// What the journal of this machine knows, and what the policy in it says. Nothing where there is none.
async function readControls({source, now}: ConsoleContext) {
  const controls = source.journal?.controls
  const [approvals = [], caps = [], fleet] = await Promise.all([
    controls?.listApprovalsAsked(),
    controls?.listCaps(now),
    controls?.readFleet(),
  ])
  return {approvals, caps, fleet}
}

async function readAll(context: ConsoleContext) {
  const {source} = context
  const [transactions, customers, counts, payments, controls] = await Promise.all([
    tryRead(context, () => readNewest((page) => source.listTransactions(page), source.readMax)),
    tryRead(context, () => readNewest((page) => source.listCustomers(page), source.readMax)),
    tryRead(context, () => countCustomers(context)),
    tryRead(context, async () => (await source.journal?.listPayments(source.readMax)) ?? []),
    tryRead(context, () => readControls(context)),
  ])
  const {approvals = [], caps = [], fleet} = controls.value ?? {}
  const found: Found = {
    transactions: transactions.value?.items ?? [],
    customers: customers.value?.items ?? [],
    payments: payments.value ?? [],
    approvals,
    fleet,
  }
  return {transactions, customers, counts, found, caps, failed: [payments, controls, transactions, customers]}
}

export async function renderOverview(context: ConsoleContext): Promise<ConsolePage> {
  const {transactions, customers, counts, found, caps, failed} = await readAll(context)
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
          ${renderToday(context, found.transactions)}
          ${transactions.value && renderLastMonth(context, transactions.value)} ${renderCaps(caps)}
          ${renderFleet(context, found.fleet)}
        </div>
        ${renderRepeated(context, found.payments, found.transactions)}
        <div class="grid">${underWay} ${customers.value && renderWaiting(context, found)}</div>
      </div>`,
      transactions.value && renderCharts(context, transactions.value),
      html`<details id="trends">
        <summary>Rates, time to settle and verification</summary>
        <div class="grid">
          ${
            transactions.value && [
              renderRates(context, transactions.value.items),
              renderSettlement(transactions.value.items),
            ]
          }
          ${counts.value && renderFunnel(context, counts.value)}
        </div>
      </details>`,
    ],
  }
}

const renderCharts = (context: ConsoleContext, newest: NewestItems<LooseTransaction>): Content => [
  html`<p class="note">${describeRead(newest)}</p>`,
  html`<div class="grid">${renderVolume(context, newest.items)} ${renderFees(context, newest.items)}</div>`,
]
