// The sums of rows by their state and currency: at the end of a run, in the status of a file, in a dry run and in the question before a
// run. They are facts with a label, for a terminal as for a box.
import type {BoxRow} from '../../cli/output/box.ts'
import type {Painter} from '../../cli/output/colour.ts'
import {addAmounts, describeArrival} from '../../values/money.ts'
import {capitalize, countNoun} from '../../values/text.ts'
import type {PayoutRow} from '../file/rows.ts'
import {type PayoutResult, isUnderWay} from './result.ts'
import {describeState, hasTransaction, sortByState} from './row-states.ts'
import {renderFailures} from './view.ts'

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

// What the rows of a file pay, by currency.
export const sumAmounts = (rows: readonly PayoutRow[]): Total[] =>
  sumByCurrency(
    rows,
    ({content}) => content.source.sourceCurrency.toUpperCase(),
    ({content}) => content.source.sourceAmount,
  )

const formatSums = (totals: readonly Total[]) => totals.map(({amount, currency}) => `${amount} ${currency}`)

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

// Such as: 2 rows, 30.00 USDC
export const describeSent = (results: readonly PayoutResult[]): string =>
  [
    countNoun(results.length, 'row'),
    ...formatSums(
      sumByCurrency(
        results,
        ({currency}) => currency,
        ({amount}) => amount,
      ),
    ),
  ].join(', ')

const hasEndedBadly = ({state}: PayoutResult) => state === 'ENDED_BADLY'

const isNonZero = (amount: string) => /[^0.]/.test(amount)

// What has arrived, or what is to arrive: a promise only if each of the rows has one.
function describeReceipt({amount, currency}: Total, rows: readonly PayoutResult[]): string {
  const open = rows.filter((row) => row.receivedCurrency === currency && (row.state === 'READY' || isUnderWay(row)))
  if (open.length === 0) return `received ${amount} ${currency}`
  const isGuaranteed = open.every(({guaranteed}) => guaranteed)
  const isUnknown = !isGuaranteed && open.some(({guaranteed}) => guaranteed === undefined)
  return `arrives: ${describeArrival(`${amount} ${currency}`, isUnknown ? undefined : isGuaranteed)}`
}

const countWidth = 11

// Nothing arrives from a transaction that ended badly, and the quoted fee is not known to be charged.
function sumGroup(label: string, rows: readonly PayoutResult[]): BoxRow {
  const arriving = rows.filter((row) => row.received !== undefined && !hasEndedBadly(row))
  const leaving = sumByCurrency(
    rows,
    ({currency}) => currency,
    ({amount}) => amount,
    (row) => (hasEndedBadly(row) ? undefined : row.fee),
  )
  const received = sumByCurrency(
    arriving,
    ({receivedCurrency}) => receivedCurrency,
    ({received: amount = '0'}) => amount,
  )
  const madeBefore = rows.filter((row) => row.madeBefore).length
  const texts = [
    ...leaving.map(
      ({currency, amount, fee}) => `${amount} ${currency}${isNonZero(fee) ? `, fees ${fee} ${currency}` : ''}`,
    ),
    ...received.map((total) => describeReceipt(total, arriving)),
    ...(madeBefore > 0 ? [`${madeBefore === rows.length ? '' : `${madeBefore} of them `}before this run`] : []),
  ]
  const lines = texts.map((text, index) => ({
    text: `${(index === 0 ? countNoun(rows.length, 'row') : '').padEnd(countWidth)}${text}`,
  }))
  return {label, lines}
}

// With --wait, what has arrived is told apart from what was made and is still under way.
export function sumRows(results: readonly PayoutResult[], isAwaited = false): BoxRow[] {
  const chooseLabel = (row: PayoutResult) => {
    if (!isAwaited || row.state !== 'CREATED') return capitalize(describeState(row.state))
    return isUnderWay(row) ? 'Not ended' : 'Completed'
  }
  return [...Map.groupBy(sortByState(results), chooseLabel)].map(([label, rows]) => sumGroup(label, rows))
}

const labelWidth = 13

export const renderFacts = (facts: readonly BoxRow[]): string[] =>
  facts.flatMap(({label, lines}) =>
    lines.map(({text}, index) => `${(index === 0 ? label : '').padEnd(labelWidth)}${text}`),
  )

// The sums of payments that were made before would read as if they had been paid now.
const isNothingPaid = (results: readonly PayoutResult[]) =>
  results.some(({madeBefore}) => madeBefore) &&
  results.every(({state, madeBefore}) =>
    hasTransaction(state) ? madeBefore : state !== 'UNKNOWN' && state !== 'IN_PROGRESS',
  )

// The rows that need attention, and the sums.
export const renderSummary = (
  results: readonly PayoutResult[],
  painter: Painter,
  width?: number,
  isAwaited = false,
): string =>
  [
    ...renderFailures(results, painter, width),
    ...(isNothingPaid(results) ? ['Nothing was paid in this run.'] : []),
    ...renderFacts(sumRows(results, isAwaited)),
  ]
    .map((line) => `${line}\n`)
    .join('')
