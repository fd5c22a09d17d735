// Adds up the books of a period for a report: what was paid, the fees, the rates against their mean, and what failed or is unknown,
// by customer, account and currency. Only the sums are kept, not the payments.
import {Big} from 'big.js'
import {roundDecimal} from '../values/currencies.ts'
import {dayMs, toInstantMs, toIsoDate, toShortIso} from '../values/time.ts'
import {type Books, type OmittedKind, type OmittedPayment, type Period, titlePeriod, toPeriodFields} from './books.ts'
import {type CompletedPayment, formatFigure, toDay} from './figures.ts'
import {createPostings, weighPosting} from './postings.ts'

const zero = new Big('0')
// Rates are rounded to significant digits, so that small ones are as precise as large ones.
const rateDigits = 12
const percentDecimals = 4
const roundHalfUp = 1

// What several payments add up to. `net` is what was exchanged, and `converted` what it was worth at the stated rate.
interface Sums {
  payments: number
  paid: Big
  svcFee: Big
  developerFee: Big
  received: Big
  net: Big
  converted: Big
  rounding: Big
}

const createSums = (): Sums => ({
  payments: 0,
  paid: zero,
  svcFee: zero,
  developerFee: zero,
  received: zero,
  net: zero,
  converted: zero,
  rounding: zero,
})

interface Attention {
  failed: number
  open: number
  unknown: number
}

// A customer, an account that paid, and the currencies that left it and arrived.
export interface ReportRow extends Attention {
  customerId: string
  accountId: string
  currency: string
  destinationCurrency: string
  payments: number
  paid: string
  svcFee: string
  developerFee: string
  received: string
  // The mean of the row, weighted by amount, that of all payments with these currencies, and how far it is above it.
  rate?: string | undefined
  meanRate?: string | undefined
  abovePercent?: string | undefined
}

// What was paid in a currency, and the fees as a share of it.
export interface PaidTotal {
  currency: string
  payments: number
  paid: string
  svcFee: string
  developerFee: string
  feePercent?: string | undefined
}

export interface CurrencyTotal extends PaidTotal, Attention {}

export interface WeekTotal extends PaidTotal {
  // Its Monday.
  week: string
}

// The completed payments of the time before the period.
interface PreviousReport {
  period: ReturnType<typeof toPeriodFields>
  payments: number
  totals: PaidTotal[]
  payees: PayeeTotal[]
}

export interface ReceivedTotal {
  currency: string
  payments: number
  received: string
  // What rounding took, and what the stated rates do not explain.
  difference: string
}

// An account that was paid, and what arrived there in a currency.
interface PayeeTotal {
  customerId: string
  accountId: string
  currency: string
  payments: number
  received: string
}

export interface RateSummary {
  currency: string
  destinationCurrency: string
  payments: number
  meanRate: string
  lowestRate: string
  highestRate: string
}

// The sums of a day, for charts.
export interface DaySums {
  day: string
  currency: string
  destinationCurrency: string
  paid: Big
  svcFee: Big
  developerFee: Big
  net: Big
  converted: Big
}

export interface Report {
  period: ReturnType<typeof toPeriodFields>
  // When the service was asked, by its clock.
  readAt: string
  payments: number
  foreign: number
  totals: CurrencyTotal[]
  received: ReceivedTotal[]
  rates: RateSummary[]
  payees: PayeeTotal[]
  weeks: WeekTotal[]
  previous?: PreviousReport
  rows: ReportRow[]
  omitted: OmittedPayment[]
  days: DaySums[]
}

const countedAs: Readonly<Record<OmittedKind, keyof Attention>> = {
  FAILED: 'failed',
  OPEN: 'open',
  UNKNOWN: 'unknown',
  NOT_LISTED: 'unknown',
  NOT_IN_JOURNAL: 'unknown',
  UNREADABLE: 'unknown',
}

// Groups by several texts. The order is that of the texts.
class Groups<T> {
  readonly #groups = new Map<string, T>()
  readonly #create: () => T

  constructor(create: () => T) {
    this.#create = create
  }

  get(...parts: readonly string[]): T {
    const name = JSON.stringify(parts)
    const known = this.#groups.get(name) ?? this.#create()
    this.#groups.set(name, known)
    return known
  }

