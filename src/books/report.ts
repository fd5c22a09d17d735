// Adds up the books of a period for a report: what was paid, the fees, what arrived, and what was
// not posted, by customer, account and currency.
import {Big} from 'big.js'
import {type Books, type OmittedPayment, getCount, toPeriodFields, toShortIso} from './books.ts'
import {type CompletedPayment, formatFigure} from './figures.ts'
import {createPostings} from './postings.ts'

const zero = new Big('0')

// Sums of several payments, and the number of others that were not posted.
const createSums = () => ({
  payments: 0,
  paid: zero,
  svcFee: zero,
  developerFee: zero,
  received: zero,
  rounding: zero,
  failed: 0,
  open: 0,
  unknown: 0,
})

type Sums = ReturnType<typeof createSums>

// The total paid in a currency, its fees, and the total not paid.
export interface PaidTotal {
  currency: string
  payments: number
  paid: string
  svcFee: string
  developerFee: string
  failed: number
  open: number
  // Everything that keeps the books from being closed.
  unknown: number
}

// A customer, an account that paid, and the currencies that left it and arrived.
export interface ReportRow extends PaidTotal {
  customerId: string
  accountId: string
  destinationCurrency: string
  received: string
}

export interface ReceivedTotal {
  currency: string
  payments: number
  received: string
  // The difference that rounding made, or that the rate does not explain.
  difference: string
}

export interface Report {
  period: ReturnType<typeof toPeriodFields>
  // The service's time when the books were read.
  readAt: string
  payments: number
  // Transactions that were completed in the period and that svc did not make.
  foreign: number
  totals: PaidTotal[]
  received: ReceivedTotal[]
  rows: ReportRow[]
  omitted: OmittedPayment[]
}

// Sums by name, in the order of the names.
class Groups {
  readonly #groups = new Map<string, Sums>()

  get(...parts: readonly string[]): Sums {
    const name = JSON.stringify(parts)
    const known = this.#groups.get(name) ?? createSums()
    this.#groups.set(name, known)
    return known
  }

  list(): Array<{parts: string[]; sums: Sums}> {
    return [...this.#groups]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, sums]) => ({parts: JSON.parse(name) as string[], sums}))
  }
}

function add(sums: Sums, payment: CompletedPayment): void {
  sums.payments++
  sums.paid = sums.paid.plus(payment.source.amount)
  sums.svcFee = sums.svcFee.plus(payment.svcFee)
  sums.developerFee = sums.developerFee.plus(payment.developerFee)
  sums.received = sums.received.plus(payment.destination.amount)
  for (const {kind, amount} of createPostings(payment)) {
    if (kind === 'rounding' || kind === 'exchangeDifference') sums.rounding = sums.rounding.plus(amount)
  }
}

const toPaid = (currency: string, {payments, paid, svcFee, developerFee, failed, open, unknown}: Sums): PaidTotal => ({
  currency,
  payments,
  paid: formatFigure(paid, currency),
  svcFee: formatFigure(svcFee, currency),
  developerFee: formatFigure(developerFee, currency),
  failed,
  open,
  unknown,
})

export function createReport(books: Books): Report {
  const [rows, sources, destinations] = [new Groups(), new Groups(), new Groups()]
  for (const payment of books.completed) {
    const {customerId, source, destination} = payment
    add(rows.get(customerId, source.accountId, source.currency, destination.currency), payment)
    add(sources.get(source.currency), payment)
    add(destinations.get(destination.currency), payment)
  }

  for (const {kind, customerId = '', accountId = '', currency = '', destinationCurrency = ''} of books.omitted) {
    const count = getCount(kind)
    if (count === undefined) continue
    rows.get(customerId, accountId, currency, destinationCurrency)[count]++
    sources.get(currency)[count]++
  }

  return {
    period: toPeriodFields(books.period),
    readAt: toShortIso(books.readAtMs),
    payments: books.completed.length,
    foreign: books.foreign,
    totals: sources.list().map(({parts: [currency = ''], sums}) => toPaid(currency, sums)),
    received: destinations.list().map(({parts: [currency = ''], sums}) => ({
      currency,
      payments: sums.payments,
      received: formatFigure(sums.received, currency),
      difference: sums.rounding.toFixed(),
    })),
    rows: rows.list().map(({parts: [customerId = '', accountId = '', currency = '', arrived = ''], sums}) => ({
      customerId,
      accountId,
      ...toPaid(currency, sums),
      destinationCurrency: arrived,
      received: formatFigure(sums.received, arrived),
    })),
    omitted: [...books.omitted],
  }
}
