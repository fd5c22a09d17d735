// The view of payout rows, and the list of rows that need attention.
import type {PayoutResult} from './result.ts'
import {cleanText} from '../cli/output/clean.ts'
import type {Painter} from '../cli/output/colour.ts'
import type {Column, View} from '../cli/output/view.ts'

const getErrorText = ({error, difference}: PayoutResult) => error?.message ?? difference

// The columns of the result file, in their order.
export const payoutResultColumns: ReadonlyArray<Column<PayoutResult>> = [
  {name: 'key', header: 'KEY', value: ({key}) => key, rank: 0, widthGood: 24, widthMin: 12},
  {name: 'state', header: 'STATE', value: ({state}) => state, rank: 0, colour: 'status'},
  {name: 'transaction', header: 'TRANSACTION', value: ({transaction}) => transaction, rank: 4},
  {name: 'status', header: 'STATUS', value: ({status}) => status, rank: 2, colour: 'status'},
  {name: 'fee', header: 'FEE', value: ({fee}) => fee, rank: 3, align: 'right'},
  {name: 'received', header: 'RECEIVED', value: ({received}) => received, rank: 2, align: 'right'},
  {name: 'error', header: 'ERROR', value: getErrorText, rank: 1, widthGood: 40, widthMin: 20, wraps: true},
]

export const payoutView: View<PayoutResult> = {
  singular: 'payout',
  plural: 'payouts',
  columns: [
    ...payoutResultColumns,
    {name: 'line', header: 'LINE', value: ({line}) => line, rank: 5, align: 'right', onRequest: true},
    {name: 'amount', header: 'AMOUNT', value: ({amount}) => amount, rank: 5, align: 'right', onRequest: true},
    {name: 'currency', header: 'CURRENCY', value: ({currency}) => currency, rank: 5, onRequest: true},
    {
      name: 'receivedCurrency',
      header: 'RECEIVED IN',
      value: ({receivedCurrency}) => receivedCurrency,
      rank: 5,
      onRequest: true,
    },
    {name: 'madeBefore', header: 'BEFORE', value: ({madeBefore}) => madeBefore, rank: 5, onRequest: true},
    {name: 'customerStatus', header: 'CUSTOMER', value: ({customerStatus}) => customerStatus, rank: 5, onRequest: true},
  ],
}

const failuresShownMax = 20

// Lists the rows that need attention, up to a maximum.
export function renderFailures(rows: readonly PayoutResult[], painter: Painter): string[] {
  const open = rows.filter(({state}) => state !== 'CREATED' && state !== 'NOT_TRIED' && state !== 'READY')
  const lines = open
    .slice(0, failuresShownMax)
    .map(
      (row) =>
        `${painter.status(row.state)}  line ${row.line}  ${painter.bold(cleanText(row.key))}\n    ${cleanText(getErrorText(row) ?? '')}`,
    )
  const more = open.length - lines.length
  return [...lines, ...(more > 0 ? [`… and ${more} more like these`] : []), ...(lines.length > 0 ? [''] : [])]
}
