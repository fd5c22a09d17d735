// The states of a transaction: every move from one to another happens along this table.
import type {z} from 'zod'
import type {transaction} from '../../contract/transactions.ts'

export type Transaction = z.infer<typeof transaction>
export type TransactionStatus = Transaction['transactionStatus']

// The interface shows the states and no move between them: these are assumed (docs/assumptions.md, M9).
export const transitions: Readonly<Record<TransactionStatus, readonly TransactionStatus[]>> = {
  // The money was in a service-managed wallet and is held.
  CREATED: ['PROCESSING', 'CANCELLED'],
  // The money must come from outside, before a deadline.
  AWAITING_TRANSFER: ['PROCESSING', 'CANCELLED', 'EXPIRED'],
  PROCESSING: ['COMPLETED', 'FAILED', 'CANCELLED'],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
  EXPIRED: [],
}

// The moves that lead from one state to another: none where they are the same, undefined where there is no way.
export function findPath(from: TransactionStatus, to: TransactionStatus): TransactionStatus[] | undefined {
  if (from === to) return []
  if (transitions[from].includes(to)) return [to]
  for (const next of transitions[from]) {
    const rest = findPath(next, to)
    if (rest) return [next, ...rest]
  }
  return undefined
}
