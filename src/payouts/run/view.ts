// How rows are told: as columns of a table and of the result file, as a list of those that need attention, and as sums by state and
// currency. A run, a dry run, the question before a run and the status of a file or a batch tell them alike.
import type {Parties} from '../../accounts/parties.ts'
import {createPayeeColumn} from '../../accounts/name-columns.ts'
import type {BoxRow} from '../../cli/output/box.ts'
import {cleanText} from '../../cli/output/clean.ts'
import type {Painter} from '../../cli/output/colour.ts'
import {wrapMessage} from '../../cli/output/streams.ts'
import {type Column, type View, createColumn} from '../../cli/output/view.ts'
import {isAboutBalance} from '../../payments/protocol/errors.ts'
import {addAmounts, describeArrival, describeNotArrived, isZeroAmount} from '../../values/money.ts'
import {capitalize, countNoun} from '../../values/text.ts'
import {describeLines} from '../file/records.ts'
import type {PayoutRow} from '../file/rows.ts'
import {type PayoutResult, isUnderWay} from './result.ts'
import {describeState, groupByState, isIn} from './row-states.ts'

// What is wrong with a row, or unlike what was requested: one sentence for people.
const getReason = ({error, difference}: PayoutResult): string | undefined =>
  [error?.message, difference].filter((text) => text !== undefined).join('; ') || undefined

// The same as a code for scripts.
const getReasonCode = ({error, difference}: PayoutResult): string | undefined =>
  error?.error ?? (difference === undefined ? undefined : 'DIFFERS')

const isToArrive = (row: PayoutResult) => row.state === 'READY' || isUnderWay(row)

// The amount received: as a promise or an estimate until the transaction has ended.
function describeReceived(row: PayoutResult): string | undefined {
  const {received, receivedCurrency, guaranteed} = row
  if (!received) return undefined
  const money = `${received} ${receivedCurrency}`
  if (row.state === 'ENDED_BADLY') return describeNotArrived(money)
  if (!isToArrive(row)) return money
  return guaranteed ? `${money}, guaranteed` : `about ${money}`
}

export type PayoutColumn = Column<PayoutResult>

export const getPayee = ({customer, destination}: PayoutResult) => ({customerId: customer, accountId: destination})

const onRequest = {shown: 'onRequest'} as const

const columns: readonly PayoutColumn[] = [
  createColumn('key', 0, {kind: 'text'}),
  createPayeeColumn<PayoutResult>(2, getPayee),
  createColumn('state', 0, {kind: 'status'}),
  createColumn('transaction', 4, {kind: 'id'}),
  createColumn('status', 1, {kind: 'status'}),
  createColumn('amount', 1, {kind: 'number', format: (_, {amount, currency}) => `${amount} ${currency}`}),
  createColumn('fee', 3, {kind: 'number', format: (_, {fee, currency}) => fee && `${fee} ${currency}`}),
  createColumn('received', 2, {header: 'ARRIVES', kind: 'number', format: (_, row) => describeReceived(row)}),
  {name: 'reason', header: 'REASON', value: getReason, rank: 1, kind: 'sentence'},
  {name: 'error', header: 'ERROR', value: getReasonCode, rank: 5, ...onRequest},
  createColumn('note', 5, {kind: 'text', ...onRequest}),
  createColumn('line', 5, {kind: 'number', ...onRequest}),
  createColumn('customer', 5, {kind: 'id', ...onRequest}),
  createColumn('destination', 5, {kind: 'id', ...onRequest}),
  createColumn('currency', 5, onRequest),
  createColumn('receivedCurrency', 5, {header: 'ARRIVES IN', ...onRequest}),
  createColumn('madeBefore', 5, {header: 'BEFORE', ...onRequest}),
]

export const payoutView: View<PayoutResult> = {singular: 'payout', plural: 'payouts', columns}

// These columns, in this order, with those that the caller has instead or besides.
export const pickColumns = (order: string, own: readonly PayoutColumn[]): PayoutColumn[] =>
  order.split(' ').flatMap((name) => [...own, ...columns].find((column) => column.name === name) ?? [])

// What was to be paid comes first in the result file, then what became of it.
const resultFileOrder =
  'line key payee bank note customer destination amount currency state transaction status fee received reason error receivedCurrency'

