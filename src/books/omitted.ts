// The payments that the books do not post: what has become of each, and whether it keeps the books from being closed.

export type OmittedKind =
  // The transaction failed, was cancelled or expired: the money did not arrive.
  | 'FAILED'
  // Not completed before the end of the period.
  | 'OPEN'
  // Whether a transaction exists is not known to the journal.
  | 'UNKNOWN'
  // The journal says that it was made, but the service does not list it.
  | 'NOT_LISTED'
  // svc made the transaction, but this journal has no payment for it.
  | 'NOT_IN_JOURNAL'
  // A figure of the transaction is missing or cannot be read.
  | 'UNREADABLE'

export interface OmittedPayment {
  kind: OmittedKind
  key?: string | undefined
  transactionId?: string | undefined
  customerId?: string | undefined
  accountId?: string | undefined
  // What was to be paid, as decimal text.
  amount?: string | undefined
  currency?: string | undefined
  destinationCurrency?: string | undefined
  // When it was made or ended.
  at: string
  detail: string
}

// These are part of everyday business. All others may have moved money that the books do not have.
const harmlessKinds: ReadonlySet<OmittedKind> = new Set(['FAILED', 'OPEN'])

export const isHarmless = (kind: OmittedKind) => harmlessKinds.has(kind)

const nextSteps: Partial<Record<OmittedKind, string>> = {
  UNKNOWN: 'settle it with `svc journal settle`',
  NOT_LISTED: 'ask the service for it',
  NOT_IN_JOURNAL: 'run the payment again, which adopts it',
  UNREADABLE: 'ask the service for its figures',
}

// Such as "UNKNOWN rent-2026-11, 100.00 USDC, 2026-11-16T03:00:00Z: the connection was reset; settle it with …".
export function describeOmitted({kind, key, transactionId, amount, currency, at, detail}: OmittedPayment): string {
  const parts = [
    [kind, key].filter(Boolean).join(' '),
    transactionId && `transaction ${transactionId}`,
    amount && currency && `${amount} ${currency}`,
    at,
  ].filter(Boolean)
  const next = nextSteps[kind]
  return `${parts.join(', ')}: ${detail}${next === undefined ? '' : `; ${next}`}`
}
