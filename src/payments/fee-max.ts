// The most that fees may come to, as people write it: an amount, or a share of what is paid.
import {Big} from 'big.js'
import type {PriceLimits} from './limits.ts'

const pattern = /^(\d{1,30}(?:\.\d{1,30})?)(?:\s*(%))?$/
const percentMax = '100'

export const feeMaxFormat = `an amount such as 2.50, or a share such as 1.5%, at most ${percentMax}%`

// Undefined where it is neither.
export function parseFeeMax(written: string): NonNullable<PriceLimits['feeMax']> | undefined {
  const [, number, percent] = pattern.exec(written) ?? []
  if (number === undefined) return undefined
  if (percent === undefined) return {amount: number}
  return new Big(number).gt(percentMax) ? undefined : {percent: number}
}
