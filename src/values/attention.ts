// What needs a person: the one answer of `svc status` and the console, each about what it has read.
import {type LooseCustomer, type LooseTransaction, readBadEnding, readCode} from '../contract/loose.ts'
import {readText} from './records.ts'
import {dayMs, toInstantMs} from './time.ts'

// What ended without success is shown for so long. What is unknown or waits stays until it no longer does.
export const attentionDays = 7

interface PaymentFacts {
  state: string
  updatedAt?: string | undefined
  // When it was meant to be paid.
  slot?: string | undefined
  // Whether a person said that it needs nobody.
  dismissed?: boolean | undefined
  // Whether a process works on it.
  isUnderWay?: boolean | undefined
}

interface Reads<P, T, C> {
  payments: readonly P[]
  transactions: readonly T[]
  customers: readonly C[]
  // The transactions whose bad ending somebody has dealt with.
  dealtWith: ReadonlySet<string>
}

// The journal is written by the clock of this machine. That of a sandbox may have been advanced.
interface Now {
  journalMs: number
  serviceMs: number
}

// The most urgent first: what is unknown must not be paid again, and what was not paid is owed.
export interface Attention<P, T, C> {
  unknownPayments: P[]
  paymentsUnderWay: P[]
  failedPayments: P[]
  failedTransactions: T[]
  rejectedCustomers: C[]
  corrections: C[]
  awaitingTransfers: T[]
}

const isOneOf = (states: readonly string[], {state}: Pick<PaymentFacts, 'state'>) => states.includes(state)

// The states of the payments that may have been made, and of those that are owed.
export const unknownStates = ['UNKNOWN', 'ARMED'] as const
export const owedStates = ['REJECTED', 'STOPPED', 'INTENDED', 'QUOTED'] as const
// While a process works on one of these, it is being paid.
export const begunStates: readonly string[] = ['INTENDED', 'QUOTED', 'ARMED']

const isRecent = (at: unknown, nowMs: number) => nowMs - (toInstantMs(at) ?? 0) <= attentionDays * dayMs

// What was stopped before the time that it was meant for needs nobody. The slot may be a month.
const hasCome = ({slot}: Pick<PaymentFacts, 'slot'>, nowMs: number): boolean =>
  (toInstantMs(slot) ?? toInstantMs(`${slot}-01`) ?? 0) <= nowMs

export function findAttention<P extends PaymentFacts, T extends LooseTransaction, C extends LooseCustomer>(
  {payments, transactions, customers, dealtWith}: Reads<P, T, C>,
  {journalMs, serviceMs}: Now,
): Attention<P, T, C> {
  const isUnderWay = (payment: P) => payment.isUnderWay === true && isOneOf(begunStates, payment)
  const open = payments.filter((payment) => !isUnderWay(payment))
  const hasStatus = (status: string) => (customer: C) => readCode(customer.customerStatus) === status
  return {
    unknownPayments: open.filter((payment) => isOneOf(unknownStates, payment)),
    paymentsUnderWay: payments.filter(isUnderWay),
    failedPayments: open.filter(
      (payment) =>
        isOneOf(owedStates, payment) &&
        payment.dismissed !== true &&
        isRecent(payment.updatedAt, journalMs) &&
        hasCome(payment, journalMs),
    ),
    failedTransactions: transactions.filter(
      (each) =>
        readBadEnding(each) && isRecent(each.updatedAt, serviceMs) && !dealtWith.has(readText(each.transactionId)),
    ),
    rejectedCustomers: customers.filter(
      (customer) => hasStatus('REJECTED')(customer) && isRecent(customer.updatedAt, serviceMs),
    ),
    corrections: customers.filter(hasStatus('NEEDS_ADDITIONAL_INFORMATION')),
    awaitingTransfers: transactions.filter(
      ({transactionStatus}) => readCode(transactionStatus) === 'AWAITING_TRANSFER',
    ),
  }
}
