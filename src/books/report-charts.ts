// The charts of a report: amounts and fees over time by currency, and rates over time by pair of currencies.
import {Big} from 'big.js'
import {type BarGroup, type Point, renderBarChart, renderLineChart} from '../web/render-chart.ts'
import {renderCard} from '../web/parts.ts'
import type {Html} from '../web/html.ts'
import {dayMs, toInstantMs} from '../values/time.ts'
import {type DaySums, type Report, computeMean} from './report.ts'

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
export function renderReportCharts(report: Report): Html[] {
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
