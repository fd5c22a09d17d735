// How a report is shown in a terminal and as CSV: its rows, and in a terminal the totals, the rates and what is left out.
import type {PartyNames} from '../accounts/account-names.ts'
import {createPayeeColumn} from '../accounts/name-columns.ts'
import type {Painter} from '../cli/output/colour.ts'
import {renderTable} from '../cli/output/table.ts'
import {type Column, type View, formatMinute, formatMoney, toText} from '../cli/output/view.ts'
import {createCustomerColumns, customerColumn} from '../customers/customer-names.ts'
import {roundAmount, roundDecimal, roundRate} from '../values/currencies.ts'
import {type OmittedPayment, nextSteps} from './books.ts'
import {
  type ComparedPayee,
  type CurrencyTotal,
  type PaidTotal,
  type RateSummary,
  type ReceivedTotal,
  type Report,
  type ReportRow,
  type WeekTotal,
  comparePayees,
  describeAbove,
  describeChange,
  nameReportPeriod,
} from './report.ts'

type Field<T> = readonly [name: keyof T & string, header: string, rank: number, change?: Partial<Column<T>>]

const createColumns = <T extends object>(fields: ReadonlyArray<Field<T>>): Array<Column<T>> =>
  fields.map(([name, header, rank, change]) => ({name, header, rank, value: (item) => item[name], ...change}))

const right = {align: 'right'} as const
const hideZero = (value: unknown) => (value === 0 ? '' : value)
const counted = {...right, format: hideZero} as const

// Tables are rounded; CSV and JSON have the exact figures.
const moneyIn = <T>(readCurrency: (item: T) => string): Partial<Column<T>> => ({
  ...right,
  format: (value, item) => (value === undefined ? '' : roundAmount(toText(value), readCurrency(item))),
})
const money = moneyIn<{currency: string}>(({currency}) => currency)
const percent = {
  ...right,
  format: (value: unknown) => (value === undefined ? '' : roundDecimal(toText(value), 2)),
} as const
const rate = {...right, format: (value: unknown) => (value === undefined ? '' : roundRate(toText(value)))} as const

// What was paid, with its fees, and what was not.
const createPaidColumns = <T extends PaidTotal | ReportRow>(): Array<Column<T>> =>
  createColumns<PaidTotal | ReportRow>([
    ['payments', 'PAYMENTS', 1, right],
    ['paid', 'PAID', 0, money],
    ['svcFee', 'SERVICE FEE', 2, money],
    ['developerFee', 'DEVELOPER FEE', 3, money],
  ])

const createUnpaidColumns = (rank: number): Array<Column<CurrencyTotal | ReportRow>> =>
  createColumns([
    ['failed', 'FAILED', rank, counted],
    ['open', 'OPEN', rank, counted],
    ['unknown', 'UNKNOWN', rank, counted],
  ])

const accountColumn = 'account'
// Wide enough for the last digits behind a word.
const isNamed = {isId: true, isTableOnly: true, widthGood: 20, widthMin: 20, keepsLastWord: true} as const

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
    ]),
    ...createPaidColumns<ReportRow>(),
    ...createColumns<ReportRow>([
      ['received', 'RECEIVED', 2, moneyIn(({destinationCurrency}) => destinationCurrency)],
      ['rate', 'RATE', 4, rate],
      ['meanRate', 'MEAN', 6, {...rate, onRequest: true}],
      [
        'abovePercent',
        'AGAINST MEAN',
        5,
        {
          ...right,
          name: 'againstMean',
          value: (row) => describeAbove(row.abovePercent),
          format: (_, row) => describeAbove(row.abovePercent, 2),
        },
      ],
    ]),
    ...createUnpaidColumns(3),
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

