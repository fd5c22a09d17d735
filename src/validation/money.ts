// Amounts of money: decimal strings, compared and calculated as decimals and never as floats.
import {Big} from 'big.js'

// Equal amounts become equal strings: 1.50 and 15e-1 both become 1.5. Text that is not a decimal is returned unchanged.
export function normalizeAmount(text: string): string {
  try {
    return new Big(text).toFixed()
  } catch {
    return text
  }
}

export const isZeroAmount = (text: string) => normalizeAmount(text) === '0'

// The sum has as many decimals as the longest amount. Undefined if one of them is not a decimal.
export function addAmounts(amounts: readonly string[]): string | undefined {
  if (!amounts.every((text) => /^-?\d+(\.\d+)?$/.test(text))) return undefined
  const decimals = Math.max(0, ...amounts.map((text) => (text.split('.')[1] ?? '').length))
  return amounts.reduce((total, text) => total.plus(text), new Big(0)).toFixed(decimals)
}
