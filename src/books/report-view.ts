// The tables of a report, for the terminal, CSV and the page: the totals, the rows, and what is
// left out.
import type {Parties} from '../accounts/parties.ts'
import {createPayeeColumn} from '../accounts/name-columns.ts'
import type {Painter} from '../cli/output/colour.ts'
import {renderTable} from '../cli/output/table.ts'
import {type Column, type View, createColumn, formatMinute, formatMoney, isShownIn, toText} from '../cli/output/view.ts'
import {createCustomerColumns, customerColumn} from '../customers/view.ts'
import {roundAmount} from '../values/currencies.ts'
import {type OmittedPayment, explainOmitted} from './books.ts'
import type {PaidTotal, ReceivedTotal, Report, ReportRow} from './report.ts'

const right = {kind: 'number'} as const
const counted = {...right, format: (value: unknown) => (value === 0 ? '' : value)} as const

// Tables are rounded; CSV and JSON have the exact figures.
const moneyIn = <T>(readCurrency: (item: T) => string): Partial<Column<T>> => ({
  ...right,
  format: (value, item) => (value === undefined ? '' : roundAmount(toText(value), readCurrency(item))),
})
const money = moneyIn<{currency: string}>(({currency}) => currency)

// Columns for the amounts that were paid, their fees, and the amounts that were not.
const createPaidColumns = <T extends PaidTotal>(): Array<Column<T>> => [
  createColumn('payments', 1, right),
  createColumn('paid', 0, money),
  createColumn('svcFee', 2, {header: 'SERVICE FEE', ...money}),
  createColumn('developerFee', 3, {header: 'DEVELOPER FEE', ...money}),
]

const createUnpaidColumns = <T extends PaidTotal>(rank: number): Array<Column<T>> =>
  ['failed', 'open', 'unknown'].map((name) => createColumn(name, rank, counted))

const accountColumn = 'account'
// Wide enough for the last digits behind a word.
const isNamed = {kind: 'name', shown: 'screen'} as const

export const reportView: View<ReportRow> = {
  singular: 'row',
  plural: 'rows',
  columns: [
    ...createCustomerColumns<ReportRow>(0),
    createColumn(accountColumn, 0, {value: ({accountId}) => accountId, ...isNamed}),
    createColumn('accountId', 0, {short: accountColumn, header: 'ACCOUNT ID', kind: 'id', shown: 'onRequest'}),
    createColumn('currency', 0, {header: 'FROM'}),
    createColumn('destinationCurrency', 0, {header: 'TO'}),
    ...createPaidColumns<ReportRow>(),
    createColumn(
      'received',
      2,
      moneyIn(({destinationCurrency}) => destinationCurrency),
    ),
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
  return [
    createColumn('kind', 0, {header: 'STATE'}),
    createColumn('key', 0, {kind: 'text'}),
    {
      ...createPayeeColumn<OmittedPayment>(1),
      value: (one) => names?.describeAccount(one.customerId, one.destinationAccountId) || one.destinationAccountId,
    },
    createColumn('amount', 0, {value: (one) => formatMoney(one.amount, one.currency), kind: 'number'}),
    createColumn('at', 2, {header: 'WHEN (UTC)', format: formatMinute}),
    createColumn('detail', 0, {header: 'WHY', value: explainOmitted, kind: 'sentence'}),
  ]
}

const totalColumns: Array<Column<PaidTotal>> = [
  createColumn('currency', 0),
  ...createPaidColumns(),
  ...createUnpaidColumns(0),
]

const receivedColumns: Array<Column<ReceivedTotal>> = [
  createColumn('currency', 0),
  createColumn('payments', 0, right),
  createColumn('received', 0, money),
  createColumn('difference', 0, {header: 'ROUNDING', ...money}),
]

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
