// Formats the amounts of a transaction with their currencies, such as 120.50 USD.
import type {LooseTransaction} from '../contract/loose.ts'
import {formatMoney} from '../cli/output/format-values.ts'
import {toText} from '../cli/output/view.ts'
import {addAmounts} from '../values/money.ts'

export const formatSourceAmount = ({source}: LooseTransaction) =>
  formatMoney(source?.sourceAmount, source?.sourceCurrency)

export const formatDestinationAmount = ({destination}: LooseTransaction) =>
  formatMoney(destination?.destinationAmount, destination?.destinationCurrency)

export const formatFee = ({fees}: LooseTransaction, name: 'svcFee' | 'developerFee') =>
  formatMoney(fees?.[name]?.feeAmount, fees?.feeCurrency)

// The sum of both fees, which are in the source currency. An absent fee counts as 0. There is no sum if one of them is not a
// decimal.
export function formatFees({fees}: LooseTransaction): unknown {
  const amounts = [toText(fees?.svcFee?.feeAmount), toText(fees?.developerFee?.feeAmount)]
  if (amounts.every((amount) => amount === '')) return undefined
  return formatMoney(addAmounts(amounts.map((amount) => amount || '0')), fees?.feeCurrency)
}