function createPayeeColumns(names: PartyNames | undefined, before: string | undefined): Array<Column<ComparedPayee>> {
  const {onRequest: _, ...payee} = createPayeeColumn<ComparedPayee>(0, ({customerId, accountId}) => ({
    customerId,
    accountId,
  }))
  return [
    {...payee, value: (one) => names?.describeAccount(one.customerId, one.accountId) || one.accountId},
    ...createColumns<ComparedPayee>([
      ['payments', 'PAYMENTS', 0, right],
      ['received', 'RECEIVED', 0, money],
      ...(before === undefined ? [] : [['before', before.toUpperCase(), 1, money] as const]),
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
    {name: 'kind', header: 'STATE', value: (one) => one.kind, rank: 0},
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

const totalColumns: Array<Column<CurrencyTotal>> = [
  ...createColumns<CurrencyTotal>([['currency', 'CURRENCY', 0]]),
  ...createPaidColumns<CurrencyTotal>(),
  ...createColumns<CurrencyTotal>([['feePercent', 'FEES %', 1, percent]]),
  ...createUnpaidColumns(0),
]

const weekColumns: Array<Column<WeekTotal>> = [
  ...createColumns<WeekTotal>([
    ['week', 'WEEK FROM', 0],
    ['currency', 'CURRENCY', 0],
  ]),
  ...createPaidColumns<WeekTotal>(),
  ...createColumns<WeekTotal>([['feePercent', 'FEES %', 1, percent]]),
]

// A currency in the period and in the time before.
interface ComparedTotal {
  currency: string
  now: PaidTotal | undefined
  before: PaidTotal | undefined
}

function compareTotals({totals, previous}: Report): ComparedTotal[] {
  if (!previous) return []
  const find = (from: readonly PaidTotal[], label: string) => from.find(({currency}) => currency === label)
  const labels = new Set([...totals, ...previous.totals].map(({currency}) => currency))
  return [...labels].toSorted().map((currency) => ({
    currency,
    now: find(totals, currency),
    before: find(previous.totals, currency),
  }))
}

const createComparedColumns = (before: string): Array<Column<ComparedTotal>> => {
  const header = before.toUpperCase()
  return [
    {name: 'currency', header: 'CURRENCY', value: (one) => one.currency, rank: 0},
    {name: 'paid', header: 'PAID', value: (one) => one.now?.paid ?? '0', rank: 0, ...money},
    {name: 'paidBefore', header, value: (one) => one.before?.paid ?? '0', rank: 0, ...money},
    {
      name: 'change',
      header: 'CHANGE',
      value: (one) => describeChange(one.now?.paid ?? '0', one.before?.paid),
      rank: 0,
      ...right,
    },
    {name: 'feePercent', header: 'FEES %', value: (one) => one.now?.feePercent, rank: 1, ...percent},
    {name: 'feePercentBefore', header, value: (one) => one.before?.feePercent, rank: 1, ...percent},
  ]
}

const receivedColumns = createColumns<ReceivedTotal>([
  ['currency', 'CURRENCY', 0],
  ['payments', 'PAYMENTS', 0, right],
  ['received', 'RECEIVED', 0, money],
  ['difference', 'ROUNDING', 0, money],
])

const rateColumns = createColumns<RateSummary>([
  ['currency', 'FROM', 0],
  ['destinationCurrency', 'TO', 0],
  ['payments', 'PAYMENTS', 0, right],
  ['meanRate', 'MEAN RATE', 0, rate],
  ['lowestRate', 'LOWEST', 1, rate],
  ['highestRate', 'HIGHEST', 1, rate],
])

interface RenderedReport {
  text: string
  // The columns for which the terminal is too narrow, as their headers have them.
  hidden: string[]
}

const itemsShownMax = 100

export function renderReport(
  report: Report,
  {painter, width, names}: {painter: Painter; width: number | undefined; names: PartyNames | undefined},
): RenderedReport {
  const {totals, received, rates, weeks, rows, omitted} = report
  const hidden = new Set<string>()
  const render = <T>(title: string, items: readonly T[], columns: ReadonlyArray<Column<T>>): string => {
    if (items.length === 0) return ''
    const table = renderTable(items.slice(0, itemsShownMax), columns, painter, width)
    for (const header of table.hidden) hidden.add(header)
    const left = items.length - itemsShownMax
    return `${painter.bold(title)}\n${table.text}${left > 0 ? `And ${left} more; --json has all of them.\n` : ''}`
  }
  const before = report.previous && nameReportPeriod(report.previous.period)
  const tables = [
    render('Paid, by currency', totals, totalColumns),
    before && render(`Compared with ${before}`, compareTotals(report), createComparedColumns(before)),
    render('Paid, by week', weeks, weekColumns),
    render('Received, by payee', comparePayees(report), createPayeeColumns(names, before)),
    render('Received, by currency', received, receivedColumns),
    render('Rates', rates, rateColumns),
    render(
      'By customer, account that paid, and currencies',
      rows,
      nameReportRows(names).columns.filter(({onRequest}) => !onRequest),
    ),
    render('Not posted', omitted, createOmittedColumns(names)),
  ]
  return {text: tables.filter(Boolean).join('\n'), hidden: [...hidden]}
}
