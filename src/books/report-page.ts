// Renders a report as one HTML file with charts, which needs no script and no network, and prints on A4: for somebody who knows
// money and does not know svc.
import {Big} from 'big.js'
import type {PartyNames} from '../accounts/account-names.ts'
import {roundAmount, roundDecimal, roundRate} from '../values/currencies.ts'
import {isZeroAmount} from '../values/money.ts'
import {capitalize, countNoun, endSentence} from '../values/text.ts'
import {dayMs, toInstantMs, toIsoDate} from '../values/time.ts'
import {formatAmount, toText} from '../web/format.ts'
import {type Content, type Html, html} from '../web/html.ts'
import {renderPageFile} from '../web/page.ts'
import {type Column, renderCard, renderFacts, renderFigure, renderTable} from '../web/parts.ts'
import {type BarGroup, type Point, renderBarChart, renderLineChart} from '../web/render-chart.ts'
import {type OmittedPayment, describeReading, isHarmless, nameInstant, nextSteps, omittedWords} from './books.ts'
import {
  type ComparedPayee,
  type DaySums,
  type PaidTotal,
  type RateSummary,
  type ReceivedTotal,
  type Report,
  type ReportRow,
  type WeekTotal,
  comparePayees,
  computeMean,
  describeAbove,
  describeChange,
  nameReportPeriod,
} from './report.ts'

const itemsShownMax = 500

type Read<T> = (item: T) => Content

const createText = <T>(header: string, read: Read<T>): Column<T> => ({header, render: read, isLong: true})
const createLabel = <T>(header: string, read: Read<T>): Column<T> => ({header, render: read, isShort: true})
const createNumber = <T>(header: string, read: Read<T>): Column<T> => ({header, render: read, isNumber: true})

// Rounded for the reader, with the exact figure behind it.
function renderWithExact(shown: string, exact: string, unit = ''): Content {
  const suffix = unit && ` ${unit}`
  const text = toText(`${formatAmount(shown)}${suffix}`)
  return shown === exact ? text : html`<span title="${toText(`Exactly ${exact}${suffix}`)}">${text}</span>`
}

const renderMoney = (amount: string, currency: string, {hasUnit = false} = {}): Content =>
  renderWithExact(roundAmount(amount, currency), amount, hasUnit ? currency : '')

const renderPercent = (percent: string | undefined): Content =>
  percent !== undefined && renderWithExact(roundDecimal(percent, 2), percent, '%')

const renderRate = (rate: string | undefined): Content => rate !== undefined && renderWithExact(roundRate(rate), rate)

const addFees = ({svcFee, developerFee}: {svcFee: string; developerFee: string}): string =>
  new Big(svcFee).plus(developerFee).toFixed()

// The name that people know, with the id behind it. Without names the id is all there is.
const renderName = (name: string | undefined, id: string | undefined): Content =>
  name ? html`<span title="${toText(id)}">${toText(name)}</span>` : toText(id)

const renderLimited = <T>(
  title: string,
  id: string,
  columns: ReadonlyArray<Column<T>>,
  items: readonly T[],
  note?: string,
): Html => {
  const shown = items.slice(0, itemsShownMax)
  const rest =
    items.length > shown.length && `The first ${shown.length} of ${items.length}; svc report --json has all of them.`
  return renderCard(title, renderTable({id, caption: title, columns, items: shown, empty: 'None.'}), {
    note: [note, rest].filter(Boolean).join(' '),
    isLong: true,
  })
}

// The first look: what was paid in each currency, its fees, and how both differ from the time before.
function renderTotals({totals, previous}: Report): Content {
  const before = previous && nameReportPeriod(previous.period)
  return totals
    .filter(({payments}) => payments > 0)
    .map((total) => {
      const {currency, payments, paid, feePercent} = total
      const earlier = previous?.totals.find((each) => each.currency === currency)
      return renderFigure(`Paid in ${toText(currency)}`, renderMoney(paid, currency, {hasUnit: true}), [
        html`${countNoun(payments, 'payment')}. Fees ${renderMoney(addFees(total), currency, {hasUnit: true})}, which is
        ${renderPercent(feePercent)} of it.`,
        before !== undefined &&
          (earlier
            ? html`${describeChange(paid, earlier.paid)} than in ${before}
              (${renderMoney(earlier.paid, currency, {hasUnit: true})}, fees ${renderPercent(earlier.feePercent)}).`
            : html`Nothing was paid in ${toText(currency)} in ${before}.`),
      ])
    })
}

