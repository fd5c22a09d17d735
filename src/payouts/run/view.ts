// The view of payout rows, and the list of rows that need attention.
import {type PayoutResult, describeLines, describeReceived, getReason, getReasonCode} from './result.ts'
import {isIn} from './row-states.ts'
import type {PartyNames} from '../../accounts/account-names.ts'
import {createPayeeColumn} from '../../accounts/name-columns.ts'
import {cleanText} from '../../cli/output/clean.ts'
import type {Painter} from '../../cli/output/colour.ts'
import type {Column, View} from '../../cli/output/view.ts'
import {wrapMessage} from '../../cli/output/streams.ts'
import {isAboutBalance} from '../../payments/protocol/errors.ts'
import {countNoun} from '../../values/text.ts'

type PayoutColumn = Column<PayoutResult>

export const getPayee = ({customer, destination}: PayoutResult) => ({customerId: customer, accountId: destination})

const columns = [
  {name: 'key', header: 'KEY', value: ({key}) => key, rank: 0, kind: 'text'},
  {...createPayeeColumn<PayoutResult>(2, getPayee), name: 'payee'},
  {name: 'state', header: 'STATE', value: ({state}) => state, rank: 0, kind: 'status'},
  {name: 'transaction', header: 'TRANSACTION', value: ({transaction}) => transaction, rank: 4, kind: 'id'},
  {name: 'status', header: 'STATUS', value: ({status}) => status, rank: 1, kind: 'status'},
  {
    name: 'amount',
    header: 'AMOUNT',
    value: ({amount}) => amount,
    format: (_, {amount, currency}) => `${amount} ${currency}`,
    rank: 1,
    kind: 'number',
  },
  {name: 'fee', header: 'FEE', value: ({fee}) => fee, rank: 3, kind: 'number'},
  {
    name: 'received',
    header: 'RECEIVED',
    value: ({received}) => received,
    format: (_, row) => describeReceived(row),
    rank: 2,
    kind: 'number',
  },
  {name: 'reason', header: 'REASON', value: getReason, rank: 1, kind: 'sentence'},
  {name: 'error', header: 'ERROR', value: getReasonCode, rank: 5, shown: 'onRequest'},
  {name: 'note', header: 'NOTE', value: ({note}) => note, rank: 5, kind: 'text', shown: 'onRequest'},
  {name: 'line', header: 'LINE', value: ({line}) => line, rank: 5, kind: 'number', shown: 'onRequest'},
  {name: 'customer', header: 'CUSTOMER', value: ({customer}) => customer, rank: 5, kind: 'id', shown: 'onRequest'},
  {
    name: 'destination',
    header: 'DESTINATION',
    value: ({destination}) => destination,
    rank: 5,
    kind: 'id',
    shown: 'onRequest',
  },
  {name: 'currency', header: 'CURRENCY', value: ({currency}) => currency, rank: 5, shown: 'onRequest'},
  {
    name: 'receivedCurrency',
    header: 'RECEIVED IN',
    value: ({receivedCurrency}) => receivedCurrency,
    rank: 5,
    shown: 'onRequest',
  },
  {name: 'madeBefore', header: 'BEFORE', value: ({madeBefore}) => madeBefore, rank: 5, shown: 'onRequest'},
  {
    name: 'customerStatus',
    header: 'CUSTOMER STATUS',
    value: ({customerStatus}) => customerStatus,
    rank: 5,
    shown: 'onRequest',
  },
] as const satisfies readonly PayoutColumn[]

export const payoutView: View<PayoutResult> = {singular: 'payout', plural: 'payouts', columns}

// What was to be paid comes first in the result file, then what became of it.
const resultFileOrder = [
  'line',
  'key',
  'payee',
  'bank',
  'note',
  'customer',
  'destination',
  'amount',
  'currency',
  'state',
  'transaction',
  'status',
  'fee',
  'received',
  'reason',
  'error',
  'receivedCurrency',
] as const satisfies ReadonlyArray<(typeof columns)[number]['name'] | 'bank'>

// The payees are empty where their names are not known.
export function buildResultColumns(names?: Pick<PartyNames, 'nameAccount'>): PayoutColumn[] {
  const findPayee = ({customer, destination}: PayoutResult) => names?.nameAccount(customer, destination)
  const named: readonly PayoutColumn[] = [
    {name: 'payee', header: 'PAYEE', value: (row) => findPayee(row)?.name, rank: 0},
    {name: 'bank', header: 'BANK', value: (row) => findPayee(row)?.bank, rank: 0},
  ]
  return resultFileOrder.flatMap((name) => [...named, ...columns].find((column) => column.name === name) ?? [])
}

const failuresShownMax = 20

export const needsAttention = ({state}: PayoutResult) => isIn(state, 'failed', 'unknown') || state === 'IN_PROGRESS'

// From so many on, rows that failed for the same reason are told together.
const rowsTogetherMin = 3

// The same for rows whose reasons differ in the key alone, and for all for which the wallet holds too little.
function getLikeness(row: PayoutResult): string {
  const code = getReasonCode(row) ?? ''
  const reason = isAboutBalance(code) ? '' : (getReason(row) ?? '').replaceAll(row.key, '')
  return [row.state, code, reason].join('\n')
}

const groupAlike = (rows: readonly PayoutResult[]): PayoutResult[][] =>
  [...Map.groupBy(rows, getLikeness).values()].flatMap((alike) =>
    alike.length < rowsTogetherMin ? alike.map((row) => [row]) : [alike],
  )

// Lists the rows that need attention, up to a maximum. Without a width, nothing is wrapped.
export function renderFailures(rows: readonly PayoutResult[], painter: Painter, width: number | undefined): string[] {
  const groups = groupAlike(rows.filter(needsAttention))
  const lines = groups.slice(0, failuresShownMax).flatMap(([row, ...others]) => {
    if (!row) return []
    const key = painter.bold(cleanText(row.key))
    const alike = `${countNoun(others.length + 1, 'row')}, ${describeLines([row, ...others])}; the first is ${key}`
    const head = `${painter.status(row.state)}  ${others.length === 0 ? `line ${row.line}  ${key}` : alike}`
    return [`${head}\n${wrapMessage(`    ${cleanText(getReason(row) ?? '')}`, width)}`]
  })
  const more = groups.slice(failuresShownMax).flat().length
  return [...lines, ...(more > 0 ? [`… and ${more} more like these`] : []), ...(lines.length > 0 ? [''] : [])]
}
