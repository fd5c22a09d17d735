// Adds up the books of a period for a report: what was paid, the fees, the rates against their mean, and what failed or is unknown,
// by customer, account and currency. Only the sums are kept, not the payments.
import {Big} from 'big.js'
import {type Books, type OmittedKind, type OmittedPayment, toPeriodFields} from './books.ts'
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

export interface CurrencyTotal extends Attention {
  currency: string
  payments: number
  paid: string
  svcFee: string
  developerFee: string
  feePercent?: string | undefined
}

export interface ReceivedTotal {
  currency: string
  payments: number
  received: string
  // What rounding took, and what the stated rates do not explain.
  difference: string
}

// An account that was paid, and what arrived there in a currency.
export interface PayeeTotal {
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
  payments: number
  foreign: number
  totals: CurrencyTotal[]
  received: ReceivedTotal[]
  rates: RateSummary[]
  payees: PayeeTotal[]
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
    days: new Groups(createSums),
  }
  for (const payment of books.walkCompleted()) {
    const {customerId, source, destination} = payment
    const pair = groups.pairs.get(source.currency, destination.currency)
    add(groups.rows.get(customerId, source.accountId, source.currency, destination.currency), payment)
    add(groups.sources.get(source.currency), payment)
    add(groups.destinations.get(destination.currency), payment)
    add(groups.payees.get(customerId, destination.accountId, destination.currency), payment)
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
    payments,
    foreign,
    totals: groups.sources.list().map(({parts: [currency = ''], value}) => toTotal(currency, value)),
    received: groups.destinations
      .list()
      .map(({parts: [currency = ''], value: {payments: count, received, rounding}}) => ({
        currency,
        payments: count,
        received: formatFigure(received, currency),
        difference: rounding.toFixed(),
      })),
    rates: listRates(groups.pairs),
    payees: groups.payees.list().map(({parts: [customerId = '', accountId = '', currency = ''], value}) => ({
      customerId,
      accountId,
      currency,
      payments: value.payments,
      received: formatFigure(value.received, currency),
    })),
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

function toTotal(currency: string, value: Sums & Attention): CurrencyTotal {
  const {payments, paid, svcFee, developerFee, failed, open, unknown} = value
  return {
    currency,
    payments,
    paid: formatFigure(paid, currency),
    svcFee: formatFigure(svcFee, currency),
    developerFee: formatFigure(developerFee, currency),
    feePercent: divide(svcFee.plus(developerFee).times('100'), paid, percentDecimals)?.toFixed(),
    failed,
    open,
    unknown,
  }
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
