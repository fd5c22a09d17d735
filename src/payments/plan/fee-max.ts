// Parses --max-fee: an amount, or a percentage of the amount paid.
import {Big} from 'big.js'
import type {PriceLimits} from '../protocol/limits.ts'

const pattern = /^(\d{1,30}(?:\.\d{1,30})?)(?:\s*(%))?$/
const percentMax = '100'

export const feeMaxFormat = `an amount such as 2.50, or a percentage such as 1.5%, at most ${percentMax}%`

// Returns undefined if the text is neither.
export function parseFeeMax(text: string): NonNullable<PriceLimits['feeMax']> | undefined {
  const [, number, percent] = pattern.exec(text) ?? []
  if (number === undefined) return undefined
  if (percent === undefined) return {amount: number}
  return new Big(number).gt(percentMax) ? undefined : {percent: number}
}
