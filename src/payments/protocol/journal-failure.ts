// Turns a failure of the journal into "outcome unknown" when the payment may already have been sent.
import {JournalUnusable} from '../journal/journal.ts'
import {outcomeUnknown} from './payment-errors.ts'
import {type Payment, unsettledStates} from './payment.ts'

// JournalUnusable says that nothing is paid, which is wrong for a payment whose bytes may have left.
export async function wrapJournalFailure<T>(payment: Payment, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof JournalUnusable) || !unsettledStates.includes(payment.state)) throw error
    throw outcomeUnknown(payment, error.reason ?? error.message, error)
  }
}
