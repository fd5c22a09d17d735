// What a wallet holds, in words. Only the embedded sandbox tells balances; for any other service nothing is said.
import {parsePositiveDecimal} from '../values/money.ts'

// Amounts by currency. Empty if nothing is known.
export type Balances = Readonly<Record<string, string>>

// Such as: 812.50 USDC, 3 USDT
export const formatBalances = (balances: Balances): string =>
  Object.entries(balances)
    .map(([currency, amount]) => `${amount} ${currency}`)
    .join(', ')

// What the wallet holds in the currency, such as: 812.50 USDC. Undefined if nothing is known.
export function formatBalance(balances: Balances, currency: string): string | undefined {
  return Object.keys(balances).length === 0 ? undefined : `${balances[currency] ?? '0'} ${currency}`
}

export function isMoreThanBalance(amount: string, balances: Balances, currency: string): boolean {
  const [wanted, held] = [amount, balances[currency] ?? '0'].map(parsePositiveDecimal)
  return Object.keys(balances).length > 0 && wanted !== undefined && held !== undefined && wanted.gt(held)
}
