// Transactions, as a table and as a record.
import {sumOfAmounts} from '../validation/money.ts'
import {type Column, type View, textOf} from '../cli/output/view.ts'
import {instructionLines} from './transfer-instructions.ts'
import {type Item, sum, sumOf, toTheMinute, within} from '../cli/output/values.ts'

// Both fees are in the source currency. A fee that is not there is none; one that cannot be read leaves the sum unsaid.
function feesOf(transaction: Item): unknown {
  const amounts = ['svcFee', 'developerFee'].map((fee) => textOf(within(transaction, 'fees', fee, 'feeAmount')))
  if (amounts.every((amount) => amount === '')) return undefined
  return sum(sumOfAmounts(amounts.map((amount) => amount || '0')), within(transaction, 'fees', 'feeCurrency'))
}

type Side = 'source' | 'destination'

// What a side says apart from its sum. Its amount and currency stand alone for spreadsheets.
const sideColumns = (side: Side, from: 'FROM' | 'TO', rank: number): Array<Column<Item>> => [
  {
    name: `${side}Amount`,
    header: `${from} AMOUNT`,
    value: (t) => within(t, side, `${side}Amount`),
    rank,
    align: 'right',
    onRequest: true,
    isPart: true,
  },
  {
    name: `${side}Currency`,
    header: `${from} CURRENCY`,
    value: (t) => within(t, side, `${side}Currency`, 'label'),
    rank,
    onRequest: true,
    isPart: true,
  },
  {
    name: `${side}PaymentMethod`,
    header: `${from} METHOD`,
    value: (t) => within(t, side, `${side}PaymentMethod`),
    rank,
    onRequest: true,
  },
  {
    name: `${side}PaymentAccountId`,
    header: `${from} ACCOUNT`,
    value: (t) => within(t, side, `${side}PaymentAccountId`),
    rank,
    onRequest: true,
  },
  {
    name: `${side}ReferenceId`,
    header: `${from} REFERENCE`,
    value: (t) => within(t, side, `${side}ReferenceId`),
    rank,
    onRequest: true,
  },
]

const feeColumn = (name: 'svcFee' | 'developerFee', header: string): Column<Item> => ({
  name,
  header,
  value: (t) => sum(within(t, 'fees', name, 'feeAmount'), within(t, 'fees', 'feeCurrency')),
  rank: 9,
  align: 'right',
  onRequest: true,
})

export const transactionView: View<Item> = {
  one: 'transaction',
  many: 'transactions',
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
      painted: 'status',
    },
    {name: 'source', short: 'from', header: 'FROM', value: (t) => sumOf(t, 'source'), rank: 2, align: 'right'},
    {name: 'destination', short: 'to', header: 'TO', value: (t) => sumOf(t, 'destination'), rank: 3, align: 'right'},
    {name: 'fees', header: 'FEES', value: feesOf, rank: 5, align: 'right'},
    feeColumn('svcFee', 'SERVICE FEE'),
    feeColumn('developerFee', 'DEVELOPER FEE'),
    {
      name: 'exchangeRate',
      short: 'rate',
      header: 'RATE',
      value: (t) => within(t, 'destination', 'exchangeRate'),
      rank: 10,
      align: 'right',
      onRequest: true,
    },
    {
      name: 'updatedAt',
      short: 'updated',
      header: 'UPDATED (UTC)',
      value: (t) => t['updatedAt'],
      brief: toTheMinute,
      rank: 4,
    },
    {
      name: 'createdAt',
      short: 'created',
      header: 'CREATED (UTC)',
      value: (t) => t['createdAt'],
      brief: toTheMinute,
      rank: 7,
      onRequest: true,
    },
    {
      name: 'expiresAt',
      short: 'expires',
      header: 'EXPIRES (UTC)',
      value: (t) => t['expiresAt'],
      brief: toTheMinute,
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
    ...sideColumns('source', 'FROM', 13),
    ...sideColumns('destination', 'TO', 14),
    {
      name: 'transferInstructions',
      short: 'instructions',
      header: 'TRANSFER INSTRUCTIONS',
      value: (t) => t['transferInstructions'],
      brief: instructionLines,
      rank: 15,
      onRequest: true,
    },
  ],
}
