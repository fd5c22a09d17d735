// Amounts of money: decimal text, compared and computed as decimals and never as floats.
import {Big} from 'big.js'

// Any amount in plain notation without needless zeros, so that equal amounts are equal text; what is no decimal stays as it is.
export function normalizeAmount(text: string): string {
  try {
    return new Big(text).toFixed()
  } catch {
    return text
  }
}

export const isZeroAmount = (text: string) => normalizeAmount(text) === '0'

// Amounts added up, with as many decimals as the longest of them; undefined where one of them is no decimal.
export function addAmounts(amounts: readonly string[]): string | undefined {
  if (!amounts.every((text) => /^-?\d+(\.\d+)?$/.test(text))) return undefined
  const decimals = Math.max(0, ...amounts.map((text) => (text.split('.')[1] ?? '').length))
  return amounts.reduce((total, text) => total.plus(text), new Big(0)).toFixed(decimals)
}
