// Reads all payments of a filter from the journal, some at a time, so that memory stays constant however many there are.
import type {Payment} from '../protocol/payment.ts'
import type {Journal, PaymentFilter} from './journal.ts'

const paymentsPerRead = 1_000

// Newest first. A payment that is recorded in the meantime is newer, and not read.
export async function* walkPayments(
  journal: Pick<Journal, 'list'>,
  filter: Pick<PaymentFilter, 'serviceId' | 'states' | 'sinceMs'>,
): AsyncGenerator<Payment[]> {
  let after: Payment | undefined
  do {
    const page: Payment[] = await journal.list({...filter, newestCount: paymentsPerRead, after})
    if (page.length > 0) yield page
    after = page.length === paymentsPerRead ? page.at(-1) : undefined
  } while (after)
}
