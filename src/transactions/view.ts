// The columns of transactions.
import type {LooseTransaction} from '../contract/loose.ts'
import {formatMinute, getPath} from '../cli/output/format-values.ts'
import type {Column, View} from '../cli/output/view.ts'
import {formatDestinationAmount, formatFee, formatFees, formatSourceAmount} from './format-amounts.ts'
import {formatInstructions} from './format-instructions.ts'

type Side = 'source' | 'destination'

// The fields of one side. Amount and currency have separate columns for spreadsheets.
const createSideColumns = (side: Side, from: 'FROM' | 'TO', rank: number): Array<Column<LooseTransaction>> => [
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

const createFeeColumn = (name: 'svcFee' | 'developerFee', header: string): Column<LooseTransaction> => ({
  name,
  header,
  value: (t) => formatFee(t, name),
  rank: 9,
  align: 'right',
  onRequest: true,
})

export const transactionView: View<LooseTransaction> = {
  singular: 'transaction',
  plural: 'transactions',
  columns: [
    {name: 'transactionId', short: 'id', header: 'ID', value: (t) => t.transactionId, rank: 0},
    {
      name: 'transactionStatus',
      short: 'status',
      header: 'STATUS',
      value: (t) => t.transactionStatus,
      rank: 1,
      // Only AWAITING_TRANSFER is longer, and its first word is enough to recognize it.
      widthGood: 10,
      widthMin: 9,
      colour: 'status',
    },
    {
      name: 'source',
      short: 'from',
      header: 'FROM',
      value: formatSourceAmount,
      rank: 2,
      align: 'right',
    },
    {
      name: 'destination',
      short: 'to',
      header: 'TO',
      value: formatDestinationAmount,
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
      rank: 4,
    },
    {
      name: 'createdAt',
      short: 'created',
      header: 'CREATED (UTC)',
      value: (t) => t.createdAt,
      format: formatMinute,
      rank: 7,
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
    {name: 'customerId', short: 'customer', header: 'CUSTOMER', value: (t) => t.customerId, rank: 6},
    {name: 'quoteId', short: 'quote', header: 'QUOTE', value: (t) => t.quoteId, rank: 11, onRequest: true},
    {
      name: 'correlationId',
      short: 'correlation',
      header: 'CORRELATION ID',
      value: (t) => t.correlationId,
      rank: 12,
      onRequest: true,
    },
    ...createSideColumns('source', 'FROM', 13),
    ...createSideColumns('destination', 'TO', 14),
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
