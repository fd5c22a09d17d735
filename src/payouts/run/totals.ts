// Adds up rows by currency.
import {Big} from 'big.js'
import {parseDecimal} from '../../values/money.ts'
import type {PayoutResult} from './result.ts'
import type {PayoutRow} from '../file/rows.ts'

export interface Total {
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

const sumLeaving = (results: readonly PayoutResult[]): Total[] =>
  sumByCurrency(
    results,
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

export const computeTotals = (results: readonly PayoutResult[]) => ({
  leaving: sumLeaving(results),
  arriving: sumArriving(results),
})

// What the rows of a file pay, by currency.
export const sumAmounts = (rows: readonly PayoutRow[]): Total[] =>
  sumByCurrency(
    rows,
    ({content}) => content.source.sourceCurrency.toUpperCase(),
    ({content}, {amount}) => amount.add(content.source.sourceAmount),
  )

// For example: 150.00 USDC, 20 EUR.
export const sumRows = (rows: readonly PayoutRow[]): string[] => formatSums(sumAmounts(rows))

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
