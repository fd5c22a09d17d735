// Renders a report as one HTML file with charts, which needs no script and no network, and prints on A4.
import {Big} from 'big.js'
import type {PartyNames} from '../accounts/account-names.ts'
import {dayMs, toInstantMs} from '../values/time.ts'
import {formatAmount, toText} from '../web/format.ts'
import {type Content, type Html, html} from '../web/html.ts'
import {renderPageFile} from '../web/page.ts'
import {type Column, renderCard, renderTable} from '../web/parts.ts'
import {type BarGroup, type Point, renderBarChart, renderLineChart} from '../web/render-chart.ts'
import {type OmittedPayment, titlePeriod} from './books.ts'
import {
  type CurrencyTotal,
  type DaySums,
  type PayeeTotal,
  type RateSummary,
  type ReceivedTotal,
  type Report,
  type ReportRow,
  computeMean,
} from './report.ts'

const omittedShownMax = 500
const payeesShownMax = 500

type Read<T> = (item: T) => Content

const createText = <T>(header: string, read: Read<T>): Column<T> => ({header, render: read, isLong: true})
const createLabel = <T>(header: string, read: Read<T>): Column<T> => ({header, render: read, isShort: true})
const createNumber = <T>(header: string, read: Read<T>): Column<T> => ({header, render: read, isNumber: true})
const formatCount = (value: number) => (value === 0 ? '' : String(value))

const totalColumns: Array<Column<CurrencyTotal>> = [
  createLabel('Currency', (total) => toText(total.currency)),
  createNumber('Payments', (total) => total.payments),
  createNumber('Paid', (total) => formatAmount(total.paid)),
  createNumber('Service fee', (total) => formatAmount(total.svcFee)),
  createNumber('Developer fee', (total) => formatAmount(total.developerFee)),
  createNumber('Fees', (total) => total.feePercent && `${total.feePercent} %`),
  createNumber('Failed', (total) => formatCount(total.failed)),
  createNumber('Open', (total) => formatCount(total.open)),
  createNumber('Unknown', (total) => formatCount(total.unknown)),
]

const receivedColumns: Array<Column<ReceivedTotal>> = [
  createLabel('Currency', (total) => toText(total.currency)),
  createNumber('Payments', (total) => total.payments),
  createNumber('Received', (total) => formatAmount(total.received)),
  createNumber('Rounding', (total) => total.difference),
]

const createPayeeColumns = (names: PartyNames | undefined): Array<Column<PayeeTotal>> => [
  createText('Payee', ({customerId, accountId}) =>
    renderNamed(names?.describeAccount(customerId, accountId), accountId),
  ),
  createNumber('Payments', (payee) => payee.payments),
  createNumber('Received', (payee) => toText(`${formatAmount(payee.received)} ${payee.currency}`)),
]

const rateColumns: Array<Column<RateSummary>> = [
  createLabel('Currencies', (rate) => toText(`${rate.currency} to ${rate.destinationCurrency}`)),
  createNumber('Payments', (rate) => rate.payments),
  createNumber('Mean', (rate) => rate.meanRate),
  createNumber('Lowest', (rate) => rate.lowestRate),
  createNumber('Highest', (rate) => rate.highestRate),
]

const describeUnpaid = ({failed, open, unknown}: ReportRow): string =>
  Object.entries({failed, open, unknown})
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ')

const renderNote = (key: string | undefined, note: string | undefined): Content =>
  note ? html`${toText(key)}<br />${toText(note)}` : toText(key)

// A name, and the id behind it; the id alone if the name is not known.
const renderNamed = (name: string | undefined, id: string | undefined): Content =>
  name ? html`${toText(name)}<br /><span class="note">${toText(id)}</span>` : toText(id)

const createPlaceColumns = (names: PartyNames | undefined): Array<Column<ReportRow>> => [
  createText(
    'Customer and account',
    ({customerId, accountId}) =>
      html`${renderNamed(names?.nameCustomer(customerId), customerId)}<br />${renderNamed(
          names?.nameAccount(customerId, accountId)?.bank,
          accountId,
        )}`,
  ),
  createLabel('Currencies', (row) => toText(`${row.currency} to ${row.destinationCurrency}`)),
  createNumber('Payments', (row) => row.payments),
]

