// The tables of a report, for the terminal, CSV and the page: the totals, the rows, and what is left out.
import type {Parties} from '../accounts/parties.ts'
import {createPayeeColumn} from '../accounts/name-columns.ts'
import type {Painter} from '../cli/output/colour.ts'
import {renderTable} from '../cli/output/table.ts'
import {type Column, type View, formatMinute, formatMoney, isShownIn, toText} from '../cli/output/view.ts'
import {createCustomerColumns, customerColumn} from '../customers/view.ts'
import {roundAmount} from '../values/currencies.ts'
import {type OmittedPayment, explainOmitted} from './books.ts'
import type {PaidTotal, ReceivedTotal, Report, ReportRow} from './report.ts'

type Field<T> = readonly [name: keyof T & string, header: string, rank: number, change?: Partial<Column<T>>]

const createColumns = <T extends object>(fields: ReadonlyArray<Field<T>>): Array<Column<T>> =>
  fields.map(([name, header, rank, change]) => ({name, header, rank, value: (item) => item[name], ...change}))

const right = {kind: 'number'} as const
const counted = {...right, format: (value: unknown) => (value === 0 ? '' : value)} as const

// Tables are rounded; CSV and JSON have the exact figures.
const moneyIn = <T>(readCurrency: (item: T) => string): Partial<Column<T>> => ({
  ...right,
  format: (value, item) => (value === undefined ? '' : roundAmount(toText(value), readCurrency(item))),
})
const money = moneyIn<{currency: string}>(({currency}) => currency)

// What was paid, with its fees, and what was not.
const createPaidColumns = <T extends PaidTotal>(): Array<Column<T>> =>
  createColumns<PaidTotal>([
    ['payments', 'PAYMENTS', 1, right],
    ['paid', 'PAID', 0, money],
    ['svcFee', 'SERVICE FEE', 2, money],
    ['developerFee', 'DEVELOPER FEE', 3, money],
  ])

const createUnpaidColumns = <T extends PaidTotal>(rank: number): Array<Column<T>> =>
  createColumns<PaidTotal>([
    ['failed', 'FAILED', rank, counted],
    ['open', 'OPEN', rank, counted],
    ['unknown', 'UNKNOWN', rank, counted],
  ])

const accountColumn = 'account'
// Wide enough for the last digits behind a word.
const isNamed = {kind: 'name', shown: 'screen'} as const

export const reportView: View<ReportRow> = {
  singular: 'row',
  plural: 'rows',
  columns: [
    ...createCustomerColumns<ReportRow>(0),
    ...createColumns<ReportRow>([
      ['accountId', 'ACCOUNT', 0, {...isNamed, name: accountColumn}],
      ['accountId', 'ACCOUNT ID', 0, {short: accountColumn, kind: 'id', shown: 'onRequest'}],
      ['currency', 'FROM', 0],
      ['destinationCurrency', 'TO', 0],
    ]),
    ...createPaidColumns<ReportRow>(),
    ...createColumns<ReportRow>([['received', 'RECEIVED', 2, moneyIn(({destinationCurrency}) => destinationCurrency)]]),
    ...createUnpaidColumns<ReportRow>(3),
  ],
}

// The view with the names of customers and banks, as far as they are known.
export function nameReportRows(names: Parties | undefined): View<ReportRow> {
  const findNames: Readonly<Record<string, (row: ReportRow) => string | undefined>> = {
    [customerColumn]: ({customerId}) => names?.nameCustomer(customerId),
    [accountColumn]: ({customerId, accountId}) => names?.nameAccount(customerId, accountId)?.bank,
  }
  const columns = reportView.columns.map((column) => ({
    ...column,
    value: (row: ReportRow) => findNames[column.name]?.(row) || column.value(row),
  }))
  return {...reportView, columns}
}

// The payments that are not part of the figures, with whom they were to pay.
function createOmittedColumns(names: Parties | undefined): Array<Column<OmittedPayment>> {
  const payee = createPayeeColumn<OmittedPayment>(1, ({destinationAccountId}) => ({
    accountId: destinationAccountId,
  }))
  return [
    {name: 'kind', header: 'STATE', value: (one) => one.kind, rank: 0},
    {name: 'key', header: 'KEY', value: (one) => one.key, rank: 0, kind: 'text'},
    {
      ...payee,
      value: (one) => names?.describeAccount(one.customerId, one.destinationAccountId) || one.destinationAccountId,
    },
    {name: 'amount', header: 'AMOUNT', value: (one) => formatMoney(one.amount, one.currency), rank: 0, kind: 'number'},
    {name: 'at', header: 'WHEN (UTC)', value: (one) => one.at, format: formatMinute, rank: 2},
    {name: 'detail', header: 'WHY', value: explainOmitted, rank: 0, kind: 'sentence'},
  ]
}

const totalColumns: Array<Column<PaidTotal>> = [
  ...createColumns<PaidTotal>([['currency', 'CURRENCY', 0]]),
  ...createPaidColumns(),
  ...createUnpaidColumns(0),
]

const receivedColumns = createColumns<ReceivedTotal>([
  ['currency', 'CURRENCY', 0],
  ['payments', 'PAYMENTS', 0, right],
  ['received', 'RECEIVED', 0, money],
  ['difference', 'ROUNDING', 0, money],
])

type RenderTable<R> = <T>(title: string, items: readonly T[], columns: ReadonlyArray<Column<T>>) => R

export const renderTables = <R>(report: Report, names: Parties | undefined, render: RenderTable<R>): R[] => [
  render('Paid, by currency', report.totals, totalColumns),
  render('Received, by currency', report.received, receivedColumns),
  render(
    'By customer, account that paid, and currencies',
    report.rows,
    nameReportRows(names).columns.filter((column) => isShownIn('table', column)),
  ),
  render('Not posted', report.omitted, createOmittedColumns(names)),
]

interface RenderedReport {
  text: string
  // The columns for which the terminal is too narrow, as their headers have them.
  hidden: string[]
}

const itemsShownMax = 100

export function renderReport(
  report: Report,
  {painter, width, names}: {painter: Painter; width: number | undefined; names: Parties | undefined},
): RenderedReport {
  const hidden = new Set<string>()
  const tables = renderTables(report, names, (title, items, columns) => {
    if (items.length === 0) return ''
    const table = renderTable(items.slice(0, itemsShownMax), columns, painter, width)
    for (const header of table.hidden) hidden.add(header)
    const left = items.length - itemsShownMax
    return `${painter.bold(title)}\n${table.text}${left > 0 ? `And ${left} more; --json has all of them.\n` : ''}`
  })
  return {text: tables.filter(Boolean).join('\n'), hidden: [...hidden]}
}
