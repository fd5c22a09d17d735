// The columns of transactions.
import {createPayeeColumn, payeeColumn, readPayeeIds} from '../accounts/name-columns.ts'
import {type LooseTransaction, getCurrencyLabel} from '../contract/loose.ts'
import {type Column, type View, formatMinute, toText} from '../cli/output/view.ts'
import {createCustomerColumns} from '../customers/customer-names.ts'
import {
  describeReceived,
  formatDestinationAmount,
  formatFee,
  formatFees,
  formatInstructions,
  formatSourceAmount,
} from './format-amounts.ts'

type TransactionColumn = Column<LooseTransaction>

const createDetailColumn = (
  name: string,
  header: string,
  rank: number,
  value: TransactionColumn['value'],
): TransactionColumn => ({name, header, rank, value, onRequest: true})

const sourceRank = 13
const destinationRank = 14

// Amounts and currencies also have separate columns, for spreadsheets.
const sourceColumns: readonly TransactionColumn[] = [
  {
    ...createDetailColumn('sourceAmount', 'FROM AMOUNT', sourceRank, (t) => t.source?.sourceAmount),
    align: 'right',
    isPartOfAnother: true,
  },
  {
    ...createDetailColumn('sourceCurrency', 'FROM CURRENCY', sourceRank, (t) =>
      getCurrencyLabel(t.source?.sourceCurrency),
    ),
    isPartOfAnother: true,
  },
  createDetailColumn('sourcePaymentMethod', 'FROM METHOD', sourceRank, (t) => t.source?.sourcePaymentMethod),
  {
    ...createDetailColumn(
      'sourcePaymentAccountId',
      'FROM ACCOUNT',
      sourceRank,
      (t) => t.source?.sourcePaymentAccountId,
    ),
    isId: true,
  },
  createDetailColumn('sourceReferenceId', 'FROM REFERENCE', sourceRank, (t) => t.source?.sourceReferenceId),
]

const destinationColumns: readonly TransactionColumn[] = [
  {
    ...createDetailColumn('destinationAmount', 'TO AMOUNT', destinationRank, (t) => t.destination?.destinationAmount),
    align: 'right',
    isPartOfAnother: true,
  },
  {
    ...createDetailColumn('destinationCurrency', 'TO CURRENCY', destinationRank, (t) =>
      getCurrencyLabel(t.destination?.destinationCurrency),
    ),
    isPartOfAnother: true,
  },
  createDetailColumn(
    'destinationPaymentMethod',
    'TO METHOD',
    destinationRank,
    (t) => t.destination?.destinationPaymentMethod,
  ),
  {
    ...createDetailColumn(
      'destinationPaymentAccountId',
      'TO ACCOUNT',
      destinationRank,
      (t) => t.destination?.destinationPaymentAccountId,
    ),
    // In CSV, which has no names.
    short: payeeColumn,
    isId: true,
  },
  createDetailColumn(
    'destinationReferenceId',
    'TO REFERENCE',
    destinationRank,
    (t) => t.destination?.destinationReferenceId,
  ),
]

const createFeeColumn = (name: 'svcFee' | 'developerFee', header: string): TransactionColumn => ({
  name,
  header,
  value: (t) => formatFee(t, name),
  rank: 9,
  align: 'right',
  onRequest: true,
})

const createDestinationFormat =
  (isGuaranteed?: boolean): NonNullable<TransactionColumn['format']> =>
  (money, transaction) =>
    describeReceived(toText(money), transaction, isGuaranteed)

export const transactionView: View<LooseTransaction> = {
  singular: 'transaction',
  plural: 'transactions',
  columns: [
    {name: 'transactionId', short: 'id', header: 'ID', value: (t) => t.transactionId, rank: 0, isId: true},
    {
      name: 'transactionStatus',
      short: 'status',
      header: 'STATUS',
      value: (t) => t.transactionStatus,
      rank: 1,
      colour: 'status',
    },
    {
      name: 'source',
      short: 'from',
      header: 'FROM',
      value: formatSourceAmount,
      rank: 1,
      align: 'right',
    },
    {
      name: 'destination',
      short: 'to',
      header: 'TO',
      value: formatDestinationAmount,
      format: createDestinationFormat(),
      rank: 4,
      align: 'right',
    },
    // On 80 columns a person recognizes a transaction by its payee, its amount and its day.
    createPayeeColumn(2, readPayeeIds),
    {name: 'fees', header: 'FEES', value: formatFees, rank: 8, align: 'right'},
    createFeeColumn('svcFee', 'SERVICE FEE'),
    createFeeColumn('developerFee', 'DEVELOPER FEE'),
    {
      name: 'exchangeRate',
      short: 'rate',
      header: 'RATE',
      value: (t) => t.destination?.exchangeRate,
      rank: 10,
      align: 'right',
      onRequest: true,
    },
    {
      name: 'updatedAt',
      short: 'updated',
      header: 'UPDATED (UTC)',
      value: (t) => t.updatedAt,
      format: formatMinute,
      rank: 2,
    },
    {
      name: 'createdAt',
      short: 'created',
      header: 'CREATED (UTC)',
      value: (t) => t.createdAt,
      format: formatMinute,
      rank: 6,
      onRequest: true,
    },
    {
      name: 'expiresAt',
      short: 'expires',
      header: 'EXPIRES (UTC)',
      value: (t) => t.expiresAt,
      format: formatMinute,
      rank: 8,
      onRequest: true,
    },
    ...createCustomerColumns<LooseTransaction>(7),
    {name: 'quoteId', short: 'quote', header: 'QUOTE', value: (t) => t.quoteId, rank: 11, onRequest: true},
    {
      name: 'correlationId',
      short: 'correlation',
      header: 'CORRELATION ID',
      value: (t) => t.correlationId,
      rank: 12,
      onRequest: true,
    },
    ...sourceColumns,
    ...destinationColumns,
    {
      name: 'transferInstructions',
      short: 'instructions',
      header: 'TRANSFER INSTRUCTIONS',
      value: (t) => t.transferInstructions,
      format: formatInstructions,
      rank: 15,
      onRequest: true,
    },
  ],
}

// A transaction does not tell whether its quote was guaranteed. Undefined if that is not known.
export const createTransactionView = (isGuaranteed: boolean | undefined): View<LooseTransaction> => ({
  ...transactionView,
  columns: transactionView.columns.map((column) =>
    column.name === 'destination' ? {...column, format: createDestinationFormat(isGuaranteed)} : column,
  ),
})
