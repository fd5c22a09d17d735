// A payment as the journal keeps it: its content, its state, and every attempt to make it.
import type {BadEnding} from './bad-ending.ts'
import type {PaymentContent} from './payment-content.ts'

// The states of a payment. Each is written before the next step is taken (docs/paying-once.md).
export const paymentStates = [
  'INTENDED',
  'QUOTED',
  'STOPPED',
  'ARMED',
  'CREATED',
  'REJECTED',
  'UNKNOWN',
  'ABANDONED',
] as const

export type PaymentState = (typeof paymentStates)[number]

// In these states an unknown transaction may exist. It must be settled before a new quote is requested.
export const unsettledStates: readonly PaymentState[] = ['ARMED', 'UNKNOWN']

// In these states money is, or may be, spent. They count towards the daily limit of a profile.
export const spendingStates: readonly PaymentState[] = ['ARMED', 'CREATED', 'UNKNOWN']

// In these states nothing is known to have been made.
export const notMadeStates: readonly PaymentState[] = ['INTENDED', 'QUOTED', 'STOPPED', 'REJECTED', 'ABANDONED']

// The price of a quote. Amounts are decimal text.
export interface Price {
  rate: string
  received: string
  svcFee: string
  developerFee: string
  feeCurrency: string
}

// The limits that a run sets.
export interface PriceLimits {
  // Both fees together, in the source currency: an amount, or a percentage of the amount paid.
  feeMax?: {amount: string} | {percent: string} | undefined
  rateMin?: string | undefined
  receivedMin?: string | undefined
}

export interface Attempt {
  quoteId: string
  // When the quote expires, by the service's clock, in milliseconds.
  quoteExpiresAt: number
  price: Price
  // How far the service's clock was ahead of this machine's when the quote arrived.
  serverAheadMs: number
  // The exact bytes of the body, and the idempotency key under which they are sent. Set when the attempt is armed.
  bytes?: string
  idempotencyKey?: string
  armedAt?: number
  // Whether the quote was guaranteed, and the limits of the run that armed it: the transaction is compared with both.
  isGuaranteed?: boolean
  limits?: PriceLimits
  // How many times the bytes were, or may have been, sent.
  sends: number
  // The service's time when a complete list without this payment was first read after the quote had expired.
  clearSince?: number
  // Why the attempt ended, in svc's words: messages of the service may contain personal data.
  reason?: string
  error?: string
  statusCode?: number
  // The service rejected the only send, and its list has not been read since.
  isRejectionUnconfirmed?: boolean
}

export interface Payment {
  // The id of the service that the key belongs to: a profile's, or the database of a sandbox.
  serviceId: string
  key: string
  // The template and the slot that the key was made from, if any.
  template?: string
  slot?: string
  content: PaymentContent
  state: PaymentState
  attempts: Attempt[]
  transactionId?: string
  // Set once the transaction is seen to have ended badly. The state stays CREATED, since the transaction exists.
  ended?: BadEnding
  // When the service created the transaction, by its own clock, if it says so.
  madeAt?: number
  // The limits of the run that adopted a transaction whose quote this journal does not have.
  limits?: PriceLimits
  // These are times of this machine, in milliseconds.
  createdAt: number
  updatedAt: number
}

export const getLastAttempt = ({attempts}: Payment): Attempt | undefined => attempts.at(-1)