const countKinds = (omitted: readonly OmittedPayment[]): string => {
  const counts = new Map<string, number>()
  for (const {kind} of omitted) {
    const title = omittedWords[kind].title.toLowerCase()
    counts.set(title, (counts.get(title) ?? 0) + 1)
  }
  return [...counts].map(([title, count]) => `${count} ${title}`).join(', ')
}

const renderOpenFigure = ({omitted}: Report): Html =>
  renderFigure('Not paid, or not certain', omitted.length, [
    omitted.length === 0 ? 'Every payment of this time was completed.' : `${countKinds(omitted)}. Reasons are below.`,
  ])

const createOmittedColumns = (names: PartyNames | undefined): Array<Column<OmittedPayment>> => [
  createText('Payment', ({key, note, transactionId}) => [
    renderName(note || key, [key, transactionId].filter(Boolean).join(', ')),
    note && key ? html`<br /><span class="note">${toText(key)}</span>` : false,
  ]),
  createText('Payee', ({customerId, destinationAccountId}) =>
    renderName(names?.describeAccount(customerId, destinationAccountId), destinationAccountId),
  ),
  createNumber('Amount', (one) => one.amount && renderMoney(one.amount, one.currency ?? '', {hasUnit: true})),
  createLabel('Since (UTC)', (one) => one.at.slice(0, 16).replace('T', ' ')),
  createText('What and why', ({kind, detail}) => {
    const {title, meaning} = omittedWords[kind]
    const reason = endSentence(capitalize([toText(detail), nextSteps[kind]].filter(Boolean).join('; ')))
    return html`<strong>${title}.</strong> ${meaning} ${meaning ? html`<span class="note">${reason}</span>` : reason}`
  }),
]

const createPayeeColumns = (
  names: PartyNames | undefined,
  before: string | undefined,
): Array<Column<ComparedPayee>> => [
  createText('Payee', ({customerId, accountId}) =>
    renderName(names?.describeAccount(customerId, accountId), accountId),
  ),
  createNumber('Payments', (payee) => payee.payments),
  createNumber('Received', (payee) => renderMoney(payee.received, payee.currency, {hasUnit: true})),
  ...(before === undefined
    ? []
    : [
        createNumber<ComparedPayee>(before, (payee) => payee.before && renderMoney(payee.before, payee.currency)),
        createLabel<ComparedPayee>('Change', ({received, before: earlier}) => describeChange(received, earlier)),
      ]),
]

// Who has no fees of their own needs no column for them.
const hasDeveloperFees = ({totals}: Report) => totals.some(({developerFee}) => !isZeroAmount(developerFee))

const createSumColumns = (report: Report): Array<Column<PaidTotal>> => [
  createNumber('Payments', (total) => total.payments),
  createNumber('Paid', (total) => renderMoney(total.paid, total.currency, {hasUnit: true})),
  createNumber('Service fee', (total) => renderMoney(total.svcFee, total.currency)),
  ...(hasDeveloperFees(report)
    ? [createNumber<PaidTotal>('Developer fee', (total) => renderMoney(total.developerFee, total.currency))]
    : []),
  createNumber('Fees', (total) => renderPercent(total.feePercent)),
]

const createWeekColumns = (report: Report): Array<Column<WeekTotal>> => [
  createLabel('Week from Monday', ({week}) => nameInstant(toInstantMs(week) ?? 0)),
  ...createSumColumns(report),
]

const receivedColumns: Array<Column<ReceivedTotal>> = [
  createLabel('Currency', (total) => toText(total.currency)),
  createNumber('Payments', (total) => total.payments),
  createNumber('Received', (total) => renderMoney(total.received, total.currency)),
  createNumber('Rounding', (total) => renderMoney(total.difference, total.currency)),
]

