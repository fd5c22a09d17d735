// How a report is shown in a terminal and as CSV: its rows, and in a terminal the totals, the rates and what is left out.
import type {Painter} from '../cli/output/colour.ts'
import {renderTable} from '../cli/output/table.ts'
import type {Column, View} from '../cli/output/view.ts'
import type {CurrencyTotal, RateSummary, ReceivedTotal, Report, ReportRow} from './report.ts'

type Field<T> = readonly [name: keyof T & string, header: string, rank: number, change?: Partial<Column<T>>]

const createColumns = <T extends object>(fields: ReadonlyArray<Field<T>>): Array<Column<T>> =>
  fields.map(([name, header, rank, change]) => ({name, header, rank, value: (item) => item[name], ...change}))

const right = {align: 'right'} as const
const hideZero = (value: unknown) => (value === 0 ? '' : value)
const counted = {...right, format: hideZero} as const

// CSV cells with a leading minus would be taken for formulas, so whether a rate is above or below the mean is a word.
const formatAbove = (text: string | undefined) =>
  text === undefined ? '' : text.startsWith('-') ? `${text.slice(1)}% below` : text === '0' ? 'equal' : `${text}% above`

export const reportView: View<ReportRow> = {
  singular: 'row',
  plural: 'rows',
  columns: createColumns<ReportRow>([
    ['customerId', 'CUSTOMER', 0, {isId: true, short: 'customer'}],
    ['accountId', 'ACCOUNT', 0, {isId: true, short: 'account'}],
    ['currency', 'FROM', 0],
    ['destinationCurrency', 'TO', 0],
    ['payments', 'PAYMENTS', 1, right],
    ['paid', 'PAID', 0, right],
    ['svcFee', 'SERVICE FEE', 2, right],
    ['developerFee', 'DEVELOPER FEE', 3, right],
    ['received', 'RECEIVED', 2, right],
    ['rate', 'RATE', 4, right],
    ['meanRate', 'MEAN', 6, {...right, onRequest: true}],
    ['abovePercent', 'AGAINST MEAN', 5, {...right, name: 'againstMean', value: (row) => formatAbove(row.abovePercent)}],
    ['failed', 'FAILED', 3, counted],
    ['open', 'OPEN', 3, counted],
    ['unknown', 'UNKNOWN', 3, counted],
  ]),
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

export function renderReport(report: Report, painter: Painter, width: number | undefined): RenderedReport {
  const {totals, received, rates, rows} = report
  const rowColumns = reportView.columns.filter(({onRequest}) => !onRequest)
  const tables = [
    totals.length > 0 && renderTable(totals, totalColumns, painter, width),
    received.length > 0 && renderTable(received, receivedColumns, painter, width),
    rates.length > 0 && renderTable(rates, rateColumns, painter, width),
    rows.length > 0 && renderTable(rows, rowColumns, painter, width),
  ].filter((table) => table !== false)
  return {text: tables.map(({text}) => text).join('\n'), hidden: [...new Set(tables.flatMap(({hidden}) => hidden))]}
}