// Two tables, because one would be too wide for paper.
const createRowColumns = (names: PartyNames | undefined): Array<Column<ReportRow>> => [
  ...createPlaceColumns(names),
  createNumber('Paid', (row) => formatAmount(row.paid)),
  createNumber('Service fee', (row) => formatAmount(row.svcFee)),
  createNumber('Developer fee', (row) => formatAmount(row.developerFee)),
  createNumber('Received', (row) => formatAmount(row.received)),
  createLabel('Not paid', describeUnpaid),
]

const createRateColumns = (names: PartyNames | undefined): Array<Column<ReportRow>> => [
  ...createPlaceColumns(names),
  createNumber('Rate', (row) => row.rate),
  createNumber('Mean', (row) => row.meanRate),
  createNumber('Against the mean', (row) => row.abovePercent && `${row.abovePercent} %`),
]

const createOmittedColumns = (names: PartyNames | undefined): Array<Column<OmittedPayment>> => [
  createLabel('Kind', (one) => one.kind),
  createText('Key', (one) => renderNote(one.key, one.note)),
  createText('Payee', ({customerId, destinationAccountId}) =>
    renderNamed(names?.describeAccount(customerId, destinationAccountId), destinationAccountId),
  ),
  createText('Transaction', (one) => toText(one.transactionId)),
  createNumber('Amount', (one) => one.amount && toText(`${formatAmount(one.amount)} ${one.currency ?? ''}`)),
  createLabel('When (UTC)', (one) => one.at.slice(0, 16).replace('T', ' ')),
  createText('What', (one) => toText(one.detail)),
]

const renderTitle = ({since, until}: Report['period']): string =>
  titlePeriod({sinceMs: toInstantMs(since), untilMs: toInstantMs(until)})

function renderPayees({payees}: Report, names: PartyNames | undefined): Html {
  const items = payees.slice(0, payeesShownMax)
  const note =
    payees.length > items.length && `The first ${items.length} of ${payees.length}; svc report --json has all of them.`
  const columns = createPayeeColumns(names)
  const table = renderTable({id: 'payees', caption: 'What each payee received', columns, items, empty: 'None.'})
  return renderCard('By payee', table, {isLong: true, ...(note && {note})})
}

function renderOmitted({omitted}: Report, names: PartyNames | undefined): Html {
  const shown = omitted.slice(0, omittedShownMax)
  const note =
    omitted.length > shown.length
      ? `The first ${shown.length} of ${omitted.length}; svc report --json has all of them.`
      : 'These payments are not part of the figures above.'
  const table = renderTable({
    id: 'omitted',
    caption: 'Payments that are not posted',
    columns: createOmittedColumns(names),
    items: shown,
    empty: 'None.',
  })
  return renderCard('Failed, open and unknown', table, {note, isLong: true})
}

const renderLong = (title: string, id: string, columns: Array<Column<ReportRow>>, items: readonly ReportRow[]): Html =>
  renderCard(title, renderTable({id, caption: title, columns, items, empty: 'None.'}), {isLong: true})

interface PageSettings {
  // The name of the profile.
  title: string
  // Who is behind the ids. Without them, the page has ids alone.
  names?: PartyNames | undefined
}

export function renderReportPage(report: Report, {title: name, names}: PageSettings): string {
  const {totals, received, rates, rows, payments, foreign, period} = report
  const empty = 'None.'
  const others =
    foreign > 0 &&
    ` ${foreign} more ${foreign === 1 ? 'transaction was' : 'transactions were'} completed that svc did not make.`
  return renderPageFile(
    `Payments of ${toText(name)}: ${renderTitle(period)}`,
    html`<header>
        <h1>Payments of ${toText(name)}</h1>
        <p class="note">
          ${renderTitle(period)}. Times are in UTC. ${payments} ${payments === 1 ? 'payment' : 'payments'}
          completed.${others}
        </p>
      </header>
      ${renderCard(
        'By currency',
        renderTable({
          id: 'totals',
          caption: 'What was paid, by currency',
          columns: totalColumns,
          items: totals,
          empty,
        }),
      )}
      <div class="grid">${renderReportCharts(report)}</div>
      ${renderCard(
        'Received',
        renderTable({id: 'received', caption: 'What arrived', columns: receivedColumns, items: received, empty}),
        {note: 'Rounding is what the rates give beyond what arrived.'},
      )}
      ${renderCard('Rates', renderTable({id: 'rates', caption: 'Rates', columns: rateColumns, items: rates, empty}), {
        note: 'The mean is weighted by amount.',
      })}
      ${renderPayees(report, names)}
      ${renderLong('By customer, account and currency', 'rows', createRowColumns(names), rows)}
      ${renderLong(
        'Rates against the mean',
        'row-rates',
        createRateColumns(names),
        rows.filter((row) => row.rate !== undefined),
      )}
      ${renderOmitted(report, names)}`,
  )
}