const rateColumns: Array<Column<RateSummary>> = [
  createLabel('For one', (rate) => toText(rate.currency)),
  createNumber('Average', (rate) => html`${renderRate(rate.meanRate)} ${toText(rate.destinationCurrency)}`),
  createNumber('Lowest', (rate) => renderRate(rate.lowestRate)),
  createNumber('Highest', (rate) => renderRate(rate.highestRate)),
]

const describeUnpaid = ({failed, open, unknown}: ReportRow): string =>
  Object.entries({failed, 'under way': open, unknown})
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ')

const createRowColumns = (names: PartyNames | undefined): Array<Column<ReportRow>> => [
  createText('Customer and account', ({customerId, accountId}) => [
    renderName(names?.nameCustomer(customerId), customerId),
    html`<br />`,
    renderName(names?.nameAccount(customerId, accountId)?.bank, accountId),
  ]),
  createNumber('Payments', (row) => row.payments),
  createNumber('Paid', (row) => renderMoney(row.paid, row.currency, {hasUnit: true})),
  createNumber('Fees', (row) => renderMoney(addFees(row), row.currency)),
  createNumber('Received', (row) => renderMoney(row.received, row.destinationCurrency, {hasUnit: true})),
  createNumber('Rate', (row) => renderRate(row.rate)),
  createLabel('Against the average', (row) => describeAbove(row.abovePercent, 2)),
  createLabel('Not paid', describeUnpaid),
]

// An account that alone paid everything is the same as the totals.
function renderRows({rows}: Report, names: PartyNames | undefined): Content {
  const accounts = new Set(rows.map(({customerId, accountId}) => `${customerId} ${accountId}`))
  return accounts.size > 1 && renderLimited('By customer and account that paid', 'rows', createRowColumns(names), rows)
}

const developerFeeWord = 'Developer fee'

const glossary: ReadonlyArray<readonly [string, string]> = [
  ['Service fee', 'What the payments service charges. It is part of what was paid.'],
  [developerFeeWord, 'What the company that runs these payments adds for itself. It is part of what was paid.'],
  ['Average rate', 'What one unit of the currency that was paid brought. Large payments count more than small ones.'],
  ['Rounding', 'What the rates promise beyond what arrived: less than the smallest unit of the currency per payment.'],
  ['UTC', 'The world’s common time. Days, weeks and months begin and end by it.'],
]

const listWords = (report: Report) => glossary.filter(([word]) => word !== developerFeeWord || hasDeveloperFees(report))

// The same figures without rounding, and the ids behind the names, for whoever checks the page.
const renderExact = ({totals, received}: Report, payees: readonly ComparedPayee[], names: PartyNames | undefined) =>
  html`<details class="card breaks" id="exact">
    <summary>Exact figures and ids</summary>
    ${renderTable({
      id: 'exact-paid',
      caption: 'What was paid, exactly',
      columns: [
        createLabel<PaidTotal>('Paid in', ({currency}) => toText(currency)),
        createNumber<PaidTotal>('Amount', ({paid}) => paid),
        createNumber<PaidTotal>('Service fee', ({svcFee}) => svcFee),
        createNumber<PaidTotal>('Developer fee', ({developerFee}) => developerFee),
      ],
      items: totals,
      empty: 'None.',
    })}
    ${renderTable({
      id: 'exact-received',
      caption: 'What arrived, exactly',
      columns: [
        createLabel<ReceivedTotal>('Received in', ({currency}) => toText(currency)),
        createNumber<ReceivedTotal>('Amount', (total) => total.received),
        createNumber<ReceivedTotal>('Rounding', ({difference}) => difference),
      ],
      items: received,
      empty: 'None.',
    })}
    ${renderTable({
      id: 'ids',
      caption: 'Ids of the payees',
      columns: [
        createText<ComparedPayee>('Payee', ({customerId, accountId}) =>
          toText(names?.describeAccount(customerId, accountId)),
        ),
        createText<ComparedPayee>('Account', ({accountId}) => toText(accountId)),
        createText<ComparedPayee>('Customer', ({customerId}) => toText(customerId)),
      ],
      items: payees.slice(0, itemsShownMax),
      empty: 'None.',
    })}
  </details>`

