// The summary at the end of a run: rows that need attention, and totals by currency.
import {countNoun} from '../../values/text.ts'
import type {Painter} from '../../cli/output/colour.ts'
import {readCode} from '../../contract/loose.ts'
import {addAmounts, describeArrival} from '../../values/money.ts'
import type {PayoutRow} from '../file/rows.ts'
import {type PayoutResult, isUnderWay} from './result.ts'
import {groupByHeading, hasTransaction} from './row-states.ts'
import {renderFailures} from './view.ts'

const isCompleted = ({state, status}: PayoutResult) => state === 'CREATED' && readCode(status) === 'COMPLETED'

const labelWidth = 13
const countWidth = 11

const isNonZero = (amount: string) => /[^0.]/.test(amount)

function formatTotal({currency, amount, fee}: Total): string {
  return isNonZero(fee) ? `${amount} ${currency}, fees ${fee} ${currency}` : `${amount} ${currency}`
}

// What has arrived, or what is to arrive: a promise only if each of the rows has one.
function describeSum(money: string, rows: readonly PayoutResult[]): string {
  const open = rows.filter((row) => row.received !== undefined && (row.state === 'READY' || isUnderWay(row)))
  return open.length === 0 ? `received ${money}` : `arrives: ${describeArrivals(money, open)}`
}

// A sum that has yet to arrive.
export function describeArrivals(money: string, open: readonly PayoutResult[]): string {
  const isGuaranteed = open.every(({guaranteed}) => guaranteed)
  const isUnknown = !isGuaranteed && open.some(({guaranteed}) => guaranteed === undefined)
  return describeArrival(money, isUnknown ? undefined : isGuaranteed)
}

function renderGroup(label: string, rows: readonly PayoutResult[]): string[] {
  if (rows.length === 0) return []
  const {leaving, arriving} = computeTotals(rows)
  const madeBefore = rows.filter((row) => row.madeBefore).length
  const head = `${label.padEnd(labelWidth)}${countNoun(rows.length, 'row').padEnd(countWidth)}`
  const indent = ' '.repeat(labelWidth + countWidth)
  return [
    ...leaving.map((total, index) => `${index === 0 ? head : indent}${formatTotal(total)}`),
    ...arriving.map(({amount, currency}) => {
      const own = rows.filter((row) => row.receivedCurrency === currency)
      return `${indent}${describeSum(`${amount} ${currency}`, own)}`
    }),
    ...(madeBefore === 0
      ? []
      : [`${indent}${madeBefore === rows.length ? '' : `${madeBefore} of them `}before this run`]),
  ]
}

const wasMadeNow = ({state, madeBefore}: PayoutResult) => hasTransaction(state) && !madeBefore
const mayBePaid = (row: PayoutResult) => wasMadeNow(row) || row.state === 'UNKNOWN' || row.state === 'IN_PROGRESS'

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
    ...groupByHeading(rows)
      .filter(([heading]) => !isAwaited || heading !== 'Made')
      .flatMap(([heading, own]) => renderGroup(heading, own)),
  ]
    .map((line) => `${line}\n`)
    .join('')

// Adds up rows by currency.
interface Total {
  currency: string
  count: number
  amount: string
  fee: string
}

// What the service says may be no decimal. A sum without it would be too small, so there is none.
const addUp = (amounts: readonly string[]) => addAmounts(amounts) ?? 'unknown'

const sumByCurrency = <T>(
  items: readonly T[],
  getCurrency: (item: T) => string,
  getAmount: (item: T) => string,
  getFee: (item: T) => string | undefined = () => undefined,
): Total[] =>
  [...Map.groupBy(items, getCurrency)].map(([currency, own]) => ({
    currency,
    count: own.length,
    amount: addUp(own.map(getAmount)),
    fee: addUp(own.flatMap((item) => getFee(item) ?? [])),
  }))

// Nothing arrives from a transaction that ended badly, and the quoted fee is not known to be charged.
export function computeTotals(results: readonly PayoutResult[]) {
  const hasEndedBadly = ({state}: PayoutResult) => state === 'ENDED_BADLY'
  const arriving = results.filter((result) => result.received !== undefined && !hasEndedBadly(result))
  return {
    leaving: sumByCurrency(
      results,
      ({currency}) => currency,
      ({amount}) => amount,
      (result) => (hasEndedBadly(result) ? undefined : result.fee),
    ),
    arriving: sumByCurrency(
      arriving,
      ({receivedCurrency}) => receivedCurrency,
      ({received = '0'}) => received,
    ),
  }
}

// What the rows of a file pay, by currency.
export const sumAmounts = (rows: readonly PayoutRow[]): Total[] =>
  sumByCurrency(
    rows,
    ({content}) => content.source.sourceCurrency.toUpperCase(),
    ({content}) => content.source.sourceAmount,
  )

// A fee of the type USD is in dollars, and any other in the currency of its row.
export const sumDeveloperFees = (rows: readonly PayoutRow[]): string[] =>
  formatSums(
    sumByCurrency(
      rows.filter(({content}) => content.developerFee !== undefined),
      ({content: {developerFee, source}}) =>
        developerFee?.developerFeeType === 'USD' ? 'USD' : source.sourceCurrency.toUpperCase(),
      ({content}) => content.developerFee?.developerFeeAmount ?? '0',
    ),
  )

export const formatSums = (totals: readonly Total[]) => totals.map(({amount, currency}) => `${amount} ${currency}`)
