// Amounts of money: decimal strings, compared and calculated as decimals and never as floats.
import {Big} from 'big.js'

// No amount is longer or larger. The form is checked before the decimal library sees the text: it would spell 1e99999999 out,
// and would take -1e99999999 for a fee that any limit allows.
const decimalCharsMax = 128
const exponentMax = 40
const decimalForm = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e([+-]?\d{1,3}))?$/i

// Undefined if the text is not a decimal, or none that an amount could be.
export function parseDecimal(text: string): Big | undefined {
  if (text.length > decimalCharsMax) return undefined
  const form = decimalForm.exec(text)
  return form && Math.abs(Number(form[1] ?? 0)) <= exponentMax ? new Big(text) : undefined
}

// As parseDecimal, for what cannot be negative, such as a fee.
export function parsePositiveDecimal(text: string): Big | undefined {
  const decimal = parseDecimal(text)
  return decimal?.lt('0') ? undefined : decimal
}

// Equal amounts become equal strings: 1.50 and 15e-1 both become 1.5. Text that is not a decimal is returned unchanged.
export const normalizeAmount = (text: string): string => parseDecimal(text)?.toFixed() ?? text

export const isZeroAmount = (text: string) => normalizeAmount(text) === '0'

// How an amount is told that has yet to arrive, such as 230.00 EUR: a guaranteed quote is a promise, any other an estimate. Where it is
// not known which of them it was, as of a transaction that the service lists, neither is said.
export function describeArrival(money: string, isGuaranteed: boolean | undefined): string {
  if (isGuaranteed === undefined) return money
  return isGuaranteed ? `${money}, guaranteed` : `about ${money} (not guaranteed)`
}

// Says that nothing arrived of an amount whose transaction has ended badly.
export const describeNotArrived = (money: string): string => (money === '' ? '' : `none of ${money}`)

// The sum has as many decimals as the longest amount. Undefined if one of them is not a decimal.
export function addAmounts(amounts: readonly string[]): string | undefined {
  let total = new Big(0)
  let decimals = 0
  for (const text of amounts) {
    const amount = /^-?\d+(\.\d+)?$/.test(text) ? parseDecimal(text) : undefined
    if (!amount) return undefined
    total = total.plus(amount)
    decimals = Math.max(decimals, (text.split('.')[1] ?? '').length)
  }
  return total.toFixed(decimals)
}

// Fees that are so high that a person is asked about them, and a script is warned, unless a limit for them was set.
export const feePercentMax = 5

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
  return percent.gt(String(feePercentMax)) ? `${percent.round(1, Big.roundUp).toFixed()} %` : undefined
}

export const describeHighFees = (share: string) => `${share} of what is sent, more than the usual ${feePercentMax} %`
