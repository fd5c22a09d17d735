// Transactions, as a table and as a record.
import {addAmounts} from '../validation/money.ts'
import {type Column, type View, toText} from '../cli/output/view.ts'
import {formatInstructions} from './format-instructions.ts'
import {type Item, formatMoney, formatTransferAmount, formatMinute, getPath} from '../cli/output/format-values.ts'

// Both fees are in the source currency. A fee that is not there is none; one that cannot be read leaves the sum unsaid.
function formatFees(transaction: Item): unknown {
  const amounts = ['svcFee', 'developerFee'].map((fee) => toText(getPath(transaction, 'fees', fee, 'feeAmount')))
  if (amounts.every((amount) => amount === '')) return undefined
  return formatMoney(addAmounts(amounts.map((amount) => amount || '0')), getPath(transaction, 'fees', 'feeCurrency'))
}

type Side = 'source' | 'destination'

// What a side says apart from its sum. Its amount and currency stand alone for spreadsheets.
const createSideColumns = (side: Side, from: 'FROM' | 'TO', rank: number): Array<Column<Item>> => [
  {
    name: `${side}Amount`,
    header: `${from} AMOUNT`,
    value: (t) => getPath(t, side, `${side}Amount`),
    rank,
    align: 'right',
    onRequest: true,
    isPartOfAnother: true,
  },
  {
    name: `${side}Currency`,
    header: `${from} CURRENCY`,
    value: (t) => getPath(t, side, `${side}Currency`, 'label'),
    rank,
    onRequest: true,
    isPartOfAnother: true,
  },
  {
    name: `${side}PaymentMethod`,
    header: `${from} METHOD`,
    value: (t) => getPath(t, side, `${side}PaymentMethod`),
    rank,
    onRequest: true,
  },
  {
    name: `${side}PaymentAccountId`,
    header: `${from} ACCOUNT`,
    value: (t) => getPath(t, side, `${side}PaymentAccountId`),
    rank,
    onRequest: true,
  },
  {
    name: `${side}ReferenceId`,
    header: `${from} REFERENCE`,
    value: (t) => getPath(t, side, `${side}ReferenceId`),
    rank,
    onRequest: true,
  },
]

const createFeeColumn = (name: 'svcFee' | 'developerFee', header: string): Column<Item> => ({
  name,
  header,
  value: (t) => formatMoney(getPath(t, 'fees', name, 'feeAmount'), getPath(t, 'fees', 'feeCurrency')),
  rank: 9,
  align: 'right',
  onRequest: true,
})

export const transactionView: View<Item> = {
  singular: 'transaction',
  plural: 'transactions',
  columns: [
    {name: 'transactionId', short: 'id', header: 'ID', value: (t) => t['transactionId'], rank: 0},
    {
      name: 'transactionStatus',
      short: 'status',
      header: 'STATUS',
      value: (t) => t['transactionStatus'],
      rank: 1,
      // AWAITING_TRANSFER alone is longer, and is known by its first word.
      widthGood: 10,
      widthMin: 9,
      colour: 'status',
    },
    {
      name: 'source',
      short: 'from',
      header: 'FROM',
      value: (t) => formatTransferAmount(t, 'source'),
      rank: 2,
      align: 'right',
    },
    {
      name: 'destination',
      short: 'to',
      header: 'TO',
      value: (t) => formatTransferAmount(t, 'destination'),
      rank: 3,
      align: 'right',
    },
    {name: 'fees', header: 'FEES', value: formatFees, rank: 5, align: 'right'},
    createFeeColumn('svcFee', 'SERVICE FEE'),
    createFeeColumn('developerFee', 'DEVELOPER FEE'),
    {
      name: 'exchangeRate',
      short: 'rate',
      header: 'RATE',
      value: (t) => getPath(t, 'destination', 'exchangeRate'),
      rank: 10,
      align: 'right',
      onRequest: true,
    },
    {
      name: 'updatedAt',
      short: 'updated',
      header: 'UPDATED (UTC)',
      value: (t) => t['updatedAt'],
      format: formatMinute,
      rank: 4,
    },
    {
      name: 'createdAt',
      short: 'created',
      header: 'CREATED (UTC)',
      value: (t) => t['createdAt'],
      format: formatMinute,
      rank: 7,
      onRequest: true,
    },
    {
      name: 'expiresAt',
      short: 'expires',
      header: 'EXPIRES (UTC)',
      value: (t) => t['expiresAt'],
      format: formatMinute,
      rank: 8,
      onRequest: true,
    },
    {name: 'customerId', short: 'customer', header: 'CUSTOMER', value: (t) => t['customerId'], rank: 6},
    {name: 'quoteId', short: 'quote', header: 'QUOTE', value: (t) => t['quoteId'], rank: 11, onRequest: true},
    {
      name: 'correlationId',
      short: 'correlation',
      header: 'CORRELATION ID',
      value: (t) => t['correlationId'],
      rank: 12,
      onRequest: true,
    },
    ...createSideColumns('source', 'FROM', 13),
    ...createSideColumns('destination', 'TO', 14),
    {
      name: 'transferInstructions',
      short: 'instructions',
      header: 'TRANSFER INSTRUCTIONS',
      value: (t) => t['transferInstructions'],
      format: formatInstructions,
      rank: 15,
      onRequest: true,
    },
  ],
}
