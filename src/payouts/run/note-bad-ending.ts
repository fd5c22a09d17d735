// Notes in the journal that the transaction of a row ended badly. The row is reported the same way if that fails.
import type {LooseTransaction} from '../../contract/loose.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {JournalUnusable} from '../../payments/journal/journal.ts'
import {noteBadEnding} from '../../payments/protocol/note-bad-ending.ts'
import type {Payment} from '../../payments/protocol/payment.ts'

// The next run notes what this one could not, for example because the disk is full.
export async function noteBadEndingIfPossible(
  context: PaymentContext,
  payment: Payment,
  transaction: LooseTransaction | undefined,
): Promise<Payment> {
  if (!transaction) return payment
  try {
    return await noteBadEnding(context, payment, transaction)
  } catch (error) {
    if (error instanceof JournalUnusable) return payment
    throw error
  }
}
