// The statuses of a transaction and the allowed transitions between them.
import type {z} from 'zod'
import type {transaction} from '../../../contract/transactions.ts'
import type {Result} from '../../../sandbox-results.ts'

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

// Magic amounts: the decimals of the source amount choose the outcome of a transaction.
export type MagicOutcome = 'fails' | 'is cancelled' | 'expires' | 'is funded' | 'lingers'

// The source amount has exactly these decimals.
const magicAmounts: readonly (readonly [decimals: string, outcome: MagicOutcome, effect: string])[] = [
  [
    '.01',
    'fails',
    'FAILED instead of COMPLETED, and the money is returned; an external transfer arrives by itself first',
  ],
  [
    '.02',
    'is cancelled',
    'CANCELLED instead of COMPLETED, and the money is returned; an external transfer arrives by itself first',
  ],
  [
    '.03',
    'expires',
    'EXPIRED after one minute if it awaits an external transfer; no effect from a service-managed wallet',
  ],
  ['.04', 'is funded', 'An external transfer arrives by itself after one minute, and the transaction is COMPLETED'],
  ['.05', 'lingers', 'PROCESSING for three days, then COMPLETED; an external transfer arrives by itself first'],
]

// For `svc sandbox magic`.
export const transactionMagic = magicAmounts.map(([decimals, , effect]): Result<'MagicValue'> => ({
  of: 'transaction',
  value: `…${decimals}`,
  field: 'source.sourceAmount of the quote',
  effect,
}))

const decimalsLength = 3

function findMagic(amount: string) {
  const at = amount.length - decimalsLength
  return amount.indexOf('.') === at ? magicAmounts.find(([decimals]) => decimals === amount.slice(at)) : undefined
}

// The amount is in its written form, so 10.01 and 10.010000 are the same here. 10.011 is not magic.
export const findMagicOutcome = (amount: string): MagicOutcome | undefined => findMagic(amount)?.[1]

const statusesByOutcome: Partial<Record<MagicOutcome, TransactionStatus>> = {
  fails: 'FAILED',
  'is cancelled': 'CANCELLED',
  expires: 'EXPIRED',
  lingers: 'PROCESSING',
}

// The effect of an amount in the sandbox, for a person who is about to pay it. With a status, only
// an amount that leads to it has one.
export function describeMagicAmount(amount: string, status?: string): string | undefined {
  const [decimals, outcome, effect] = findMagic(amount) ?? []
  if (!outcome || (status !== undefined && statusesByOutcome[outcome] !== status)) return undefined
  return `amounts with ${decimals} are magic (\`svc sandbox magic\`): ${effect}`
}
