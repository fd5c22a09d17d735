// Hears of every change of a balance, and fires the rules whose threshold it crosses.
import type {Turn} from '../turn.ts'

export interface BalanceChange {
  accountId: string
  currency: string
  // Decimal strings.
  before: string
  after: string
}

// Called by the ledger inside the transaction that changes the balance.
export function balanceChanged(_turn: Turn, _change: BalanceChange): void {}
