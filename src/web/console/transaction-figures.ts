// Computes what the charts show from a list of transactions: volumes, fees, rates, and how long they took.
import {Big} from 'big.js'
import {getCurrencyLabel, readCode} from '../../contract/loose.ts'
import {parsePositiveDecimal} from '../../values/money.ts'
import {dayMs, formatTime, hourMs, monthNames, toIso} from '../../values/time.ts'
import {toText, toTime} from '../format.ts'
import type {BarGroup, Point} from '../render-chart.ts'
import type {LooseTransaction} from './source.ts'

const parseAmount = (value: unknown) => parsePositiveDecimal(toText(value))

const getSourceCurrency = ({source}: LooseTransaction) => toText(getCurrencyLabel(source?.sourceCurrency))

// The values, the most frequent first.
function rankByCount(values: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const value of values) if (value !== '') counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted(([one, a], [other, b]) => b - a || one.localeCompare(other)).map(([value]) => value)
}

export const rankCurrencies = (transactions: readonly LooseTransaction[]) =>
  rankByCount(transactions.map(getSourceCurrency))

// Money of a transaction that failed did not move in the end.
const endedBadly = new Set(['FAILED', 'CANCELLED', 'EXPIRED'])

interface Dated {
  atMs: number
  transaction: LooseTransaction
}

const listDated = (transactions: readonly LooseTransaction[]): Dated[] =>
  transactions.flatMap((transaction) => {
    const atMs = toTime(transaction.createdAt)
    return atMs === undefined ? [] : [{atMs, transaction}]
  })

export interface MoneyOverTime {
  step: string
  groups: BarGroup[]
  total: Big
  // How many amounts could not be read as decimals.
  unreadable: number
}

type ReadAmounts = (transaction: LooseTransaction) => readonly (readonly [name: string, amount: Big | undefined])[]

// Adds the amounts of each bucket exactly, as decimals.
function addOverTime(
  transactions: readonly LooseTransaction[],
  names: readonly string[],
  readAmounts: ReadAmounts,
): MoneyOverTime {
  const dated = listDated(transactions)
  const {step, buckets} = divideTime(dated.map(({atMs}) => atMs))
  let [total, unreadable] = [new Big(0), 0]
  const sums = buckets.map(() => new Map(names.map((name) => [name, new Big(0)])))
  for (const {atMs, transaction} of dated) {
    const sum = sums[buckets.findIndex(({startMs, endMs}) => startMs <= atMs && atMs < endMs)]
    for (const [name, amount] of readAmounts(transaction)) {
      if (!amount) unreadable++
      else if (sum) {
        sum.set(name, (sum.get(name) ?? new Big(0)).plus(amount))
        total = total.plus(amount)
      }
    }
  }
  const groups = buckets.map(({label}, index) => ({
    label,
    parts: names.map((name) => ({name, value: sums[index]?.get(name) ?? new Big(0)})),
  }))
  return {step, groups, total, unreadable}
}

// What was sent in one currency. Transactions that ended badly are left out.
export function computeVolume(transactions: readonly LooseTransaction[], currency: string): MoneyOverTime {
  const counted = transactions.filter(
    (transaction) =>
      getSourceCurrency(transaction) === currency && !endedBadly.has(readCode(transaction.transactionStatus)),
  )
  return addOverTime(counted, ['Sent'], ({source}) => [['Sent', parseAmount(source?.sourceAmount)]])
}

export const isOpen = ({transactionStatus}: LooseTransaction): boolean =>
  !endedBadly.has(readCode(transactionStatus)) && readCode(transactionStatus) !== 'COMPLETED'

const usualDays = 28

interface ComparedDay {
  today: Big
  count: number
  // Of an average day before today, as far back as transactions are known. Undefined if there is none.
  usual: Big | undefined
  days: number
}

// What was sent since midnight UTC in one currency, and on an average day before.
export function compareToday(transactions: readonly LooseTransaction[], currency: string, nowMs: number): ComparedDay {
  const startMs = Math.floor(nowMs / dayMs) * dayMs
  const dated = listDated(transactions)
  const oldestMs = dated.reduce((oldest, {atMs}) => Math.min(oldest, atMs), startMs)
  const days = Math.min(usualDays, Math.ceil((startMs - oldestMs) / dayMs))
  const counted = dated.filter(
    ({transaction}) =>
      getSourceCurrency(transaction) === currency && !endedBadly.has(readCode(transaction.transactionStatus)),
  )
  const sum = (from: readonly Dated[]) =>
    from.reduce((total, {transaction}) => total.plus(parseAmount(transaction.source?.sourceAmount) ?? '0'), new Big(0))
  const own = counted.filter(({atMs}) => atMs >= startMs)
  const before = counted.filter(({atMs}) => atMs < startMs && atMs >= startMs - days * dayMs)
  return {today: sum(own), count: own.length, usual: days > 0 ? sum(before).div(days) : undefined, days}
}

const feeNames = ['Service fee', 'Developer fee'] as const

// Fees are in the source currency (the interface says so).
export function computeFees(transactions: readonly LooseTransaction[], currency: string): MoneyOverTime {
  const counted = transactions.filter(
    ({fees, transactionStatus}) =>
      toText(getCurrencyLabel(fees?.feeCurrency)) === currency && !endedBadly.has(readCode(transactionStatus)),
  )
  return addOverTime(counted, feeNames, ({fees}) => [
    ['Service fee', parseAmount(fees?.svcFee?.feeAmount)],
    ['Developer fee', parseAmount(fees?.developerFee?.feeAmount)],
  ])
}

export interface MonthFees {
  currency: string
  fees: Big
  // What was sent in this currency in the same month.
  sent: Big
}

