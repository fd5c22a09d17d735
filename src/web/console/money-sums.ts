// Adds up what transactions sent and cost, exactly, as decimals.
import {Big} from 'big.js'
import {readCode} from '../../contract/loose.ts'
import {roundAmount} from '../../values/currencies.ts'
import {parsePositiveDecimal} from '../../values/money.ts'
import {formatAmount, toCurrency, toText, toTime} from '../format.ts'
import type {Cut} from './context.ts'
import type {LooseTransaction} from './source.ts'

// Money of a transaction that ended badly did not move in the end.
const endedBadly = new Set(['FAILED', 'CANCELLED', 'EXPIRED'])

export const isOpen = ({transactionStatus: status}: LooseTransaction): boolean =>
  !endedBadly.has(readCode(status)) && readCode(status) !== 'COMPLETED'

export interface Sum {
  currency: string
  amount: Big
}

function addUp(amounts: readonly (readonly [currency: unknown, amount: unknown])[]): Sum[] {
  const sums = new Map<string, Big>()
  for (const [currency, amount] of amounts) {
    const label = toCurrency(currency)
    const value = parsePositiveDecimal(toText(amount))
    if (label !== '' && value) sums.set(label, (sums.get(label) ?? new Big(0)).plus(value))
  }
  return [...sums].map(([currency, amount]) => ({currency, amount})).filter(({amount}) => amount.gt('0'))
}

export const formatSums = (sums: readonly Sum[]): string =>
  sums.map(({currency, amount}) => `${formatAmount(roundAmount(amount.toFixed(), currency))} ${currency}`).join(', ')

// The transactions that were made in this time and did not end badly. Undefined if the list was read in part, and not as far back.
export function findInTime(
  {items, isCut}: Cut<LooseTransaction>,
  fromMs: number,
  toMs: number,
): LooseTransaction[] | undefined {
  const getMs = ({createdAt}: LooseTransaction) => toTime(createdAt) ?? 0
  if (isCut && items.every((each) => getMs(each) > fromMs)) return undefined
  return items.filter(
    (each) => getMs(each) >= fromMs && getMs(each) < toMs && !endedBadly.has(readCode(each.transactionStatus)),
  )
}

export const sumSent = (transactions: readonly LooseTransaction[]): Sum[] =>
  addUp(transactions.map(({source}) => [source?.sourceCurrency, source?.sourceAmount]))

export const sumFees = (transactions: readonly LooseTransaction[]): Sum[] =>
  addUp(
    transactions.flatMap(({fees}) => [
      [fees?.feeCurrency, fees?.svcFee?.feeAmount] as const,
      [fees?.feeCurrency, fees?.developerFee?.feeAmount] as const,
    ]),
  )