  list(): Array<{parts: string[]; value: T}> {
    return [...this.#groups]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => ({parts: JSON.parse(name) as string[], value}))
  }
}

const divide = (dividend: Big, divisor: Big, decimals: number): Big | undefined =>
  divisor.eq('0') ? undefined : dividend.div(divisor).round(decimals, roundHalfUp)

export const computeMean = ({converted, net}: Pick<Sums, 'converted' | 'net'>): Big | undefined =>
  net.eq('0') ? undefined : converted.div(net).prec(rateDigits, roundHalfUp)

function add(sums: Sums, payment: CompletedPayment): void {
  const fees = new Big(payment.svcFee).plus(payment.developerFee)
  sums.payments++
  sums.paid = sums.paid.plus(payment.source.amount)
  sums.svcFee = sums.svcFee.plus(payment.svcFee)
  sums.developerFee = sums.developerFee.plus(payment.developerFee)
  sums.received = sums.received.plus(payment.destination.amount)
  sums.net = sums.net.plus(new Big(payment.source.amount).minus(fees))
  for (const posting of createPostings(payment)) {
    if (posting.price) sums.converted = sums.converted.minus(weighPosting(posting).amount)
    if (posting.kind === 'rounding' || posting.kind === 'exchangeDifference') {
      sums.rounding = sums.rounding.plus(posting.amount)
    }
  }
}

interface RateRange {
  lowest?: Big
  highest?: Big
}

function widen(range: RateRange, payment: CompletedPayment): void {
  if (payment.rate === undefined) return
  const rate = new Big(payment.rate)
  if (!range.lowest || rate.lt(range.lowest)) range.lowest = rate
  if (!range.highest || rate.gt(range.highest)) range.highest = rate
}

const createAttention = (): Attention => ({failed: 0, open: 0, unknown: 0})

export function createReport(books: Books): Report {
  const groups = {
    rows: new Groups(() => ({...createSums(), ...createAttention()})),
    sources: new Groups(() => ({...createSums(), ...createAttention()})),
    destinations: new Groups(createSums),
    payees: new Groups(createSums),
    pairs: new Groups((): Sums & RateRange => createSums()),
    weeks: new Groups(createSums),
    days: new Groups(createSums),
  }
  for (const payment of books.walkCompleted()) {
    const {customerId, source, destination} = payment
    const pair = groups.pairs.get(source.currency, destination.currency)
    add(groups.rows.get(customerId, source.accountId, source.currency, destination.currency), payment)
    add(groups.sources.get(source.currency), payment)
    add(groups.destinations.get(destination.currency), payment)
    add(groups.payees.get(customerId, destination.accountId, destination.currency), payment)
    add(groups.weeks.get(toMonday(payment.completedAt), source.currency), payment)
    add(groups.days.get(toDay(payment.completedAt), source.currency, destination.currency), payment)
    add(pair, payment)
    widen(pair, payment)
  }
  const omitted: OmittedPayment[] = []
  for (const one of books.walkOmitted()) {
    const {customerId = '', accountId = '', currency = '', destinationCurrency = ''} = one
    omitted.push(one)
    groups.rows.get(customerId, accountId, currency, destinationCurrency)[countedAs[one.kind]]++
    groups.sources.get(currency)[countedAs[one.kind]]++
  }
  const {completed: payments, foreign} = books.counts
  return {
    period: toPeriodFields(books.period),
    readAt: toShortIso(books.readAtMs),
    payments,
    foreign,
    totals: groups.sources.list().map(({parts: [currency = ''], value}) => ({
      ...toPaid(currency, value),
      failed: value.failed,
      open: value.open,
      unknown: value.unknown,
    })),
    received: groups.destinations
      .list()
      .map(({parts: [currency = ''], value: {payments: count, received, rounding}}) => ({
        currency,
        payments: count,
        received: formatFigure(received, currency),
        difference: rounding.toFixed(),
      })),
    rates: listRates(groups.pairs),
    payees: listPayees(groups.payees),
    weeks: groups.weeks
      .list()
      .map(({parts: [week = '', currency = ''], value}) => ({week, ...toPaid(currency, value)})),
    ...(books.previous && {previous: addUpEarlier(books, books.previous)}),
    rows: groups.rows.list().map(({parts, value}) => toRow(parts, value, groups.pairs)),
    omitted,
    days: groups.days.list().map(({parts: [day = '', currency = '', destinationCurrency = ''], value}) => ({
      day,
      currency,
      destinationCurrency,
      ...value,
    })),
  }
}

function toPaid(currency: string, {payments, paid, svcFee, developerFee}: Sums): PaidTotal {
  return {
    currency,
    payments,
    paid: formatFigure(paid, currency),
    svcFee: formatFigure(svcFee, currency),
    developerFee: formatFigure(developerFee, currency),
    feePercent: divide(svcFee.plus(developerFee).times('100'), paid, percentDecimals)?.toFixed(),
  }
}

const listPayees = (payees: Groups<Sums>): PayeeTotal[] =>
  payees.list().map(({parts: [customerId = '', accountId = '', currency = ''], value}) => ({
    customerId,
    accountId,
    currency,
    payments: value.payments,
    received: formatFigure(value.received, currency),
  }))

function addUpEarlier(books: Books, period: Period): PreviousReport {
  const [sources, payees] = [new Groups(createSums), new Groups(createSums)]
  let payments = 0
  for (const payment of books.walkEarlier()) {
    const {customerId, source, destination} = payment
    payments++
    add(sources.get(source.currency), payment)
    add(payees.get(customerId, destination.accountId, destination.currency), payment)
  }
  return {
    period: toPeriodFields(period),
    payments,
    totals: sources.list().map(({parts: [currency = ''], value}) => toPaid(currency, value)),
    payees: listPayees(payees),
  }
}

const daysPerWeek = 7
// 1 January 1970 was a Thursday.
const thursday = 3

function toMonday(iso: string): string {
  const day = Math.floor((toInstantMs(iso) ?? 0) / dayMs)
  return toIsoDate((day - ((day + thursday) % daysPerWeek)) * dayMs)
}

// A payee with what it received, and in the time before the period.
export interface ComparedPayee extends PayeeTotal {
  before?: string | undefined
}

// Those that received something in either time. Without a time before, those of the period.
export function comparePayees({payees, previous}: Report): ComparedPayee[] {
  const toKey = ({customerId, accountId, currency}: PayeeTotal) => JSON.stringify([customerId, accountId, currency])
  const earlier = new Map(previous?.payees.map((payee) => [toKey(payee), payee]))
  const now = new Set(payees.map(toKey))
  return [
    ...payees.map((payee) => ({...payee, before: earlier.get(toKey(payee))?.received})),
    ...[...earlier.values()]
      .filter((payee) => !now.has(toKey(payee)))
      .map((payee) => ({...payee, payments: 0, received: formatFigure(zero, payee.currency), before: payee.received})),
  ]
}

// Whether a rate is above or below the mean is a word, since CSV cells with a leading minus would be taken for formulas.
export function describeAbove(percent: string | undefined, decimals?: number): string {
  if (percent === undefined) return ''
  if (percent === '0') return 'equal'
  const size = percent.replace('-', '')
  return `${decimals === undefined ? size : roundDecimal(size, decimals)}% ${percent.startsWith('-') ? 'below' : 'above'}`
}

// Such as "12.5 % more" than before.
export function describeChange(now: string, before: string | undefined): string {
  const [one, other] = [new Big(now), new Big(before ?? '0')]
  if (one.eq(other)) return 'the same'
  const percent = divide(one.minus(other).abs().times('100'), other, 1)
  if (!percent) return 'new'
  return `${percent.eq('0') ? 'under 0.1' : percent.toFixed()} % ${one.gt(other) ? 'more' : 'less'}`
}

const listRates = (pairs: Groups<Sums & RateRange>): RateSummary[] =>
  pairs.list().flatMap(({parts: [currency = '', destinationCurrency = ''], value}) => {
    const meanRate = computeMean(value)?.toFixed()
    if (currency === destinationCurrency || meanRate === undefined) return []
    const lowestRate = value.lowest?.toFixed() ?? meanRate
    const highestRate = value.highest?.toFixed() ?? meanRate
    return [{currency, destinationCurrency, payments: value.payments, meanRate, lowestRate, highestRate}]
  })

function toRow(parts: readonly string[], value: Sums & Attention, pairs: Groups<Sums & RateRange>): ReportRow {
  const [customerId = '', accountId = '', currency = '', destinationCurrency = ''] = parts
  const isExchanged = currency !== destinationCurrency && value.payments > 0
  const rate = isExchanged ? computeMean(value) : undefined
  const mean = isExchanged ? computeMean(pairs.get(currency, destinationCurrency)) : undefined
  const above = rate && mean && divide(rate.minus(mean).times('100'), mean, percentDecimals)
  const {payments, failed, open, unknown} = value
  return {
    customerId,
    accountId,
    currency,
    destinationCurrency,
    payments,
    paid: formatFigure(value.paid, currency),
    svcFee: formatFigure(value.svcFee, currency),
    developerFee: formatFigure(value.developerFee, currency),
    received: formatFigure(value.received, destinationCurrency),
    ...(rate && {rate: rate.toFixed()}),
    ...(mean && {meanRate: mean.toFixed()}),
    ...(above && {abovePercent: above.toFixed()}),
    failed,
    open,
    unknown,
  }
}

// Such as "November 2026".
export const nameReportPeriod = ({since, until}: Report['period']): string =>
  titlePeriod({sinceMs: toInstantMs(since), untilMs: toInstantMs(until)}).replace(/, UTC$/, '')
