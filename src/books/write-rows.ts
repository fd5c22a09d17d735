// Writes the books as CSV, one row for each posting. Debits and credits have columns of their own,
// so that no number is negative: a spreadsheet could take a leading minus for a formula.
import type {Parties} from '../accounts/parties.ts'
import {createCsvWriter, toJsonLine} from '../cli/output/formats.ts'
import type {Column} from '../cli/output/view.ts'
import type {Books} from './books.ts'
import {type CompletedPayment, describePayee, formatFigure, toDay} from './figures.ts'
import {type AccountNames, type Posting, createPostings, nameAccount} from './postings.ts'

interface Row {
  payment: CompletedPayment
  posting: Posting
  account: string
  parties: Parties | undefined
}

type RowValue = (row: Row) => unknown

const values: Readonly<Record<string, RowValue>> = {
  date: ({payment}) => toDay(payment.completedAt),
  completedAt: ({payment}) => payment.completedAt,
  transactionId: ({payment}) => payment.transactionId,
  key: ({payment}) => payment.key,
  customerId: ({payment}) => payment.customerId,
  kind: ({posting}) => posting.kind,
  account: ({account}) => account,
  debit: ({posting: {amount, currency}}) => (amount.gt('0') ? formatFigure(amount, currency) : ''),
  credit: ({posting: {amount, currency}}) => (amount.lt('0') ? formatFigure(amount.neg(), currency) : ''),
  currency: ({posting}) => posting.currency,
  rate: ({posting: {price}}) => price?.amount.toFixed() ?? '',
  rateCurrency: ({posting: {price}}) => price?.currency ?? '',
  paymentAccountId: ({posting}) => posting.accountId,
  quoteId: ({payment}) => payment.quoteId,
  referenceId: ({payment, posting: {kind}}) =>
    kind === 'source' || kind === 'destination' ? payment[kind].referenceId : '',
  note: ({payment}) => payment.note,
  customer: ({payment, parties}) => parties?.nameCustomer(payment.customerId),
  payee: ({payment, parties}) => describePayee(payment, parties),
  accountName: ({payment, posting, parties}) => parties?.describeAccount(payment.customerId, posting.accountId),
}

const columns: Array<Column<Row>> = Object.entries(values).map(([name, value]) => ({
  name,
  header: name,
  value,
  rank: 0,
}))

export async function* writeCsv(books: Books, names: AccountNames, parties?: Parties): AsyncGenerator<string> {
  const csv = await createCsvWriter(columns)
  yield csv.header()
  for (const payment of books.completed) {
    yield csv.rows(
      createPostings(payment).map((posting) => ({payment, posting, account: nameAccount(posting, names), parties})),
    )
  }
}

function toFields(posting: Posting, names: AccountNames) {
  const {kind, accountId, amount, currency, price} = posting
  return {
    kind,
    account: nameAccount(posting, names),
    ...(accountId !== undefined && {paymentAccountId: accountId}),
    amount: formatFigure(amount, currency),
    currency,
    ...(price && {price: price.amount.toFixed(), priceCurrency: price.currency}),
  }
}

// Writes the books as JSON lines: one object for each completed payment with its postings, and one
// for each that is left out.
export function* writeJsonLines(books: Books, names: AccountNames): Generator<string> {
  for (const payment of books.completed) {
    yield toJsonLine({
      posted: true,
      date: toDay(payment.completedAt),
      ...payment,
      postings: createPostings(payment).map((posting) => toFields(posting, names)),
    })
  }
  for (const omitted of books.omitted) yield toJsonLine({posted: false, ...omitted})
}
