// How many decimals a currency has, and amounts of it as people read them; both sides count with this.
import {code as isoCurrency} from 'currency-codes'
import {normalizeAmount} from './money.ts'

// ISO 4217 knows no tokens.
const decimalsByLabel = new Map<string, number>([
  ['USDC', 6],
  ['USDT', 6],
])

// People read amounts with at least this many decimals; further ones are shown only where they say something.
const decimalsShownMin = 2

// Undefined where nobody knows the currency.
export function findCurrencyDecimals(label: string): number | undefined {
  const known = decimalsByLabel.get(label)
  if (known !== undefined) return known
  const digits = isoCurrency(label)?.digits
  if (digits !== undefined) decimalsByLabel.set(label, digits)
  return digits
}

// 100 becomes 100.00, and 0.1250 becomes 0.125; what is no amount stays as it is.
export function formatAmount(text: string, decimals: number = decimalsShownMin): string {
  const plain = normalizeAmount(text)
  if (!/^-?\d+(\.\d+)?$/.test(plain)) return text
  const [whole, fraction = ''] = plain.split('.')
  const shown = fraction.padEnd(Math.min(decimals, decimalsShownMin), '0')
  return shown === '' ? `${whole}` : `${whole}.${shown}`
}
