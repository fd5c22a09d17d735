// The decimals of a currency, and amounts formatted for people. The client and the sandbox both use this.
import {code as isoCurrency} from 'currency-codes'
import {Big} from 'big.js'
import {normalizeAmount, parseDecimal} from './money.ts'

// Tokens are not in ISO 4217.
const decimalsByLabel = new Map<string, number>([
  ['USDC', 6],
  ['USDT', 6],
])

// Amounts are shown with at least this many decimals, and without trailing zeros after them.
const decimalsShownMin = 2

// Undefined for an unknown currency.
export function findCurrencyDecimals(label: string): number | undefined {
  const known = decimalsByLabel.get(label)
  if (known !== undefined) return known
  const digits = isoCurrency(label)?.digits
  if (digits !== undefined) decimalsByLabel.set(label, digits)
  return digits
}

// By how many decimals an amount may have, if that is known and it has more.
export function findDecimalsMax(amount: string, label: string): number | undefined {
  const decimals = normalizeAmount(amount).split('.')[1]?.length ?? 0
  const most = decimals === 0 ? undefined : findCurrencyDecimals(label)
  return most !== undefined && decimals > most ? most : undefined
}

// Formats 100 as 100.00 and 0.1250 as 0.125. Text that is not an amount is returned unchanged.
export function formatAmount(text: string, decimals: number = decimalsShownMin): string {
  const plain = normalizeAmount(text)
  if (!/^-?\d+(\.\d+)?$/.test(plain)) return text
  const [whole, fraction = ''] = plain.split('.')
  const shown = fraction.padEnd(Math.min(decimals, decimalsShownMin), '0')
  return shown === '' ? `${whole}` : `${whole}.${shown}`
}

// Rounds to so many decimals for people who read a figure; the exact one stands elsewhere. What is not zero is never shown as zero.
function roundDecimal(text: string, decimals: number): string {
  const exact = parseDecimal(text)
  if (!exact) return text
  const rounded = exact.round(decimals, Big.roundHalfUp)
  return rounded.eq('0') && !exact.eq('0') ? `under ${new Big(`1e-${decimals}`).toFixed()}` : rounded.toFixed(decimals)
}

// To the smallest unit of the currency. Tokens, which have more decimals than people read, are rounded as most currencies.
export const roundAmount = (text: string, label: string): string =>
  roundDecimal(text, isoCurrency(label)?.digits ?? decimalsShownMin)