interface Month {
  // Such as October 2026, and 2026-10.
  name: string
  month: string
  startMs: number
  // Of each currency in which fees were charged, the highest first.
  sums: MonthFees[]
}

// The fees of the month (UTC) that is so many months from now.
export function computeMonthFees(transactions: readonly LooseTransaction[], nowMs: number, offset: number): Month {
  const [startMs, endMs] = [startOfMonth(nowMs, offset), startOfMonth(nowMs, offset + 1)]
  const own = listDated(transactions)
    .filter(({atMs}) => atMs >= startMs && atMs < endMs)
    .map(({transaction}) => transaction)
  const sums = rankByCount(own.map(({fees}) => toText(getCurrencyLabel(fees?.feeCurrency))))
    .map((currency) => ({
      currency,
      fees: computeFees(own, currency).total,
      sent: computeVolume(own, currency).total,
    }))
    .filter(({fees}) => fees.gt('0'))
    .toSorted((one, other) => other.fees.cmp(one.fees))
  const month = formatMonth(startMs)
  return {name: `${monthNames[new Date(startMs).getUTCMonth()]} ${month.slice(0, 4)}`, month, startMs, sums}
}

const getPair = ({source, destination}: LooseTransaction) => {
  const [from, to] = [getCurrencyLabel(source?.sourceCurrency), getCurrencyLabel(destination?.destinationCurrency)]
  return typeof from === 'string' && typeof to === 'string' && from !== to ? `${from} to ${to}` : ''
}

export const rankPairs = (transactions: readonly LooseTransaction[]) => rankByCount(transactions.map(getPair))

// Oldest first.
export const listRates = (transactions: readonly LooseTransaction[], pair: string): Point[] =>
  listDated(transactions)
    .filter(({transaction}) => getPair(transaction) === pair)
    .flatMap(({atMs, transaction}) => {
      const value = parseAmount(transaction.destination?.exchangeRate)
      return value ? [{atMs, label: formatTime(atMs), value}] : []
    })
    .toSorted((one, other) => one.atMs - other.atMs)

interface SettlementTime {
  method: string
  count: number
  medianMs: number
  slowestMs: number
}

// From creation to the last update of completed transactions, by the method on which the money arrives.
export function computeSettlementTimes(transactions: readonly LooseTransaction[]): SettlementTime[] {
  const times = transactions.flatMap(({transactionStatus, createdAt, updatedAt, destination}) => {
    const [from, to] = [toTime(createdAt), toTime(updatedAt)]
    if (readCode(transactionStatus) !== 'COMPLETED' || from === undefined || to === undefined || to < from) return []
    return [{method: toText(destination?.destinationPaymentMethod) || 'unknown', ms: to - from}]
  })
  return [...Map.groupBy(times, ({method}) => method)]
    .map(([method, group]) => {
      const sorted = group.map(({ms}) => ms).toSorted((one, other) => one - other)
      return {
        method,
        count: sorted.length,
        medianMs: sorted[Math.floor((sorted.length - 1) / 2)] ?? 0,
        slowestMs: sorted.at(-1) ?? 0,
      }
    })
    .toSorted((one, other) => other.count - one.count || one.method.localeCompare(other.method))
}

// Divides a span of time into hours, days, weeks or months, whichever gives a readable number of columns.
interface Bucket {
  startMs: number
  endMs: number
  label: string
}

const weekMs = 7 * dayMs
const bucketsMax = 60
// 1970-01-05 was a Monday.
const mondayMs = 4 * dayMs

const formatDay = (ms: number) => toIso(ms).slice(0, 10)
const formatHour = (ms: number) => `${toIso(ms).slice(0, 13).replace('T', ' ')}:00`
const formatMonth = (ms: number) => toIso(ms).slice(0, 7)

interface Step {
  name: string
  floor: (ms: number) => number
  next: (startMs: number) => number
  format: (startMs: number) => string
}

const startOfMonth = (ms: number, offset = 0) => {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset)
}

const createFixedStep = (name: string, sizeMs: number, format: Step['format'], originMs = 0): Step => ({
  name,
  floor: (ms) => Math.floor((ms - originMs) / sizeMs) * sizeMs + originMs,
  next: (startMs) => startMs + sizeMs,
  format,
})

const monthStep: Step = {
  name: 'month',
  floor: (ms) => startOfMonth(ms),
  next: (ms) => startOfMonth(ms, 1),
  format: formatMonth,
}

// The finest that fits is used, or else months.
const steps: readonly Step[] = [
  createFixedStep('hour', hourMs, formatHour),
  createFixedStep('day', dayMs, formatDay),
  createFixedStep('week', weekMs, (ms) => `week of ${formatDay(ms)}`, mondayMs),
]

const fewHoursMs = 36 * hourMs

const fits = (step: Step, spanMs: number) => {
  if (step.name === 'hour') return spanMs <= fewHoursMs
  if (step.name === 'day') return spanMs <= bucketsMax * dayMs
  return spanMs <= bucketsMax * weekMs
}

// Without gaps, so that a day without payments is visible as one. At most so many that they can be told apart: of a longer
// span, the latest.
export function divideTime(times: readonly number[]): {step: string; buckets: Bucket[]} {
  if (times.length === 0) return {step: 'day', buckets: []}
  const first = times.reduce((one, other) => Math.min(one, other))
  const last = times.reduce((one, other) => Math.max(one, other))
  const step = steps.find((each) => fits(each, last - first)) ?? monthStep
  const buckets: Bucket[] = []
  const start = Math.max(step.floor(first), last - bucketsMax * 31 * dayMs)
  for (let at = step.floor(start); at <= last; at = step.next(at)) {
    buckets.push({startMs: at, endMs: step.next(at), label: step.format(at)})
  }
  return {step: step.name, buckets}
}
