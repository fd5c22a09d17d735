// The summary at the end of a run: rows that need attention, and totals by currency.
import {Big} from 'big.js'
import type {WriteConfirmation} from '../../cli/confirm-write.ts'
import type {BoxRow} from '../../cli/output/box.ts'
import {countNoun} from '../../values/text.ts'
import type {Painter} from '../../cli/output/colour.ts'
import {readCode} from '../../contract/loose.ts'
import type {Caller} from '../../profiles/caller.ts'
import {describePlace} from '../../profiles/write-gate.ts'
import {describeArrival, parseDecimal} from '../../values/money.ts'
import {getMostSent} from '../../payments/protocol/limits.ts'
import {type UnreadyRow, customersCheckedMax} from '../file/readiness.ts'
import type {PayoutRow} from '../file/rows.ts'
import {isCreated} from './journal-state.ts'
import {type PayoutResult, type RowState, type RowStop, isUnderWay} from './result.ts'
import type {OpenBatch} from './run.ts'
import {renderFailures} from './view.ts'

const isCompleted = ({state, status}: PayoutResult) => state === 'CREATED' && readCode(status) === 'COMPLETED'

const stateGroups: ReadonlyArray<readonly [label: string, states: readonly RowState[]]> = [
  ['Made', ['CREATED']],
  ['Ready', ['READY']],
  ['Not ready', ['NOT_READY']],
  ['Ended badly', ['ENDED_BADLY']],
  ['Failed', ['STOPPED', 'REJECTED', 'FAILED']],
  ['Unknown', ['UNKNOWN']],
  ['In progress', ['IN_PROGRESS']],
  ['Not tried', ['NOT_TRIED']],
]
const labelWidth = 13
const countWidth = 11

const isNonZero = (amount: string) => /[1-9]/.test(amount)

function formatTotal({currency, amount, fee}: Total): string {
  return isNonZero(fee) ? `${amount} ${currency}, fees ${fee} ${currency}` : `${amount} ${currency}`
}

// What has arrived, or what is to arrive: a promise only if each of the rows has one.
function describeSum(money: string, rows: readonly PayoutResult[]): string {
  const open = rows.filter((row) => row.received !== undefined && (row.state === 'READY' || isUnderWay(row)))
  if (open.length === 0) return `received ${money}`
  const isGuaranteed = open.every(({guaranteed}) => guaranteed)
  const isUnknown = !isGuaranteed && open.some(({guaranteed}) => guaranteed === undefined)
  return `arrives: ${describeArrival(money, isUnknown ? undefined : isGuaranteed)}`
}

function renderGroup(label: string, rows: readonly PayoutResult[]): string[] {
  if (rows.length === 0) return []
  const {leaving, arriving, wanted} = computeTotals(rows)
  const madeBefore = rows.filter((row) => row.madeBefore).length
  const head = `${label.padEnd(labelWidth)}${countNoun(rows.length, 'row').padEnd(countWidth)}`
  const indent = ' '.repeat(labelWidth + countWidth)
  const money = arriving.map(({amount, currency}) => `${amount} ${currency}`).join(', ')
  return [
    ...[...leaving.map(formatTotal), ...formatSums(wanted).map((sum) => `${sum} to arrive`)].map(
      (text, index) => `${index === 0 ? head : indent}${text}`,
    ),
    ...(money === '' ? [] : [`${indent}${describeSum(money, rows)}`]),
    ...(madeBefore === 0
      ? []
      : [`${indent}${madeBefore === rows.length ? '' : `${madeBefore} of them `}before this run`]),
  ]
}

const wasMadeNow = ({state, madeBefore}: PayoutResult) => transactionStates.has(state) && !madeBefore
const mayBePaid = (row: PayoutResult) => wasMadeNow(row) || row.state === 'UNKNOWN' || row.state === 'IN_PROGRESS'
const transactionStates: ReadonlySet<RowState> = new Set(['CREATED', 'ENDED_BADLY'])

// The sums of payments that were made before would read as if they had been paid now.
const renderNothingPaid = (rows: readonly PayoutResult[]): string[] =>
  rows.some(({madeBefore}) => madeBefore) && !rows.some(mayBePaid) ? ['Nothing was paid in this run.'] : []

