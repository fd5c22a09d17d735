// How a report is shown in a terminal and as CSV: its rows, and in a terminal the totals, the rates and what is left out.
import type {PartyNames} from '../accounts/account-names.ts'
import {createPayeeColumn} from '../accounts/name-columns.ts'
import type {Painter} from '../cli/output/colour.ts'
import {renderTable} from '../cli/output/table.ts'
import {type Column, type View, formatMinute, formatMoney} from '../cli/output/view.ts'
import {createCustomerColumns, customerColumn} from '../customers/customer-names.ts'
import {type OmittedPayment, nextSteps} from './books.ts'
import type {CurrencyTotal, PayeeTotal, RateSummary, ReceivedTotal, Report, ReportRow} from './report.ts'

type Field<T> = readonly [name: keyof T & string, header: string, rank: number, change?: Partial<Column<T>>]

const createColumns = <T extends object>(fields: ReadonlyArray<Field<T>>): Array<Column<T>> =>
  fields.map(([name, header, rank, change]) => ({name, header, rank, value: (item) => item[name], ...change}))

const right = {align: 'right'} as const
const hideZero = (value: unknown) => (value === 0 ? '' : value)
const counted = {...right, format: hideZero} as const

// CSV cells with a leading minus would be taken for formulas, so whether a rate is above or below the mean is a word.
const formatAbove = (text: string | undefined) =>
  text === undefined ? '' : text.startsWith('-') ? `${text.slice(1)}% below` : text === '0' ? 'equal' : `${text}% above`

const accountColumn = 'account'
const isNamed = {isId: true, isTableOnly: true, widthGood: 20, widthMin: 12, keepsLastWord: true} as const

export const reportView: View<ReportRow> = {
  singular: 'row',
  plural: 'rows',
  columns: [
    ...createCustomerColumns<ReportRow>(0),
    ...createColumns<ReportRow>([
      ['accountId', 'ACCOUNT', 0, {...isNamed, name: accountColumn}],
      ['accountId', 'ACCOUNT ID', 0, {isId: true, short: accountColumn, onRequest: true}],
      ['currency', 'FROM', 0],
      ['destinationCurrency', 'TO', 0],
      ['payments', 'PAYMENTS', 1, right],
      ['paid', 'PAID', 0, right],
      ['svcFee', 'SERVICE FEE', 2, right],
      ['developerFee', 'DEVELOPER FEE', 3, right],
      ['received', 'RECEIVED', 2, right],
      ['rate', 'RATE', 4, right],
      ['meanRate', 'MEAN', 6, {...right, onRequest: true}],
      [
        'abovePercent',
        'AGAINST MEAN',
        5,
        {...right, name: 'againstMean', value: (row) => formatAbove(row.abovePercent)},
      ],
      ['failed', 'FAILED', 3, counted],
      ['open', 'OPEN', 3, counted],
      ['unknown', 'UNKNOWN', 3, counted],
    ]),
  ],
}

// The view with the names of customers and banks, as far as they are known.
export function nameReportRows(names: PartyNames | undefined): View<ReportRow> {
  if (!names) return reportView
  const named: Readonly<Record<string, (row: ReportRow) => string | undefined>> = {
    [customerColumn]: ({customerId}) => names.nameCustomer(customerId),
    [accountColumn]: ({customerId, accountId}) => names.nameAccount(customerId, accountId)?.bank,
  }
  const nameColumn = (column: Column<ReportRow>): Column<ReportRow> => {
    const name = named[column.name]
    return name ? {...column, value: (row) => name(row) || column.value(row)} : column
  }
  return {...reportView, columns: reportView.columns.map(nameColumn)}
}

function createPayeeColumns(names: PartyNames | undefined): Array<Column<PayeeTotal>> {
  const {onRequest: _, ...payee} = createPayeeColumn<PayeeTotal>(0, ({customerId, accountId}) => ({
    customerId,
    accountId,
  }))
  return [
    {...payee, value: (one) => names?.describeAccount(one.customerId, one.accountId) || one.accountId},
    ...createColumns<PayeeTotal>([
      ['payments', 'PAYMENTS', 0, right],
      ['received', 'RECEIVED', 0, right],
      ['currency', 'CURRENCY', 0],
    ]),
  ]
}