// The payees are empty where their names are not known.
export function buildResultColumns(names?: Pick<Parties, 'nameAccount'>): PayoutColumn[] {
  const findPayee = ({customer, destination}: PayoutResult) => names?.nameAccount(customer, destination)
  return pickColumns(resultFileOrder, [
    {name: 'payee', header: 'PAYEE', value: (row) => findPayee(row)?.name, rank: 0},
    {name: 'bank', header: 'BANK', value: (row) => findPayee(row)?.bank, rank: 0},
  ])
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
    const key = cleanText(row.key)
    const together = `${countNoun(group.length, 'row')}, ${describeLines(group)}; the first is ${key}`
    // The state gets its colour after the text is wrapped, because the codes of a colour would be counted as characters.
    const text = wrapMessage(`${row.state}  ${others.length === 0 ? `line ${row.line}  ${key}` : together}`, width)
    const head = painter.status(row.state) + text.slice(row.state.length)
    return [`${head}\n${wrapMessage(`    ${cleanText(getReason(row) ?? '')}`, width)}`]
  })
  const more = groups.slice(failuresShownMax).flat().length
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : []), ...(lines.length > 0 ? [''] : [])]
}

interface Sum {
  currency: string
  count: number
  amount: string
}

// What the service says may be no decimal. A sum without it would be too small, so there is none.
const addUp = (items: ReadonlyArray<{currency: string; amount: string}>): Sum[] =>
  [...Map.groupBy(items, ({currency}) => currency)].map(([currency, own]) => ({
    currency,
    count: own.length,
    amount: addAmounts(own.map(({amount}) => amount)) ?? 'unknown',
  }))

const formatSum = ({amount, currency}: Omit<Sum, 'count'>) => `${amount} ${currency}`

// What the rows of a file pay, by currency.
export const sumAmounts = (rows: readonly PayoutRow[]): Sum[] =>
  addUp(
    rows.map(({content: {source}}) => ({currency: source.sourceCurrency.toUpperCase(), amount: source.sourceAmount})),
  )

// A fee of the type USD is in dollars, and any other in the currency of its row.
export const sumDeveloperFees = (rows: readonly PayoutRow[]): string[] =>
  addUp(
    rows.flatMap(({content: {developerFee, source}}) => {
      if (!developerFee) return []
      const {developerFeeType: type, developerFeeAmount: amount} = developerFee
      return [{currency: type === 'USD' ? 'USD' : source.sourceCurrency.toUpperCase(), amount}]
    }),
  ).map(formatSum)

// Such as: 2 rows, 30.00 USDC
export const describeSent = (results: readonly PayoutResult[]): string =>
  [countNoun(results.length, 'row'), ...addUp(results).map(formatSum)].join(', ')

// What has arrived, or what is to arrive: a promise only if each of the rows has one.
function describeReceipt(sum: Sum, rows: readonly PayoutResult[]): string {
  const open = rows.filter((row) => row.receivedCurrency === sum.currency && isToArrive(row))
  if (open.length === 0) return `received ${formatSum(sum)}`
  const isGuaranteed = open.every(({guaranteed}) => guaranteed)
  const isUnknown = !isGuaranteed && open.some(({guaranteed}) => guaranteed === undefined)
  return `arrives: ${describeArrival(formatSum(sum), isUnknown ? undefined : isGuaranteed)}`
}

const countWidth = 11

// Nothing arrives from a transaction that ended badly, and the quoted fee is not known to be charged.
function sumGroup(label: string, rows: readonly PayoutResult[]): BoxRow {
  const charged = rows.filter(({state}) => state !== 'ENDED_BADLY')
  const fees = addUp(charged.flatMap(({currency, fee}) => (fee === undefined ? [] : [{currency, amount: fee}])))
  const arriving = charged.filter(({received}) => received !== undefined)
  const received = addUp(arriving.map((row) => ({currency: row.receivedCurrency, amount: row.received ?? '0'})))
  const madeBefore = rows.filter((row) => row.madeBefore).length
  const texts = [
    ...addUp(rows).map((sum) => {
      const fee = fees.find(({currency, amount}) => currency === sum.currency && !isZeroAmount(amount))
      return `${formatSum(sum)}${fee ? `, fees ${formatSum(fee)}` : ''}`
    }),
    ...received.map((sum) => describeReceipt(sum, arriving)),
    ...(madeBefore > 0 ? [`${madeBefore === rows.length ? '' : `${madeBefore} of them `}before this run`] : []),
  ]
  const lines = texts.map((text, index) => ({
    text: `${(index === 0 ? countNoun(rows.length, 'row') : '').padEnd(countWidth)}${text}`,
  }))
  return {label, lines}
}

export const sumRows = (results: readonly PayoutResult[]): BoxRow[] =>
  groupByState(results).map(([state, rows]) => sumGroup(capitalize(describeState(state)), rows))

const labelWidth = 13

export const renderFacts = (facts: readonly BoxRow[]): string =>
  facts
    .flatMap(({label, lines}) =>
      lines.map(({text}, index) => `${(index === 0 ? label : '').padEnd(labelWidth)}${text}\n`),
    )
    .join('')

// The rows that need attention, and the sums.
export const renderSummary = (results: readonly PayoutResult[], painter: Painter, width?: number): string =>
  [...renderFailures(results, painter, width).map((line) => `${line}\n`), renderFacts(sumRows(results))].join('')