// The charts of a report: amounts and fees over time by currency, and rates over time by pair of currencies.
const chartsMax = 4
const daysMax = 62
const dayLength = 'YYYY-MM-DD'.length
const monthLength = 'YYYY-MM'.length

const toDay = (ms: number) => new Date(ms).toISOString().slice(0, dayLength)

// Every day from the first payment to the last, so that a day without any is visible; months if there are too many days.
function listSteps(days: readonly DaySums[]): {steps: string[]; length: number} {
  const known = days.map(({day}) => day).toSorted()
  const [first, last] = [toInstantMs(known[0]), toInstantMs(known.at(-1))]
  if (first === undefined || last === undefined) return {steps: [], length: dayLength}
  const length = (last - first) / dayMs < daysMax ? dayLength : monthLength
  const steps = new Set<string>()
  for (let at = first; at <= last; at += dayMs) steps.add(toDay(at).slice(0, length))
  return {steps: [...steps], length}
}

const sum = (days: readonly DaySums[], read: (day: DaySums) => Big) =>
  days.reduce((total, day) => total.plus(read(day)), new Big('0'))

function renderCurrency(report: Report, currency: string, index: number): Html[] {
  const {steps, length} = listSteps(report.days)
  const own = report.days.filter((each) => each.currency === currency)
  const groupSteps = (name: (days: readonly DaySums[]) => BarGroup['parts']): BarGroup[] =>
    steps.map((step) => ({label: step, parts: name(own.filter(({day}) => day.slice(0, length) === step))}))
  const paid = groupSteps((days) => [{name: 'Paid', value: sum(days, (day) => day.paid)}])
  const fees = groupSteps((days) => [
    {name: 'Service fee', value: sum(days, (day) => day.svcFee)},
    {name: 'Developer fee', value: sum(days, (day) => day.developerFee)},
  ])
  return [
    renderCard(
      `Paid in ${currency}`,
      renderBarChart({id: `paid-${index}`, summary: `What was paid in ${currency} over time`, unit: currency}, paid),
    ),
    renderCard(
      `Fees in ${currency}`,
      renderBarChart({id: `fees-${index}`, summary: `Fees in ${currency} over time`, unit: currency}, fees),
    ),
  ]
}

function renderRates({days}: Report, {currency, destinationCurrency}: Report['rates'][number], index: number): Html {
  const {steps, length} = listSteps(days)
  const pair = `${currency} to ${destinationCurrency}`
  const points = steps.flatMap((step): Point[] => {
    const own = days.filter(
      (each) =>
        each.currency === currency &&
        each.destinationCurrency === destinationCurrency &&
        each.day.slice(0, length) === step,
    )
    const value = computeMean({net: sum(own, (day) => day.net), converted: sum(own, (day) => day.converted)})
    if (!value) return []
    // A month begins on its first day.
    return [{atMs: toInstantMs(step.padEnd(dayLength, '-01')) ?? 0, label: step, value}]
  })
  return renderCard(
    `Rate, ${pair}`,
    renderLineChart({id: `rate-${index}`, summary: `The mean rate of ${pair} over time`, unit: pair}, points),
  )
}

// The currencies and pairs with the most payments.
function renderReportCharts(report: Report): Html[] {
  const byCount = <T extends {payments: number}>(items: readonly T[]) =>
    items
      .filter(({payments}) => payments > 0)
      .toSorted((one, other) => other.payments - one.payments)
      .slice(0, chartsMax)
  return [
    ...byCount(report.totals).flatMap(({currency}, index) => renderCurrency(report, currency, index)),
    ...byCount(report.rates).map((pair, index) => renderRates(report, pair, index)),
  ]
}