// The payments that are not part of the figures, with whom they were to pay.
function createOmittedColumns(names: PartyNames | undefined): Array<Column<OmittedPayment>> {
  const {onRequest: _, ...payee} = createPayeeColumn<OmittedPayment>(1, ({destinationAccountId}) => ({
    accountId: destinationAccountId,
  }))
  return [
    {name: 'kind', header: 'NOT POSTED', value: (one) => one.kind, rank: 0},
    {name: 'key', header: 'KEY', value: (one) => one.key, rank: 0, widthGood: 24, widthMin: 12},
    {
      ...payee,
      value: (one) => names?.describeAccount(one.customerId, one.destinationAccountId) || one.destinationAccountId,
    },
    {name: 'amount', header: 'AMOUNT', value: (one) => formatMoney(one.amount, one.currency), rank: 0, align: 'right'},
    {name: 'at', header: 'WHEN (UTC)', value: (one) => one.at, format: formatMinute, rank: 2},
    {
      name: 'detail',
      header: 'WHY',
      value: ({kind, detail}) => [detail, nextSteps[kind]].filter(Boolean).join('; '),
      rank: 0,
      wraps: true,
      widthGood: 28,
      widthMin: 16,
    },
  ]
}

const totalColumns = createColumns<CurrencyTotal>([
  ['currency', 'CURRENCY', 0],
  ['payments', 'PAYMENTS', 0, right],
  ['paid', 'PAID', 0, right],
  ['svcFee', 'SERVICE FEE', 0, right],
  ['developerFee', 'DEVELOPER FEE', 1, right],
  ['feePercent', 'FEES %', 2, right],
  ['failed', 'FAILED', 0, counted],
  ['open', 'OPEN', 0, counted],
  ['unknown', 'UNKNOWN', 0, counted],
])

const receivedColumns = createColumns<ReceivedTotal>([
  ['currency', 'CURRENCY', 0],
  ['payments', 'PAYMENTS', 0, right],
  ['received', 'RECEIVED', 0, right],
  ['difference', 'ROUNDING', 0, right],
])

const rateColumns = createColumns<RateSummary>([
  ['currency', 'FROM', 0],
  ['destinationCurrency', 'TO', 0],
  ['payments', 'PAYMENTS', 0, right],
  ['meanRate', 'MEAN RATE', 0, right],
  ['lowestRate', 'LOWEST', 1, right],
  ['highestRate', 'HIGHEST', 1, right],
])

interface RenderedReport {
  text: string
  // The columns for which the terminal is too narrow.
  hidden: string[]
}

const itemsShownMax = 100

export function renderReport(
  {totals, received, rates, payees, rows, omitted}: Report,
  {painter, width, names}: {painter: Painter; width: number | undefined; names: PartyNames | undefined},
): RenderedReport {
  const rowColumns = nameReportRows(names).columns.filter(({onRequest}) => !onRequest)
  const tables = [
    totals.length > 0 && renderTable(totals, totalColumns, painter, width),
    received.length > 0 && renderTable(received, receivedColumns, painter, width),
    rates.length > 0 && renderTable(rates, rateColumns, painter, width),
    payees.length > 0 && renderTable(payees.slice(0, itemsShownMax), createPayeeColumns(names), painter, width),
    rows.length > 0 && renderTable(rows, rowColumns, painter, width),
    omitted.length > 0 && renderTable(omitted.slice(0, itemsShownMax), createOmittedColumns(names), painter, width),
  ].filter((table) => table !== false)
  const left = [
    payees.length > itemsShownMax && `${payees.length - itemsShownMax} more payees`,
    omitted.length > itemsShownMax && `${omitted.length - itemsShownMax} more that are not posted`,
  ].filter((part) => part !== false)
  return {
    text:
      tables.map(({text}) => text).join('\n') +
      (left.length > 0 ? `\nAnd ${left.join(', and ')}; --json has all of them.\n` : ''),
    hidden: [...new Set(tables.flatMap(({hidden}) => hidden))],
  }
}
