// What a payment is in the journal: what was meant, what was quoted, what was sent, and what is known of it.
import type {PaymentContent} from './payment-content.ts'

// The states of a payment, each written before what comes next is done (docs/paying-once.md).
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

// In these a transaction may exist of which nothing is known: nothing may be quoted anew before that is settled.
export const unsettledStates: readonly PaymentState[] = ['ARMED', 'UNKNOWN']

// In these money is spent or may be: they count towards what a profile may spend in a day.
export const spendingStates: readonly PaymentState[] = ['ARMED', 'CREATED', 'UNKNOWN']

// What the service asks for, as it was quoted. Amounts are decimal text.
export interface Price {
  rate: string
  received: string
  svcFee: string
  developerFee: string
  feeCurrency: string
}

export interface Attempt {
  quoteId: string
  // When the quote expires, by the service's clock, in milliseconds.
  quoteExpiresAt: number
  price: Price
  // How far the service's clock was ahead of this machine's when the quote came.
  serverAheadMs: number
  // The exact bytes of the body, and the key under which they are sent; there once the attempt is armed.
  bytes?: string
  idempotencyKey?: string
  armedAt?: number
  // How often the bytes were, or may have been, sent.
  sends: number
  // The service's time at which a complete list without a match was first seen after the quote could not be used any more.
  clearSince?: number
  // Why it ended as it did, in svc's own words: those of the service may hold what a journal must not.
  reason?: string
  error?: string
  statusCode?: number
}

export interface Payment {
  // The base address, or the database of a sandbox, to which the key belongs.
  serviceId: string
  key: string
  // The template and the slot out of which the key was made, if it was made of one.
  template?: string
  slot?: string
  content: PaymentContent
  state: PaymentState
  attempts: Attempt[]
  transactionId?: string
  // When the service made it, by its own clock, as far as it says so.
  madeAt?: number
  // By the clock of this machine, in milliseconds.
  createdAt: number
  updatedAt: number
}

export const getLastAttempt = ({attempts}: Payment): Attempt | undefined => attempts.at(-1)
