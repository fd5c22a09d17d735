// The statuses of a transaction and the allowed transitions between them.
import type {z} from 'zod'
import type {transaction} from '../../../contract/transactions.ts'

export type Transaction = z.infer<typeof transaction>
export type TransactionStatus = Transaction['transactionStatus']

// The interface shows the statuses but not the transitions. These are assumed (docs/assumptions.md, M9).
export const transitions: Readonly<Record<TransactionStatus, readonly TransactionStatus[]>> = {
  // The money comes from a service-managed wallet and is held.
  CREATED: ['PROCESSING', 'CANCELLED'],
  // The money must arrive from outside before a deadline.
  AWAITING_TRANSFER: ['PROCESSING', 'CANCELLED', 'EXPIRED'],
  PROCESSING: ['COMPLETED', 'FAILED', 'CANCELLED'],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
  EXPIRED: [],
}

// The transitions from one status to another: empty if they are the same, undefined if there is no path.
export function findPath(from: TransactionStatus, to: TransactionStatus): TransactionStatus[] | undefined {
  if (from === to) return []
  if (transitions[from].includes(to)) return [to]
  for (const next of transitions[from]) {
    const rest = findPath(next, to)
    if (rest) return [next, ...rest]
  }
  return undefined
}
