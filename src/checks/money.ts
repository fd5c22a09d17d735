// Amounts of money: decimal text, compared and computed as decimals and never as floats.
import {Big} from 'big.js'

// Any amount in plain notation without needless zeros, so that equal amounts are equal text; what is no decimal stays as it is.
export function plainAmount(text: string): string {
  try {
    return new Big(text).toFixed()
  } catch {
    return text
  }
}

export const isNothing = (text: string) => plainAmount(text) === '0'