interface PageSettings {
  // The name of the profile.
  title: string
  // Who is behind the ids. Without them, the page has ids alone.
  names?: PartyNames | undefined
}

function renderHead({period, readAt, foreign, omitted}: Report, profile: string): Html {
  const uncertain = omitted.filter(({kind}) => !isHarmless(kind))
  return html`<header>
      <h1>${renderTitle(period)}</h1>
      <p class="note">
        Payments of ${toText(profile)} ${describeReading(toInstantMs(readAt) ?? 0, toInstantMs(period.until))}.
        ${
          foreign > 0 &&
          `${countNoun(foreign, 'more payment')} by other programs or by rules ${foreign === 1 ? 'is' : 'are'} not in it.`
        }
      </p>
    </header>
    ${
      uncertain.length > 0 &&
      html`<p class="failure">
        The books of this time cannot be closed yet: ${countKinds(uncertain)}. See “Not paid, or not certain”.
      </p>`
    }`
}

const renderTitle = (period: Report['period']): string => {
  const name = nameReportPeriod(period)
  return name.startsWith('All payments') ? name : `Payments, ${name}`
}

export function renderReportPage(report: Report, {title: profile, names}: PageSettings): string {
  const {received, rates, weeks, omitted, period, previous} = report
  const payees = comparePayees(report)
  const before = previous && nameReportPeriod(previous.period)
  return renderPageFile(
    `${renderTitle(period)}: ${toText(profile)}`,
    html`${renderHead(report, profile)}
      <div class="columns three">${renderTotals(report)} ${renderOpenFigure(report)}</div>
      ${
        omitted.length > 0 &&
        renderLimited(
          'Not paid, or not certain',
          'omitted',
          createOmittedColumns(names),
          omitted,
          'No figure on this page includes these.',
        )
      }
      ${renderLimited('By payee', 'payees', createPayeeColumns(names, before), payees)}
      ${renderLimited('By week', 'weeks', createWeekColumns(report), weeks)}
      <div class="grid">${renderReportCharts(report)}</div>
      <div class="grid">
        ${renderCard(
          'What arrived',
          renderTable({
            id: 'received',
            caption: 'What arrived',
            columns: receivedColumns,
            items: received,
            empty: 'None.',
          }),
        )}
        ${
          rates.length > 0 &&
          renderCard(
            'Rates',
            renderTable({id: 'rates', caption: 'Rates', columns: rateColumns, items: rates, empty: ''}),
          )
        }
      </div>
      ${renderRows(report, names)} ${renderCard('What the words mean', renderFacts(listWords(report)))}
      ${renderExact(report, payees, names)}`,
    {hasCharts: true},
  )
}

// The charts of a report: amounts and fees over time by currency, and rates over time by pair of currencies.
const chartsMax = 4
const daysMax = 62
const dayLength = 'YYYY-MM-DD'.length
const monthLength = 'YYYY-MM'.length

// Every day from the first payment to the last, so that a day without any is visible; months if there are too many days.
function listSteps(days: readonly DaySums[]): {steps: string[]; length: number} {
  const known = days.map(({day}) => day).toSorted()
  const [first, last] = [toInstantMs(known[0]), toInstantMs(known.at(-1))]
  if (first === undefined || last === undefined) return {steps: [], length: dayLength}
  const length = (last - first) / dayMs < daysMax ? dayLength : monthLength
  const steps = new Set<string>()
  for (let at = first; at <= last; at += dayMs) steps.add(toIsoDate(at).slice(0, length))
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

function renderRates({days}: Report, {currency, destinationCurrency}: RateSummary, index: number): Html | undefined {
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
  // One point is a figure and no chart, and the table has it.
  if (points.length < 2) return undefined
  return renderCard(
    `Rate, ${pair}`,
    renderLineChart({id: `rate-${index}`, summary: `The mean rate of ${pair} over time`, unit: pair}, points),
  )
}

// The currencies and pairs with the most payments.
function renderReportCharts(report: Report): Content[] {
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
