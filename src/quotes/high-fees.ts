// Fees that are so high that a person is asked about them, and a script is warned, unless a limit for them was set.
import {Big} from 'big.js'
import {addAmounts, parsePositiveDecimal} from '../values/money.ts'

const percentMax = 5

export interface ChargedFees {
  // What is sent, and in what.
  amount: string
  currency: string
  // Those of the service and one's own. What is empty was not charged.
  fees: readonly string[]
  feeCurrency: string
}

// Their share of what is sent, such as "24.1 %". Undefined if that is not high, or cannot be told.
export function findHighFees({amount, currency, fees, feeCurrency}: ChargedFees): string | undefined {
  if (feeCurrency.toUpperCase() !== currency.toUpperCase()) return undefined
  const [sent, charged] = [amount, addAmounts(fees.filter((fee) => fee !== '')) ?? ''].map(parsePositiveDecimal)
  if (!sent || !charged || sent.eq('0')) return undefined
  const percent = charged.times('100').div(sent)
  // Rounded up, so that it does not read as the share that is usual.
  return percent.gt(String(percentMax)) ? `${percent.round(1, Big.roundUp).toFixed()} %` : undefined
}

export const describeHighFees = (share: string) => `${share} of what is sent, more than the usual ${percentMax} %`
