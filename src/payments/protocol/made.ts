// Reads the transaction of a payment that was made, and notes a bad end.
import {type LooseTransaction, readBadEnding} from '../../contract/loose.ts'
import {JournalUnusable, LeaseLost} from '../journal/journal.ts'
import type {PaymentContext, PaymentResult} from './context.ts'
import type {MadePayment} from './payment.ts'
import {readTransaction} from './search.ts'

export async function reportMade(
  context: PaymentContext,
  payment: MadePayment,
  isOneFoundEnough = false,
): Promise<PaymentResult> {
  const current = await readTransaction(context, payment, isOneFoundEnough)
  const latest = current.transaction ? await noteBadEnding(context, payment, current.transaction) : payment
  return {payment: latest, ...current, wasMadeBefore: true}
}

// Notes in the journal that the transaction of a payment ended badly, once. If another process
// works on the payment or takes its lease, or the journal cannot be written, for example because
// the disk is full, the ending is reported all the same, and the next run notes it.
export async function noteBadEnding(
  {journal, owner}: PaymentContext,
  payment: MadePayment,
  transaction: LooseTransaction,
): Promise<MadePayment> {
  const ended = readBadEnding(transaction)
  if (ended === undefined || payment.ended !== undefined) return payment

  try {
    const acquired = await journal.acquireLease(payment, owner)
    if ('heldBy' in acquired) return payment
    const {lease, payment: latest} = acquired
    try {
      // A person may have adopted another transaction meanwhile.
      if (latest.state !== 'CREATED' || latest.transactionId !== payment.transactionId) return payment
      const noted = {...latest, ended}
      const {updatedAt} = await journal.commit(lease, noted, {what: 'ENDED', detail: {status: ended}})
      return {...noted, updatedAt}
    } finally {
      await journal.releaseLease(lease)
    }
  } catch (error) {
    if (error instanceof JournalUnusable || error instanceof LeaseLost) return payment
    throw error
  }
}
