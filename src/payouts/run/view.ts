// The view of payout rows, and the list of rows that need attention.
import {describeLines} from '../file/records.ts'
import {type PayoutResult, describeReceived, getReason, getReasonCode} from './result.ts'
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

const field = (
  name: keyof PayoutResult,
  header: string,
  rank: number,
  more: Partial<PayoutColumn> = {},
): PayoutColumn => ({name, header, rank, value: (row) => row[name], ...more})

const onRequest = {shown: 'onRequest'} as const

const columns: readonly PayoutColumn[] = [
  field('key', 'KEY', 0, {kind: 'text'}),
  createPayeeColumn<PayoutResult>(2, getPayee),
  field('state', 'STATE', 0, {kind: 'status'}),
  field('transaction', 'TRANSACTION', 4, {kind: 'id'}),
  field('status', 'STATUS', 1, {kind: 'status'}),
  field('amount', 'AMOUNT', 1, {kind: 'number', format: (_, {amount, currency}) => `${amount} ${currency}`}),
  field('fee', 'FEE', 3, {kind: 'number'}),
  field('received', 'RECEIVED', 2, {kind: 'number', format: (_, row) => describeReceived(row)}),
  {name: 'reason', header: 'REASON', value: getReason, rank: 1, kind: 'sentence'},
  {name: 'error', header: 'ERROR', value: getReasonCode, rank: 5, ...onRequest},
  field('note', 'NOTE', 5, {kind: 'text', ...onRequest}),
  field('line', 'LINE', 5, {kind: 'number', ...onRequest}),
  field('customer', 'CUSTOMER', 5, {kind: 'id', ...onRequest}),
  field('destination', 'DESTINATION', 5, {kind: 'id', ...onRequest}),
  field('currency', 'CURRENCY', 5, onRequest),
  field('receivedCurrency', 'RECEIVED IN', 5, onRequest),
  field('madeBefore', 'BEFORE', 5, onRequest),
]

export const payoutView: View<PayoutResult> = {singular: 'payout', plural: 'payouts', columns}

// What was to be paid comes first in the result file, then what became of it.
const resultFileOrder =
  'line key payee bank note customer destination amount currency state transaction status fee received reason error receivedCurrency'

// The payees are empty where their names are not known.
export function buildResultColumns(names?: Pick<PartyNames, 'nameAccount'>): PayoutColumn[] {
  const findPayee = ({customer, destination}: PayoutResult) => names?.nameAccount(customer, destination)
  const named: readonly PayoutColumn[] = [
    {name: 'payee', header: 'PAYEE', value: (row) => findPayee(row)?.name, rank: 0},
    {name: 'bank', header: 'BANK', value: (row) => findPayee(row)?.bank, rank: 0},
  ]
  return resultFileOrder
    .split(' ')
    .flatMap((name) => [...named, ...columns].find((column) => column.name === name) ?? [])
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

// Lists the rows that need attention, up to a maximum. Without a width, nothing is wrapped.
export function renderFailures(rows: readonly PayoutResult[], painter: Painter, width: number | undefined): string[] {
  const alike = [...Map.groupBy(rows.filter(needsAttention), getLikeness).values()]
  const groups = alike.flatMap((own) => (own.length < rowsTogetherMin ? own.map((row) => [row]) : [own]))
  const lines = groups.slice(0, failuresShownMax).flatMap((group) => {
    const [row, ...others] = group
    if (!row) return []
    const key = painter.bold(cleanText(row.key))
    const together = `${countNoun(group.length, 'row')}, ${describeLines(group)}; the first is ${key}`
    const head = `${painter.status(row.state)}  ${others.length === 0 ? `line ${row.line}  ${key}` : together}`
    return [`${head}\n${wrapMessage(`    ${cleanText(getReason(row) ?? '')}`, width)}`]
  })
  const more = groups.slice(failuresShownMax).flat().length
  return [...lines, ...(more > 0 ? [`… and ${more} more like these`] : []), ...(lines.length > 0 ? [''] : [])]
}
