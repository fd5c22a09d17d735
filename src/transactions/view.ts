// The columns of transactions.
import {createPayeeColumn, payeeColumn, readPayeeIds} from '../accounts/name-columns.ts'
import {type LooseTransaction, getCurrencyLabel} from '../contract/loose.ts'
import {type Column, type View, createColumn, formatMinute, toText} from '../cli/output/view.ts'
import {createCustomerColumns} from '../customers/view.ts'
import {getValue} from '../values/body-paths.ts'
import {
  describeReceived,
  formatDestinationAmount,
  formatFee,
  formatFees,
  formatInstructions,
  formatSourceAmount,
} from './format-amounts.ts'

type TransactionColumn = Column<LooseTransaction>

const createTimeColumn = (short: string, rank: number, more: Partial<TransactionColumn> = {}): TransactionColumn =>
  createColumn(`${short}At`, rank, {short, header: `${short.toUpperCase()} (UTC)`, format: formatMinute, ...more})

const onRequest = {shown: 'onRequest'} as const
const right = {kind: 'number'} as const

// Amounts and currencies also have separate columns, for spreadsheets.
function createSideColumns(side: 'source' | 'destination', label: string, rank: number): TransactionColumn[] {
  const create = (field: string, header: string, more: Partial<TransactionColumn> = {}): TransactionColumn => {
    const value = (transaction: LooseTransaction) => getValue(transaction, `${side}.${side}${field}`)
    return {name: `${side}${field}`, header: `${label} ${header}`, value, rank, ...onRequest, ...more}
  }
  const currency = create('Currency', 'CURRENCY', {shown: 'csv'})
  return [
    create('Amount', 'AMOUNT', {...right, shown: 'csv'}),
    {...currency, value: (transaction) => getCurrencyLabel(currency.value(transaction))},
    create('PaymentMethod', 'METHOD'),
    // In CSV, which has no names, this is the payee.
    create('PaymentAccountId', 'ACCOUNT', {...(side === 'destination' && {short: payeeColumn}), kind: 'id'}),
    create('ReferenceId', 'REFERENCE'),
  ]
}

const createFeeColumn = (name: 'svcFee' | 'developerFee', header: string): TransactionColumn =>
  createColumn(name, 9, {header, value: (transaction) => formatFee(transaction, name), ...right, ...onRequest})

export const transactionView: View<LooseTransaction> = {
  singular: 'transaction',
  plural: 'transactions',
  columns: [
    createColumn('transactionId', 0, {short: 'id', header: 'ID', kind: 'id'}),
    createColumn('transactionStatus', 1, {short: 'status', header: 'STATUS', kind: 'status'}),
    createColumn('source', 1, {short: 'from', header: 'FROM', value: formatSourceAmount, ...right}),
    createColumn('destination', 4, {
      short: 'to',
      header: 'TO',
      value: formatDestinationAmount,
      format: (money, transaction) => describeReceived(toText(money), transaction),
      ...right,
    }),
    // On 80 columns a person recognizes a transaction by its payee, its amount and its day.
    createPayeeColumn(2, readPayeeIds),
    createColumn('fees', 8, {value: formatFees, ...right}),
    createFeeColumn('svcFee', 'SERVICE FEE'),
    createFeeColumn('developerFee', 'DEVELOPER FEE'),
    createColumn('exchangeRate', 10, {
      short: 'rate',
      header: 'RATE',
      value: ({destination}) => destination?.exchangeRate,
      ...right,
      ...onRequest,
    }),
    createTimeColumn('updated', 2),
    createTimeColumn('created', 6, onRequest),
    createTimeColumn('expires', 8, onRequest),
    ...createCustomerColumns<LooseTransaction>(7),
    createColumn('quoteId', 11, {short: 'quote', header: 'QUOTE', ...onRequest}),
    createColumn('correlationId', 12, {short: 'correlation', header: 'CORRELATION ID', ...onRequest}),
    ...createSideColumns('source', 'FROM', 13),
    ...createSideColumns('destination', 'TO', 14),
    createColumn('transferInstructions', 15, {
      short: 'instructions',
      header: 'TRANSFER INSTRUCTIONS',
      format: formatInstructions,
      ...onRequest,
    }),
  ],
}

// A transaction does not tell whether its quote was guaranteed. Undefined if that is not known.
export function createTransactionView(isGuaranteed: boolean | undefined): View<LooseTransaction> {
  if (isGuaranteed === undefined) return transactionView
  const format: TransactionColumn['format'] = (money, transaction) =>
    describeReceived(toText(money), transaction, isGuaranteed)
  const columns = transactionView.columns.map((column) =>
    column.name === 'destination' ? {...column, format} : column,
  )
  return {...transactionView, columns}
}