// With --wait, what has arrived is told apart from what was made and is still under way.
function renderMade(rows: readonly PayoutResult[]): string[] {
  const made = rows.filter(({state}) => state === 'CREATED')
  return [
    ...renderGroup('Completed', made.filter(isCompleted)),
    ...renderGroup(
      'Not ended',
      made.filter((row) => !isCompleted(row)),
    ),
  ]
}

export const renderAwaitedSummary: typeof renderSummary = (rows, painter, width) =>
  renderSummary(rows, painter, width, true)

export const renderSummary = (
  rows: readonly PayoutResult[],
  painter: Painter,
  width?: number,
  isAwaited = false,
): string =>
  [
    ...renderFailures(rows, painter, width),
    ...renderNothingPaid(rows),
    ...(isAwaited ? renderMade(rows) : []),
    ...(isAwaited ? stateGroups.slice(1) : stateGroups).flatMap(([label, states]) =>
      renderGroup(
        label,
        rows.filter(({state}) => states.includes(state)),
      ),
    ),
  ]
    .map((line) => `${line}\n`)
    .join('')

// What a person sees before a file is paid: how many rows, how much, and what is left out.
const countRows = (count: number) => `${count} ${count === 1 ? 'row' : 'rows'}`

const buildRow = (label: string, texts: readonly string[], remark?: string): BoxRow[] =>
  texts.length === 0
    ? []
    : [{label, lines: [...texts.map((text) => ({text})), ...(remark ? [{text: remark, tone: 'dim' as const}] : [])]}]

const unreadyShownMax = 5

// Names the rows that the service would refuse, before the first row is paid.
function buildUnreadyRows(unready: readonly UnreadyRow[] | undefined): BoxRow[] {
  if (!unready) {
    const text = `not checked, for more than ${customersCheckedMax} customers; --dry-run checks them all`
    return buildRow('Accounts', [text])
  }
  const shown = unready.slice(0, unreadyShownMax).map(({row, reason}) => `line ${row.line}, ${row.key}: ${reason}`)
  const more = unready.length - shown.length
  return buildRow(
    'Would be refused',
    more > 0 ? [...shown, `and ${countRows(more)} more; --dry-run lists them all`] : shown,
  )
}

function describeRefused(refused: number, count: number): string {
  if (refused === 0) return ''
  if (count === 1) return ', although it would be refused'
  return `, although ${refused === count ? 'each' : refused} would be refused`
}

interface RunQuestionSettings {
  caller: Caller
  stops: readonly RowStop[]
  // Reads which of the rows would be refused. It is called only if someone is asked.
  findUnready: (rows: readonly PayoutRow[]) => Promise<UnreadyRow[] | undefined>
}

// Undefined if nothing is left to pay.
export function buildRunQuestion(
  {rows, journalState}: Pick<OpenBatch, 'rows' | 'journalState'>,
  {caller, stops, findUnready}: RunQuestionSettings,
): WriteConfirmation | undefined {
  const stopped = new Set(stops.map(({row}) => row.key))
  const left = rows.filter((row) => !isCreated(row, journalState))
  const open = left.filter(({key}) => !stopped.has(key))
  if (open.length === 0) return undefined
  const made = rows.length - left.length
  const fees = sumDeveloperFees(open)
  const groups = [
    [
      ...buildRow('Rows', [countRows(open.length)]),
      ...buildRow(
        'Amount',
        sumRows(open),
        'the fees of the service come out of it; --dry-run --with-quotes shows them',
      ),
      ...buildRow('To arrive', sumReceive(open), 'how much is sent for it is found when it is paid'),
      ...buildRow('Your fees', fees),
    ],
    [
      ...buildRow('Made before', made > 0 ? [`${countRows(made)}, not paid again`] : []),
      ...buildRow('Left out', stopped.size > 0 ? [`${countRows(stopped.size)}, over the limits of the profile`] : []),
    ],
  ]
  let refused = 0
  return {
    describe: async () => {
      const unready = await findUnready(open)
      refused = unready?.length ?? 0
      return {
        title: `Please confirm ${describePlace(caller)}`,
        isLive: caller.environment === 'live',
        groups: [...groups, buildUnreadyRows(unready)],
      }
    },
    question: () => `Pay ${countRows(open.length)}${describeRefused(refused, open.length)}?`,
  }
}

// Adds up rows by currency.
interface Total {
  currency: string
  count: number
  amount: string
  fee: string
}

// Prints as many decimals as the amount with the most decimals.
class Sum {
  #total = new Big(0)
  #decimals = 0

  add(text: string): void {
    const amount = /^-?\d+(\.\d+)?$/.test(text) ? parseDecimal(text) : undefined
    if (!amount) return
    this.#total = this.#total.plus(amount)
    this.#decimals = Math.max(this.#decimals, (text.split('.')[1] ?? '').length)
  }

  toString(): string {
    return this.#total.toFixed(this.#decimals)
  }
}

function sumByCurrency<T>(items: readonly T[], getCurrency: (item: T) => string, add: (item: T, sums: Sums) => void) {
  const sums = new Map<string, Sums>()
  for (const item of items) {
    const currency = getCurrency(item)
    const currencySums = sums.get(currency) ?? {count: 0, amount: new Sum(), fee: new Sum()}
    sums.set(currency, currencySums)
    currencySums.count++
    add(item, currencySums)
  }
  return [...sums].map(([currency, {count, amount, fee}]): Total => ({
    currency,
    count,
    amount: String(amount),
    fee: String(fee),
  }))
}

interface Sums {
  count: number
  amount: Sum
  fee: Sum
}

// Nothing arrives from a transaction that ended badly, and the quoted fee is not known to be charged.
const hasEndedBadly = ({state}: PayoutResult) => state === 'ENDED_BADLY'

// A row whose amount was not found yet counts by what is to arrive.
const sumLeaving = (results: readonly PayoutResult[]): Total[] =>
  sumByCurrency(
    results.filter(({amount}) => amount !== ''),
    ({currency}) => currency,
    (result, sums) => {
      sums.amount.add(result.amount)
      if (result.fee !== undefined && !hasEndedBadly(result)) sums.fee.add(result.fee)
    },
  )

const sumArriving = (results: readonly PayoutResult[]): Total[] =>
  sumByCurrency(
    results.filter((result) => result.received !== undefined && !hasEndedBadly(result)),
    ({receivedCurrency}) => receivedCurrency,
    ({received = '0'}, {amount}) => amount.add(received),
  )

const computeTotals = (results: readonly PayoutResult[]) => ({
  leaving: sumLeaving(results),
  arriving: sumArriving(results),
  wanted: sumByCurrency(
    results.filter(({amount, receive}) => amount === '' && receive !== undefined),
    ({receivedCurrency}) => receivedCurrency,
    ({receive = ''}, {amount}) => amount.add(receive),
  ),
})

// What the rows of a file pay, by currency.
export const sumAmounts = (rows: readonly PayoutRow[]): Total[] =>
  sumByCurrency(
    rows,
    ({content}) => content.source.sourceCurrency.toUpperCase(),
    (row, {amount}) => amount.add(getMostSent(row)),
  )

const isFoundLater = ({content: {receive}, limits}: PayoutRow) => receive !== undefined && limits.sentMax === undefined

// What is to arrive of rows that say that, by currency.
const sumReceive = (rows: readonly PayoutRow[]): string[] =>
  formatSums(
    sumByCurrency(
      rows.filter(({content}) => content.receive !== undefined),
      ({content}) => content.destination.destinationCurrency.toUpperCase(),
      ({content}, {amount}) => amount.add(content.receive ?? ''),
    ),
  )

// For example: 150.00 USDC, 20 EUR.
export const sumRows = (rows: readonly PayoutRow[]): string[] =>
  formatSums(sumAmounts(rows.filter((row) => !isFoundLater(row))))

// A fee of the type USD is in dollars, and any other in the currency of its row.
export const sumDeveloperFees = (rows: readonly PayoutRow[]): string[] =>
  formatSums(
    sumByCurrency(
      rows.filter(({content}) => content.developerFee !== undefined),
      ({content: {developerFee, source}}) =>
        developerFee?.developerFeeType === 'USD' ? 'USD' : source.sourceCurrency.toUpperCase(),
      ({content}, {amount}) => amount.add(content.developerFee?.developerFeeAmount ?? '0'),
    ),
  )

const formatSums = (totals: readonly Total[]) => totals.map(({amount, currency}) => `${amount} ${currency}`)
